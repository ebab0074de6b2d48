import { useTexts } from "@portico/app-shell";
import { ActionIcon, Button } from "@mantine/core";
import { Confirm, Dialog, Form, useDeed, useUi } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { deviceOf, Row, Rows, Used, When } from "../parts.tsx";
import { useIdentity, whole, type Passkey } from "../service.ts";
import { factorsKey } from "./factors.ts";
import classes from "../page.module.css";

const path = "/api/auth/passkeys";

/** Passkeys: their names, when they were made and used. A new one is made here, or at identity's own page where browsers demand that. */
export function Passkeys() {
  const { t } = useTexts();
  const { notices } = useUi();
  const api = useIdentity();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const [renaming, setRenaming] = useState("");
  const [removed, setRemoved] = useState<Passkey | null>(null);
  const passkeys = useQuery({ queryKey: [path], queryFn: async ({ signal }) => (await whole(api.get(path, { signal }))).items });
  const renamed = passkeys.data?.find(({ id }) => id === renaming);
  const again = () => Promise.all([client.invalidateQueries({ queryKey: [path] }), client.invalidateQueries({ queryKey: factorsKey })]);

  const add = () =>
    run(async () => {
      const made = await whole(
        api.post("/api/auth/passkeys/register/options", { body: { name: deviceOf({ userAgent: navigator.userAgent }, t) } }),
      );
      if (made.ceremonyUrl) return location.assign(`${made.ceremonyUrl}&return_to=${encodeURIComponent(location.href)}`);
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
        made.publicKey as unknown as PublicKeyCredentialCreationOptionsJSON,
      );
      // The person, or the browser, may end it: then nothing has been made, and the browser has said so.
      const credential = (await navigator.credentials.create({ publicKey }).catch(() => null)) as PublicKeyCredential | null;
      if (!credential) return notices.tell({ kind: "info", text: t("passkeys.cancelled") });
      const passkey = await whole(
        api.post("/api/auth/passkeys/register/verify", {
          body: { challengeId: made.challengeId, credential: credential.toJSON() as never },
        }),
      );
      await again();
      setRenaming(passkey.id);
    });
  const rename = async ({ name }: { name: string }): Promise<void> => {
    if (!renamed) return;
    await api.patch("/api/auth/passkeys/{id}", { path: { id: renamed.id }, body: { name }, version: renamed.version }).finally(again);
    setRenaming("");
  };
  const remove = (passkey: Passkey) => {
    setRemoved(null);
    void run(
      () => api.delete("/api/auth/passkeys/{id}", { path: { id: passkey.id } }).then(again),
      t("passkeys.removed", { name: passkey.name }),
    );
  };
  return (
    <div className={classes["stack"]}>
      <Rows query={passkeys} lines={1} empty={t("passkeys.none")}>
        {(each) => (
          <Row
            key={each.id}
            name={each.name}
            more={
              <>
                {t("passkeys.made")} <When at={each.createdAt} /> · <Used at={each.lastUsedAt} />
                {each.backedUp && ` · ${t("passkeys.backedUp")}`}
              </>
            }
          >
            <ActionIcon aria-label={t("act.renameWhat", { what: each.name })} onClick={() => setRenaming(each.id)}>
              <Pencil size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon aria-label={t("act.removeWhat", { what: each.name })} onClick={() => setRemoved(each)}>
              <Trash2 size={16} aria-hidden />
            </ActionIcon>
          </Row>
        )}
      </Rows>
      <Button
        leftSection={passkeys.data?.length ? <Plus size={16} aria-hidden /> : <KeyRound size={16} aria-hidden />}
        loading={busy}
        onClick={() => void add()}
      >
        {t("passkeys.add")}
      </Button>
      <Dialog open={renamed !== undefined} title={t("passkeys.name")} onClose={() => setRenaming("")}>
        {renamed && (
          <Form
            key={renamed.id}
            first="name"
            fields={[{ name: "name", label: t("passkeys.nameLabel"), hint: t("passkeys.nameHint") }]}
            initial={{ name: renamed.name }}
            schema={{ required: ["name"], properties: { name: { maxLength: 100 } } }}
            submit={rename}
          />
        )}
      </Dialog>
      <Confirm
        open={removed !== null}
        title={t("passkeys.remove", { name: removed?.name ?? "" })}
        text={t("passkeys.removeText")}
        act={t("act.remove")}
        onClose={() => setRemoved(null)}
        onConfirm={() => removed && remove(removed)}
      />
    </div>
  );
}
