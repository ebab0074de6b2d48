import { allows } from "@portico/auth-client";
import { setQuery, useAuth, useMe, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Bones, Chip, Note, SidePanel, useDeed, Waiting } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Failed } from "../parts.tsx";
import { rank, useIdentity, useRights, whole, type Explanation, type Role } from "../service.ts";
import { titleOf, type ServiceCatalog } from "./catalog.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** Explains a right beside the page, `?permission=` of the address: whether the person has it, the checks in their order, and the smallest change. */
export function Why({
  userId,
  name,
  self,
  catalog,
}: {
  userId: string;
  name: string;
  self: boolean;
  catalog: readonly ServiceCatalog[] | undefined;
}) {
  const [permission] = useAddressQuery("permission");
  return (
    <SidePanel
      open={permission !== null}
      title={permission ? titleOf(catalog, permission) : ""}
      onClose={() => setQuery({ permission: null })}
    >
      {permission && (
        <div className={classes["stack"]}>
          <Answer key={`${userId} ${permission}`} userId={userId} name={name} self={self} permission={permission} catalog={catalog} />
        </div>
      )}
    </SidePanel>
  );
}

function Answer({
  userId,
  name,
  self,
  permission,
  catalog,
}: {
  userId: string;
  name: string;
  self: boolean;
  permission: string;
  catalog: readonly ServiceCatalog[] | undefined;
}) {
  const { t, has } = useTexts();
  const api = useIdentity();
  const { organizationId, revision } = useMe();
  const { data, error, refetch } = useQuery({
    queryKey: ["/api/auth/users", userId, "explain", permission, organizationId, revision],
    queryFn: ({ signal }) =>
      whole(
        api.get("/api/auth/users/{userId}/permissions/explain", { path: { userId }, query: { permission }, signal }),
      ) as Promise<Explanation>,
  });
  const retry = () => void refetch();
  if (!data) return error ? <Failed error={error} retry={retry} /> : <Waiting skeleton={<Bones lines={4} />} retry={retry} />;
  const title = titleOf(catalog, permission);
  const because = `decided.${data.decidedBy}`;
  const effects = data.chain.map(({ effect }) => effect);
  const decided = data.allowed ? effects.lastIndexOf("allow") : effects.includes("deny") ? effects.lastIndexOf("deny") : effects.length - 1;
  const service =
    catalog?.find((each) => permission.startsWith(`${each.service.service_id}.`))?.service.name ?? permission.split(".")[0] ?? "";
  const linkOf = ({ source, effect, detail }: Explanation["chain"][number]) => {
    const key = `chain.${source}.${effect}`;
    return has(key) ? t(key, { service, name, detail }) : detail;
  };
  return (
    <>
      <Note kind={data.allowed ? "good" : "bad"} alert>
        <p className={classes["big"]}>{t(data.allowed ? "why.may" : "why.mayNot", { name: self ? t("why.you") : name, title })}</p>
        <p>{has(because) ? t(because) : data.decidedBy}</p>
      </Note>
      <ol className={classes["chain"]}>
        {data.chain.map((link, at) => (
          <li key={at} data-decided={at === decided || undefined}>
            <Chip kind={link.effect === "allow" ? "good" : link.effect === "deny" ? "bad" : "plain"}>{t(`effect.${link.effect}`)}</Chip>
            <span>{linkOf(link)}</span>
          </li>
        ))}
      </ol>
      {data.smallestChange.length > 0 && (
        <Changes userId={userId} name={name} self={self} explanation={data} title={title} catalog={catalog} />
      )}
    </>
  );
}

