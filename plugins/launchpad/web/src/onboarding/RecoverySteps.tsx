import { useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Chip, Form, Note, useDeed } from "@portico/ui";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { recoveryKey, useIdentity, type RecoveryEmail } from "../identity.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** Adds, verifies and changes the recovery e-mail: the address first, then the code that was sent there. */
export function RecoverySteps({ recovery, onVerified }: { recovery: RecoveryEmail; onVerified?: () => Promise<unknown> }) {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const [editing, setEditing] = useState(false);
  const [sent, setSent] = useState(0);
  const { maskedEmail, pendingMaskedEmail, verifiedAt } = recovery;
  const take = (answer: RecoveryEmail) => client.setQueryData(recoveryKey, answer);
  const open = editing || (!maskedEmail && !pendingMaskedEmail);
  return (
    <div className={classes["stack"]}>
      {maskedEmail && (
        <span className={page["row"]}>
          <bdi>{maskedEmail}</bdi> {verifiedAt && <Chip kind="good">{t("recovery.verified")}</Chip>}
        </span>
      )}
      {pendingMaskedEmail && !editing && (
        <>
          <Note>{t("recovery.pending", { email: pendingMaskedEmail })}</Note>
          <Form
            key={sent}
            fields={[{ name: "code", label: t("recovery.code"), autoComplete: "one-time-code" }]}
            initial={{ code: "" }}
            schema={{ required: ["code"], properties: { code: { type: "string" } } }}
            act={t("recovery.verify")}
            submit={async ({ code }) => {
              take(await api.post("/api/auth/me/recovery-email/verify", { body: { code: code.replace(/\s/g, "") } }));
              await onVerified?.();
            }}
          />
        </>
      )}
      {open && (
        <Form
          fields={[{ name: "email", label: t("recovery.email"), kind: "email", autoComplete: "email", hint: t("recovery.hint") }]}
          initial={{ email: "" }}
          schema={{ required: ["email"], properties: { email: { type: "string", format: "email" } } }}
          act={t("recovery.send")}
          {...(editing && { onCancel: () => setEditing(false) })}
          submit={async ({ email }) => {
            take(await api.put("/api/auth/me/recovery-email", { body: { email } }));
            setEditing(false);
          }}
        />
      )}
      {!open && (
        <span className={classes["acts"]}>
          {pendingMaskedEmail && (
            <Button
              variant="subtle"
              loading={busy}
              onClick={() =>
                void run(async () => {
                  take(await api.post("/api/auth/me/recovery-email/resend", { body: {} }));
                  setSent(sent + 1);
                }, t("recovery.resent"))
              }
            >
              {t("recovery.resend")}
            </Button>
          )}
          <Button variant={pendingMaskedEmail ? "subtle" : "default"} onClick={() => setEditing(true)}>
            {t("recovery.change")}
          </Button>
        </span>
      )}
    </div>
  );
}
