import { useAuth, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { useDeed } from "@portico/ui";
import { useQueryClient } from "@tanstack/react-query";
import { householdsKey, useIdentity } from "../identity.ts";
import { useReload, type Action } from "../service.ts";

/** Accepts or declines an invitation at identity, which then closes the action. An invitation to a household is declined by ignoring it. */
export function Invitation({ action }: { action: Action }) {
  const { t } = useTexts();
  const api = useIdentity();
  const auth = useAuth();
  const client = useQueryClient();
  const reload = useReload();
  const { busy, run } = useDeed();
  const household = action.kind === "household_invitation";
  const id = action.source.resourceId;
  const answer = (send: () => Promise<unknown>, done: string) =>
    void run(async () => {
      await send();
      await Promise.all([auth.readMe(), client.invalidateQueries({ queryKey: householdsKey }), reload()]);
    }, done);
  const accept = () =>
    household
      ? api.post("/api/household-invitations/{token}/accept", { path: { token: id }, body: {} })
      : api.post("/api/auth/invitations/{id}/accept", { path: { id }, body: {} });
  return (
    <>
      <Button
        size="compact-sm"
        variant="filled"
        loading={busy}
        aria-label={t("actions.decide", { label: t("invitation.accept"), name: action.title })}
        onClick={() => answer(accept, t("invitation.accepted"))}
      >
        {t("invitation.accept")}
      </Button>
      {!household && (
        <Button
          size="compact-sm"
          loading={busy}
          aria-label={t("actions.decide", { label: t("invitation.decline"), name: action.title })}
          onClick={() => answer(() => api.post("/api/auth/invitations/{id}/decline", { path: { id }, body: {} }), t("invitation.declined"))}
        >
          {t("invitation.decline")}
        </Button>
      )}
    </>
  );
}