/** The smallest changes: of one step each is enough, one of every step is needed. Who may make one gets it as a button. */
function Changes({
  userId,
  name,
  self,
  explanation,
  title,
  catalog,
}: {
  userId: string;
  name: string;
  self: boolean;
  explanation: Explanation;
  title: string;
  catalog: readonly ServiceCatalog[] | undefined;
}) {
  const { t, has } = useTexts();
  const api = useIdentity();
  const auth = useAuth();
  const client = useQueryClient();
  const { organizationId, role, organizations, answer } = useMe();
  const may = useRights();
  const { busy, run } = useDeed();
  const operator = (answer["user"] as { platformRole?: unknown }).platformRole !== null;
  const leads = operator || rank(role) >= rank("admin");
  const path = { userId };
  const all =
    catalog
      ?.find((each) => explanation.permission.startsWith(`${each.service.service_id}.`))
      ?.permissions.map(({ permission }) => permission) ?? [];
  const again = () => client.invalidateQueries();
  type Change = Explanation["smallestChange"][number];
  const deedOf = (change: Change): (() => Promise<unknown>) | null => {
    const organization = organizationId ?? "";
    switch (change.type) {
      case "add_override":
        return !self && leads
          ? () =>
              api.put("/api/auth/users/{userId}/permission-overrides", {
                path,
                body: { permission: explanation.permission, effect: "allow", reason: t("why.reason") },
              })
          : null;
      case "remove_override":
        return !self && leads && change.overrideId
          ? () => api.delete("/api/auth/users/{userId}/permission-overrides/{id}", { path: { userId, id: change.overrideId ?? "" } })
          : null;
      case "raise_role":
        return !self && may?.("members:manage") && rank(change.to ?? "owner") <= (operator ? rank("owner") : rank(role))
          ? () =>
              api.patch("/api/auth/organizations/{organizationId}/members/{userId}", {
                path: { organizationId: organization, userId },
                body: { role: change.to as Role },
              })
          : null;
      case "activate_membership":
        return !self && may?.("members:manage")
          ? () =>
              api.patch("/api/auth/organizations/{organizationId}/members/{userId}", {
                path: { organizationId: organization, userId },
                body: { status: "active" },
              })
          : null;
      case "enable_service":
        return operator && organizationId && change.service_id
          ? () =>
              api.put("/api/auth/organizations/{id}/service-access/{service_id}", {
                path: { id: organization, service_id: change.service_id ?? "" },
                body: { status: "active" },
              })
          : null;
      case "switch_context": {
        const first = organizations[0];
        if (!self) return null;
        return change.to === "personal"
          ? () => auth.switchContext({ kind: "personal" })
          : first
            ? () => auth.switchContext({ kind: "organization", organizationId: first.id })
            : null;
      }
      default:
        return null;
    }
  };
  const wordsOf = (change: Change) => {
    const key = `change.${change.type}`;
    const service = catalog?.find((each) => each.service.service_id === change.service_id)?.service.name ?? change.service_id;
    return has(key)
      ? t(key, { title, name, role: change.to && has(`role.${change.to}`) ? t(`role.${change.to}`) : (change.to ?? ""), service })
      : change.type;
  };
  return (
    <div className={`${classes["stack"]} ${classes["wide"]}`}>
      <p className={classes["big"]}>{t("why.changes")}</p>
      <ul className={page["plain"]}>
        {explanation.smallestChange.map((change, at) => {
          const deed = deedOf(change);
          return (
            <li key={at}>
              <span className={page["grow"]}>
                <span>{wordsOf(change)}</span>
                {change.type === "raise_role" && (
                  <Opened userId={userId} permission={explanation.permission} role={change.to ?? ""} all={all} />
                )}
              </span>
              {deed ? (
                <Button loading={busy} onClick={() => void run(() => deed().then(again), t("why.done"))}>
                  {t(`changeAct.${change.type}`)}
                </Button>
              ) : (
                <span className={page["muted"]}>{t("why.somebody")}</span>
              )}
            </li>
          );
        })}
      </ul>
      {organizationId && !leads && <p className={page["muted"]}>{t("why.ask")}</p>}
    </div>
  );
}

/** What else a higher role would open at the service, as a number. */
function Opened({ userId, permission, role, all }: { userId: string; permission: string; role: string; all: readonly string[] }) {
  const { t } = useTexts();
  const api = useIdentity();
  const service = permission.split(".")[0] ?? "";
  const { data } = useQuery({
    queryKey: ["/api/auth/users", userId, "opened", service, role],
    queryFn: async ({ signal }) => {
      const [bundles, now] = await Promise.all([
        whole(api.get("/api/auth/services/{service_id}/role-bundles", { path: { service_id: service }, signal })),
        whole(api.get("/api/auth/users/{userId}/permissions", { path: { userId }, query: { service_id: service }, signal })),
      ]);
      const given = (bundles.items as readonly { roles: readonly string[]; permissions: readonly string[] }[])
        .filter(({ roles: of }) => of.includes(role))
        .flatMap(({ permissions }) => permissions);
      return all.filter((each) => allows(given, each) && !now.effectivePermissions.includes(each) && each !== permission).length;
    },
  });
  return data ? <span className={page["more"]}>{t("why.opens", { count: data })}</span> : null;
}
