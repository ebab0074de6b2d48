import { useMe, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Form, Loaded, useDeed } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { householdsKey, useIdentity, type Household, type HouseholdMember, type HouseholdRole } from "../identity.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const roles: readonly HouseholdRole[] = ["manager", "adult", "child", "viewer"];

/** Members with their roles, and open invitations. Managers change both. */
export function Members({ household, editable }: { household: Household; editable: boolean }) {
  const { t } = useTexts();
  const api = useIdentity();
  const [inviting, setInviting] = useState(false);
  const { id: householdId } = household;
  const query = useQuery({
    queryKey: [...householdsKey, householdId],
    queryFn: ({ signal }) => api.get("/api/households/{householdId}", { path: { householdId }, signal }),
  });
  return (
    <>
      <Loaded query={query} lines={3}>
        {({ members }) => (
          <ul className={page["plain"]}>
            {members.map((each) => (
              <Member key={each.userId} householdId={householdId} member={each} editable={editable} />
            ))}
            {editable && <Invitations householdId={householdId} />}
          </ul>
        )}
      </Loaded>
      {editable && !inviting && (
        <div>
          <Button leftSection={<UserPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
            {t("household.invite")}
          </Button>
        </div>
      )}
      {editable && inviting && <Invite householdId={householdId} onClose={() => setInviting(false)} />}
    </>
  );
}

function Member({ householdId, member, editable }: { householdId: string; member: HouseholdMember; editable: boolean }) {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { user } = useMe();
  const { busy, run } = useDeed();
  const { userId, displayName, role } = member;
  const path = { householdId, userId };
  const again = () => client.invalidateQueries({ queryKey: householdsKey });
  const change = (wanted: string) =>
    void run(
      () => api.patch("/api/households/{householdId}/members/{userId}", { path, body: { role: wanted as HouseholdRole } }).finally(again),
      t("household.saved"),
    );
  const remove = () =>
    void run(
      () => api.delete("/api/households/{householdId}/members/{userId}", { path }).finally(again),
      t("household.memberRemoved", { name: displayName }),
    );
  return (
    <li>
      <span className={page["grow"]}>
        <span>
          <bdi className={classes["strong"]}>{displayName}</bdi>{" "}
          {userId === user.id && <span className={page["muted"]}>{t("household.you")}</span>}
        </span>
      </span>
      {editable ? (
        <>
          <select
            className={page["select"]}
            aria-label={t("household.roleOf", { name: displayName })}
            value={role}
            disabled={busy}
            onChange={(event) => change(event.currentTarget.value)}
          >
            {roles.map((each) => (
              <option key={each} value={each}>
                {t(`householdRole.${each}`)}
              </option>
            ))}
          </select>
          {userId !== user.id && (
            <Button
              size="compact-sm"
              variant="subtle"
              loading={busy}
              aria-label={t("household.removeName", { name: displayName })}
              onClick={remove}
            >
              {t("act.remove")}
            </Button>
          )}
        </>
      ) : (
        <span className={page["muted"]}>{t(`householdRole.${role}`)}</span>
      )}
    </li>
  );
}

function Invitations({ householdId }: { householdId: string }) {
  const { t, date } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const { data } = useQuery({
    queryKey: [...householdsKey, householdId, "invitations"],
    queryFn: async ({ signal }) => (await api.get("/api/households/{householdId}/invitations", { path: { householdId }, signal })).items,
  });
  const revoke = (invitationId: string) =>
    void run(() =>
      api
        .delete("/api/households/{householdId}/invitations/{invitationId}", { path: { householdId, invitationId } })
        .finally(() => client.invalidateQueries({ queryKey: householdsKey })),
    );
  return data
    ?.filter(({ status }) => status === "pending")
    .map((each) => (
      <li key={each.id}>
        <span className={page["grow"]}>
          <bdi>{each.email}</bdi>
          <span className={page["more"]}>
            {t("household.invitedAs", { role: t(`householdRole.${each.role}`), until: date(each.expiresAt) })}
          </span>
        </span>
        <Button
          size="compact-sm"
          variant="subtle"
          loading={busy}
          aria-label={t("household.revokeName", { email: each.email })}
          onClick={() => revoke(each.id)}
        >
          {t("keys.revoke")}
        </Button>
      </li>
    ));
}

function Invite({ householdId, onClose }: { householdId: string; onClose: () => void }) {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  return (
    <Form
      initial={{ email: "", role: "adult" }}
      schema={{
        required: ["email", "role"],
        properties: { email: { type: "string", format: "email" }, role: { type: "string", enum: roles } },
      }}
      fields={[
        { name: "email", label: t("household.email"), kind: "email", autoComplete: "off" },
        {
          name: "role",
          label: t("household.role"),
          kind: "choice",
          options: roles.map((value) => ({ value, label: t(`householdRole.${value}`) })),
        },
      ]}
      first="email"
      act={t("household.sendInvitation")}
      onCancel={onClose}
      submit={async ({ email, role }, idempotencyKey) => {
        await api.post("/api/households/{householdId}/invitations", {
          path: { householdId },
          body: { email, role: role as HouseholdRole },
          idempotencyKey,
        });
        await client.invalidateQueries({ queryKey: householdsKey });
        onClose();
      }}
    />
  );
}
