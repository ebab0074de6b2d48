import { Link, navigate, useMe, useTexts, type PageProps } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Act, Bones, Card, Chip, Confirm, Facts, useDeed, usePageName, Waiting } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { deviceOf, Failed, networkOf, Row, Rows, When } from "../parts.tsx";
import { membersOf, most, rank, useIdentity, whole, type Membership, type Role } from "../service.ts";
import { OrganizationFrame } from "./Frame.tsx";
import { RoleChoice, useMyRank } from "./RoleChoice.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** One member: role, standing, sign-ins, and the way back into a lost account. */
export default function MemberPage({ params }: PageProps) {
  const userId = params["id"] ?? "";
  return (
    <OrganizationFrame path="/organization/members">
      {(id, may) => <Member key={`${id} ${userId}`} organizationId={id} userId={userId} may={may} />}
    </OrganizationFrame>
  );
}

function Member({ organizationId, userId, may }: { organizationId: string; userId: string; may: (permission: string) => boolean }) {
  const { t, date } = useTexts();
  const api = useIdentity();
  const me = useMe();
  const mine = useMyRank();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const [removing, setRemoving] = useState(false);
  const [wanted, setWanted] = useState<Role | null>(null);
  const list = membersOf(organizationId);
  const at = { path: { organizationId, userId } } as const;
  const found = useQuery({
    queryKey: [list, userId],
    queryFn: async ({ signal }) => {
      const { email, mfa, lastLoginAt } = await whole(api.get("/api/auth/users/{userId}", { path: { userId }, signal }));
      const named = async (query: { q?: string; role?: Role[] }): Promise<Membership[]> =>
        (
          await whole(
            api.get("/api/auth/organizations/{organizationId}/members", {
              path: { organizationId },
              query: { limit: most, ...query },
              signal,
            }),
          )
        ).items;
      const [same, owners] = await Promise.all([named({ q: email }), named({ role: ["owner"] })]);
      const member = same.find((each) => each.userId === userId);
      return {
        email,
        mfa,
        lastLoginAt,
        member,
        onlyOwner: member?.role === "owner" && owners.filter(({ status }) => status === "active").length < 2,
      };
    },
  });
  usePageName(found.data?.member ? found.data.member.user.displayName || found.data.email || undefined : undefined);
  if (!found.data?.member)
    return found.error || found.data ? (
      <Failed error={found.error ?? { status: 404, code: "not_found" }} retry={() => void found.refetch()} />
    ) : (
      <Waiting skeleton={<Bones lines={6} />} />
    );
  const { member, email, mfa, lastLoginAt, onlyOwner } = found.data;
  const name = member.user.displayName || email;
  const self = userId === me.user.id;
  const outranked = !self && mine <= rank(member.role) && !(me.role === "owner" && member.role === "owner");
  const off = outranked
    ? t("members.outranked", { role: t(`role.${member.role}`) })
    : onlyOwner
      ? t("members.lastOwner")
      : self && me.role !== "owner"
        ? t("members.self")
        : undefined;
  const manages = may("members:manage");
  const again = () => client.invalidateQueries({ queryKey: [list] });
  const change = (body: { role?: Role; status?: "active" | "suspended" }, done: string) =>
    void run(
      () => api.patch("/api/auth/organizations/{organizationId}/members/{userId}", { ...at, body, version: member.version }).finally(again),
      done,
    ).then(() => setWanted(null));
  const remove = () => {
    setRemoving(false);
    void run(
      () => api.delete("/api/auth/organizations/{organizationId}/members/{userId}", at).then(again),
      t("members.removed", { name }),
    ).then((done) => done && navigate("/organization/members"));
  };
  return (
    <>
      <Card
        title={name}
        tools={
          <Button component={Link} to={`/permissions?user=${userId}`}>
            {t("members.permissions")}
          </Button>
        }
      >
        <div className={classes["stack"]}>
          <Facts
            list={[
              [t("members.email"), <bdi key="email">{email}</bdi>],
              [
                t("members.status"),
                <Chip key="status" kind={member.status === "active" ? "good" : "warn"}>
                  {t(`membership.${member.status}`)}
                </Chip>,
              ],
              [t("members.joined"), date(member.joinedAt)],
              [t("members.lastLogin"), <When key="login" at={lastLoginAt} />],
              [t("members.factor"), mfa.totp || mfa.passkeys > 0 ? t("members.factorYes") : t("members.factorNo")],
            ]}
          />
          {manages ? (
            <>
              <div className={classes["ends"]}>
                <RoleChoice value={wanted ?? member.role} off={off} onChange={setWanted} />
                {wanted && wanted !== member.role && (
                  <Button
                    variant="filled"
                    loading={busy}
                    onClick={() => change({ role: wanted }, t("members.roleSet", { name, role: t(`role.${wanted}`) }))}
                  >
                    {t("members.setRole")}
                  </Button>
                )}
              </div>
              <div className={page["row"]}>
                <Act
                  off={self ? t("members.selfSuspend") : off}
                  loading={busy}
                  onClick={() =>
                    member.status === "suspended"
                      ? change({ status: "active" }, t("members.restored", { name }))
                      : change({ status: "suspended" }, t("members.suspended", { name }))
                  }
                >
                  {t(member.status === "suspended" ? "members.restore" : "members.suspend")}
                </Act>
                <Act off={off} color="red" onClick={() => setRemoving(true)}>
                  {t("members.remove")}
                </Act>
              </div>
            </>
          ) : (
            <Facts list={[[t("members.role"), t(`role.${member.role}`)]]} />
          )}
        </div>
      </Card>
      {manages && !self && <Help userId={userId} name={name} off={outranked ? off : undefined} />}
      {may("sessions:read") && <SignIns userId={userId} name={name} organizationId={organizationId} off={outranked ? off : undefined} />}
      <Confirm
        open={removing}
        title={t("members.removeTitle", { name })}
        text={t("members.removeText")}
        act={t("members.remove")}
        onClose={() => setRemoving(false)}
        onConfirm={remove}
      />
    </>
  );
}

