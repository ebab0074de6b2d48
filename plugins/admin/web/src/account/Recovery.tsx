import { useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Chip, Confirm, Form, Note, useDeed } from "@portico/ui";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Failed } from "../parts.tsx";
import { useIdentity } from "../service.ts";
import { useRecovery } from "./factors.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** Another address, by which one gets in again when the first one is lost. */
export function Recovery() {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const { data, error, refetch } = useRecovery();
  const [open, setOpen] = useState(false);
  const [asking, setAsking] = useState(false);
  const [sent, setSent] = useState(0);
  if (!data)
    return error ? (
      <Card title={t("recovery.title")} text={t("recovery.text")}>
        <Failed error={error} retry={() => void refetch()} />
      </Card>
    ) : null;
  const again = () => client.invalidateQueries({ queryKey: ["/api/auth/me/recovery-email"] });
  const set = async ({ email }: { email: string }): Promise<void> => {
    await api.put("/api/auth/me/recovery-email", { body: { email } });
    setOpen(false);
    await again();
  };
  const verify = async ({ code }: { code: string }): Promise<void> => {
    await api.post("/api/auth/me/recovery-email/verify", { body: { code: code.replace(/\s/g, "") } });
    await again();
  };
  const remove = () => {
    setAsking(false);
    void run(() => api.delete("/api/auth/me/recovery-email").then(again), t("recovery.removed"));
  };
  return (
    <Card
      title={t("recovery.title")}
      text={t("recovery.text")}
      tools={
        !open && (
          <span className={page["row"]}>
            {(data.maskedEmail || data.pendingMaskedEmail) && (
              <Button loading={busy} onClick={() => setAsking(true)}>
                {t("act.remove")}
              </Button>
            )}
            <Button onClick={() => setOpen(true)}>
              {t(data.maskedEmail || data.pendingMaskedEmail ? "recovery.change" : "recovery.add")}
            </Button>
          </span>
        )
      }
    >
      <div className={classes["stack"]}>
        {data.maskedEmail && (
          <span className={page["row"]}>
            <bdi>{data.maskedEmail}</bdi> {data.verifiedAt && <Chip kind="good">{t("recovery.verified")}</Chip>}
          </span>
        )}
        {data.pendingMaskedEmail && (
          <>
            <Note kind="warn">{t("recovery.pending", { email: data.pendingMaskedEmail })}</Note>
            <Form
              key={sent}
              fields={[{ name: "code", label: t("recovery.code"), autoComplete: "one-time-code" }]}
              initial={{ code: "" }}
              schema={{ required: ["code"] }}
              act={t("recovery.verify")}
              submit={verify}
            />
            <Button
              size="compact-sm"
              loading={busy}
              onClick={() =>
                void run(
                  () =>
                    api
                      .post("/api/auth/me/recovery-email/resend", { body: {} })
                      .then(again)
                      .then(() => setSent(sent + 1)),
                  t("recovery.resent"),
                )
              }
            >
              {t("recovery.resend")}
            </Button>
          </>
        )}
        {!data.maskedEmail && !data.pendingMaskedEmail && !open && <p className={page["muted"]}>{t("recovery.none")}</p>}
        {open && (
          <Form
            fields={[{ name: "email", label: t("recovery.email"), kind: "email", autoComplete: "email" }]}
            initial={{ email: "" }}
            schema={{ required: ["email"], properties: { email: { format: "email" } } }}
            act={t("recovery.send")}
            submit={set}
            onCancel={() => setOpen(false)}
          />
        )}
      </div>
      <Confirm
        open={asking}
        title={t("recovery.remove")}
        text={t("recovery.removeText")}
        act={t("act.remove")}
        onClose={() => setAsking(false)}
        onConfirm={remove}
      />
    </Card>
  );
}
