import { useCan, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Chip, Dialog, Form, useDeed, useUi } from "@portico/ui";
import { Download, Send } from "lucide-react";
import { useState } from "react";
import { useChangePreferences, useLaunchpad, useReload, type CatalogEntry } from "../service.ts";

/** Pins or unpins an app at once, with a way back. */
export function usePin(): (app: CatalogEntry, pinned: boolean) => void {
  const { t } = useTexts();
  const { undo } = useUi();
  const { run } = useDeed();
  const change = useChangePreferences();
  return ({ service_id, name }, pinned) => {
    const set = (on: boolean) =>
      change(({ pinned: now }) => ({
        pinned: on ? [...now.filter((each) => each !== service_id), service_id] : now.filter((each) => each !== service_id),
      }));
    void run(async () => {
      await set(pinned);
      undo.push({ text: t(pinned ? "apps.pinnedName" : "apps.unpinnedName", { name }), undo: () => set(!pinned) });
    });
  };
}

/** The one button of an app that is not installed: install, request, or why neither is possible. */
export function InstallButton({
  app,
  context,
  filled = false,
}: {
  app: CatalogEntry;
  context: "organization" | "personal";
  filled?: boolean;
}) {
  const { t } = useTexts();
  const api = useLaunchpad();
  const reload = useReload();
  const { busy, run } = useDeed();
  const mayInstall = useCan("apps:install");
  const mayRequest = useCan("apps:request");
  const [asking, setAsking] = useState(false);
  const variant = filled ? { variant: "filled" } : {};
  const scope = context === "organization" && mayInstall ? "organization" : "me";
  if (app.availability === "available")
    return (
      <Button
        size="compact-sm"
        {...variant}
        loading={busy}
        leftSection={<Download size={14} aria-hidden />}
        aria-label={t("apps.installName", { name: app.name })}
        onClick={() =>
          void run(
            () => api.post("/api/installs", { body: { service_id: app.service_id, scope } }).finally(reload),
            t("apps.installedName", { name: app.name }),
          )
        }
      >
        {t("apps.install")}
      </Button>
    );
  if (app.availability === "request_required" && mayRequest)
    return (
      <>
        <Button
          size="compact-sm"
          {...variant}
          leftSection={<Send size={14} aria-hidden />}
          aria-label={t("apps.requestName", { name: app.name })}
          onClick={() => setAsking(true)}
        >
          {t("apps.request")}
        </Button>
        <Dialog open={asking} title={t("apps.requestName", { name: app.name })} onClose={() => setAsking(false)}>
          <Form
            initial={{ reason: "" }}
            schema={{ properties: { reason: { type: "string", maxLength: 500 } } }}
            fields={[{ name: "reason", label: t("apps.requestReason"), kind: "multiline", hint: t("apps.requestHint") }]}
            first="reason"
            act={t("apps.requestSend")}
            onCancel={() => setAsking(false)}
            submit={async ({ reason }, idempotencyKey) => {
              await api.post("/api/install-requests", { body: { service_id: app.service_id, ...(reason && { reason }) }, idempotencyKey });
              setAsking(false);
              await reload();
            }}
          />
        </Dialog>
      </>
    );
  return <Chip kind={app.availability === "requested" ? "warn" : "plain"}>{t(`availability.${app.availability}`)}</Chip>;
}