/** For somebody who does not get in any more. Nobody sees or sets another's password. */
function Help({ userId, name, off }: { userId: string; name: string; off: string | undefined }) {
  const { t } = useTexts();
  const api = useIdentity();
  const { busy, run } = useDeed();
  const [asking, setAsking] = useState(false);
  const path = { userId };
  return (
    <Card title={t("help.title")} text={t("help.text", { name })}>
      <div className={page["row"]}>
        <Act
          off={off}
          loading={busy}
          onClick={() =>
            void run(
              () => api.post("/api/auth/users/{userId}/password-reset", { path, body: { revokeSessions: false } }),
              t("help.sent", { name }),
            )
          }
        >
          {t("help.password")}
        </Act>
        <Act
          off={off}
          loading={busy}
          onClick={() =>
            void run(() => api.patch("/api/auth/users/{userId}/security", { path, body: { unlock: true } }), t("help.unlocked", { name }))
          }
        >
          {t("help.unlock")}
        </Act>
        <Act off={off} color="red" onClick={() => setAsking(true)}>
          {t("help.factors")}
        </Act>
      </div>
      <Confirm
        open={asking}
        title={t("help.factorsTitle", { name })}
        text={t("help.factorsText")}
        act={t("help.factors")}
        onClose={() => setAsking(false)}
        onConfirm={() => (
          setAsking(false),
          void run(
            () => api.patch("/api/auth/users/{userId}/security", { path, body: { resetMfa: true } }),
            t("help.factorsDone", { name }),
          )
        )}
      />
    </Card>
  );
}

function SignIns({ userId, name, organizationId, off }: { userId: string; name: string; organizationId: string; off: string | undefined }) {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const [asking, setAsking] = useState(false);
  const path = `/api/auth/users/${userId}/sessions`;
  const sessions = useQuery({
    queryKey: [path],
    queryFn: async ({ signal }) =>
      (await whole(api.get("/api/auth/users/{userId}/sessions", { path: { userId }, query: { organizationId, limit: most }, signal })))
        .items,
  });
  const again = () => client.invalidateQueries({ queryKey: [path] });
  const count = sessions.data?.length ?? 0;
  const endAll = () => {
    setAsking(false);
    void run(
      () => api.delete("/api/auth/users/{userId}/sessions", { path: { userId }, query: { organizationId } }).then(again),
      t("sessions.allEnded"),
    );
  };
  return (
    <Card
      title={t("sessions.of")}
      tools={
        count > 0 && (
          <Act off={off} color="red" loading={busy} onClick={() => setAsking(true)}>
            {t("sessions.endAll")}
          </Act>
        )
      }
    >
      <Rows query={sessions} empty={t("sessions.none")}>
        {(each) => (
          <Row
            key={each.id}
            name={deviceOf(each, t)}
            more={
              <>
                {each.service_id} · {networkOf(each, t)} · <When at={each.lastSeenAt} />
              </>
            }
          >
            <Act
              off={off}
              aria-label={t("sessions.endWhat", { device: deviceOf(each, t) })}
              onClick={() =>
                void run(
                  () => api.delete("/api/auth/users/{userId}/sessions/{sessionId}", { path: { userId, sessionId: each.id } }).then(again),
                  t("sessions.ended", { device: deviceOf(each, t) }),
                )
              }
            >
              {t("sessions.end")}
            </Act>
          </Row>
        )}
      </Rows>
      <Confirm
        open={asking}
        title={t("sessions.endAllTitle", { name })}
        text={t("sessions.endText", { count })}
        act={t("sessions.endAll")}
        onClose={() => setAsking(false)}
        onConfirm={endAll}
      />
    </Card>
  );
}
