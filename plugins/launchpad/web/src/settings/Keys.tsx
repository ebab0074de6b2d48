import { useCan, useMe, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Chip, Confirm, Copied, Dialog, Empty, Form, Loaded, Note, useDeed } from "@portico/ui";
import { Problem } from "@portico/api";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { useIdentity, type ApiKey } from "../identity.ts";
import { LaunchLink, When } from "../parts.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const listKey = ["/api/api-keys"];
const most = 200;
const scopes = [
  "apps.read",
  "apps.write",
  "dashboard.read",
  "launches.read",
  "notifications.read",
  "notifications.write",
  "settings.read",
  "settings.write",
  "widgets.read",
  "workflows.read",
  "workflows.write",
  "api_keys.write",
] as const;
const dayMilliseconds = 86_400_000;
const lives = ["30", "90", "365"] as const;
const dead = new Set(["revoked", "expired"]);
const kinds = { active: "good", rotating: "warn", disabled: "plain", revoked: "bad", expired: "plain", blocked: "bad" } as const;

/** Keys of programs that reach the launchpad. */
export default function Keys() {
  const { t } = useTexts();
  const api = useIdentity();
  const { organizationId } = useMe();
  const [creating, setCreating] = useState(false);
  const query = useQuery({
    queryKey: [...listKey, organizationId],
    queryFn: async ({ signal }) =>
      (await api.get("/api/api-keys", { query: { limit: most }, signal })).items.filter(({ status }) => !dead.has(status)),
  });
  return (
    <Card
      title={t("settings.api-keys")}
      text={t("keys.text")}
      tools={
        <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
          {t("keys.new")}
        </Button>
      }
    >
      <Loaded query={query} lines={4}>
        {(keys) =>
          keys.length === 0 ? (
            <Empty icon={KeyRound} title={t("keys.none")} text={t("keys.noneText")} />
          ) : (
            <ul className={page["plain"]}>
              {keys.map((each) => (
                <Key key={each.id} apiKey={each} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <p className={page["muted"]}>
        <LaunchLink service="admin" returnTo="/api-keys">
          {t("keys.elsewhere")}
        </LaunchLink>
      </p>
      {creating && <NewKey onClose={() => setCreating(false)} />}
    </Card>
  );
}

function Key({ apiKey }: { apiKey: ApiKey }) {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const [asking, setAsking] = useState(false);
  const revoke = () => {
    setAsking(false);
    void run(
      () => api.delete("/api/api-keys/{id}", { path: { id: apiKey.id } }).finally(() => client.invalidateQueries({ queryKey: listKey })),
      t("keys.revoked", { name: apiKey.name }),
    );
  };
  return (
    <li>
      <span className={page["grow"]}>
        <span className={page["row"]}>
          <bdi className={classes["strong"]}>{apiKey.name}</bdi> <Chip kind={kinds[apiKey.status]}>{t(`key.${apiKey.status}`)}</Chip>
          {apiKey.owner_type === "organization" && <Chip>{t("keys.ofOrganization")}</Chip>}
        </span>
        <span className={page["more"]}>
          <code>{`${apiKey.prefix}…${apiKey.last4}`}</code> · {apiKey.grants.flatMap((grant) => grant.scopes).join(", ")}
          {apiKey.expiresAt && (
            <>
              {" · "}
              {t("keys.expires")} <When at={apiKey.expiresAt} />
            </>
          )}
        </span>
      </span>
      <Button size="compact-sm" loading={busy} aria-label={t("keys.revokeName", { name: apiKey.name })} onClick={() => setAsking(true)}>
        {t("keys.revoke")}
      </Button>
      <Confirm
        open={asking}
        title={t("keys.revokeName", { name: apiKey.name })}
        text={t("keys.revokeText")}
        act={t("keys.revoke")}
        onClose={() => setAsking(false)}
        onConfirm={revoke}
      />
    </li>
  );
}

/** A key with grants at the launchpad. Its secret is shown once. */
function NewKey({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { user, organizationId, organizations } = useMe();
  const mayForAll = useCan("api_keys:manage");
  const [made, setMade] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(["widgets.read"]));
  const organization = organizations.find(({ id }) => id === organizationId);
  if (made)
    return (
      <Dialog
        open
        wide
        title={t("keys.made")}
        onClose={onClose}
        actions={
          <Button variant="filled" onClick={onClose}>
            {t("act.done")}
          </Button>
        }
      >
        <div className={classes["stack"]}>
          <Note kind="warn">{t("keys.once")}</Note>
          <Copied text={made} label={t("keys.secret")} />
        </div>
      </Dialog>
    );
  const owners = [
    { value: "user", label: t("keys.mine") },
    ...(organization && mayForAll ? [{ value: "organization", label: organization.name }] : []),
  ];
  return (
    <Dialog open title={t("keys.new")} onClose={onClose}>
      <Form
        initial={{ name: "", owner: "user", life: "90" }}
        schema={{ required: ["name", "owner", "life"], properties: { name: { type: "string", maxLength: 100 } } }}
        fields={[
          { name: "name", label: t("keys.name"), hint: t("keys.nameHint") },
          { name: "owner", label: t("keys.owner"), kind: "choice", options: owners },
          {
            name: "life",
            label: t("keys.life"),
            kind: "choice",
            options: lives.map((value) => ({ value, label: t("keys.days", { count: Number(value) }) })),
          },
        ]}
        first="name"
        act={t("keys.create")}
        onCancel={onClose}
        submit={async ({ name, owner, life }, idempotencyKey) => {
          if (chosen.size === 0)
            throw new Problem("validation_failed", 400, { errors: [{ field: "", code: "required", message: t("keys.scopeMissing") }] });
          const body = {
            name: name.trim(),
            environment: "live" as const,
            owner_type: owner,
            owner_id: owner === "user" ? user.id : (organizationId ?? ""),
            grants: [{ service_id: "launchpad", scopes: [...chosen], resources: [] as [] }],
            expiresAt: new Date(Math.ceil(Date.now() / dayMilliseconds) * dayMilliseconds + Number(life) * dayMilliseconds).toISOString(),
          };
          const { key } = await api.post("/api/api-keys", {
            body,
            idempotencyKey,
            headers: { "X-Portico-Context": organizationId ?? "personal" },
          });
          setMade(key);
          await client.invalidateQueries({ queryKey: listKey });
        }}
      >
        <fieldset className={classes["scopes"]}>
          <legend>{t("keys.scopes")}</legend>
          {scopes.map((each) => (
            <label key={each} className={page["check"]}>
              <input
                type="checkbox"
                checked={chosen.has(each)}
                onChange={(event) =>
                  setChosen(new Set(event.currentTarget.checked ? [...chosen, each] : [...chosen].filter((other) => other !== each)))
                }
              />
              <span>
                {t(`scope.${each}`)}
                <small>{each}</small>
              </span>
            </label>
          ))}
        </fieldset>
      </Form>
    </Dialog>
  );
}
