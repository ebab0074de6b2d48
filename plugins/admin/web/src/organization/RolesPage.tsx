import { setQuery, useMe, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { allows } from "@portico/auth-client";
import { Bones, Card, Chip, Dialog, Loaded, Note, Unsaved, useDeed, useUi, Waiting } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Choice, Failed, risks } from "../parts.tsx";
import { rank, useIdentity, useReadServices, whole, type Permission, type Role } from "../service.ts";
import { useTitles } from "../permissions/titles.ts";
import { OrganizationFrame } from "./Frame.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** What each role brings along at a service: as the service says it, or as the organization has changed it. */
export default function RolesPage() {
  return (
    <OrganizationFrame path="/organization/roles">
      {(id, may) => <Roles key={id} id={id} mayChange={may("permissions:manage")} />}
    </OrganizationFrame>
  );
}

function Roles({ id, mayChange }: { id: string; mayChange: boolean }) {
  const { t } = useTexts();
  const [chosen] = useAddressQuery("service");
  const { data: services, error, refetch } = useReadServices();
  const [wanted, setWanted] = useState<Wanted>(new Map());
  const service = (services?.find((each) => each.service_id === chosen) ?? services?.[0])?.service_id;
  if (!services && error) return <Failed error={error} retry={() => void refetch()} />;
  if (!services || service === undefined) return <Waiting skeleton={<Bones lines={8} />} />;
  return (
    <>
      <Choice
        label={t("roles.service")}
        value={service}
        off={wanted.size ? t("roles.first") : undefined}
        options={services.map((each) => [each.service_id, each.name] as const)}
        onChange={(to) => setQuery({ service: to })}
      />
      <Matrix key={service} id={id} service={service} mayChange={mayChange} wanted={wanted} onWant={setWanted} />
      <Unsaved when={wanted.size > 0} />
    </>
  );
}

/** What is ticked or not, by `bundle permission`, where that is not as it is read. */
type Wanted = ReadonlyMap<string, boolean>;

interface Bundle {
  readonly id: string;
  readonly roles: readonly Role[];
  /** Changed by the organization. */
  readonly own: boolean;
  /** As they are written: one may stand for many. */
  readonly permissions: readonly string[];
  readonly has: ReadonlySet<string>;
}

function Matrix({
  id,
  service,
  mayChange,
  wanted,
  onWant,
}: {
  id: string;
  service: string;
  mayChange: boolean;
  wanted: Wanted;
  onWant: (wanted: Wanted) => void;
}) {
  const { t } = useTexts();
  const api = useIdentity();
  const { titleOf } = useTitles();
  const client = useQueryClient();
  const me = useMe();
  const { busy, run } = useDeed();
  const { undo } = useUi();
  const [asking, setAsking] = useState(false);
  const key = ["/api/auth/services", service, "roles", id];
  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const path = { service_id: service };
      const [bundles, named] = await Promise.all([
        whole(api.get("/api/auth/services/{service_id}/role-bundles", { path, query: { organizationId: id }, signal })),
        whole(api.get("/api/auth/services/{service_id}/permissions", { path, signal })),
      ]);
      const permissions = named.items as Permission[];
      return {
        permissions,
        // The least first.
        bundles: bundles.items
          .map((each): Bundle => ({
            id: each.id,
            roles: each.roles,
            own: Boolean(each.organizationId),
            permissions: each.permissions,
            has: new Set(permissions.map(({ permission }) => permission).filter((one) => allows(each.permissions, one))),
          }))
          .sort((a, b) => rank(a.roles[0] ?? "") - rank(b.roles[0] ?? "")),
      };
    },
    select: ({ permissions, bundles }) => ({ bundles, permissions: permissions.map((each) => ({ ...each, title: titleOf(each) })) }),
  });
  const operator = (me.answer["user"] as { platformRole?: unknown }).platformRole;
  const outranked = ({ roles }: Bundle) =>
    !operator && roles.some((role) => rank(me.role) <= rank(role) && !(me.role === "owner" && role === "owner"));
  const nameOf = ({ roles }: Bundle) => roles.map((role) => t(`role.${role}`)).join(", ");
  const again = () => client.invalidateQueries({ queryKey: key });
  const has = (bundle: Bundle, permission: string) => wanted.get(`${bundle.id} ${permission}`) ?? bundle.has.has(permission);
  const without = (bundle: Bundle) => new Map([...wanted].filter(([each]) => !each.startsWith(`${bundle.id} `)));
  const at = (bundle: Bundle) => ({ path: { service_id: service, bundleId: bundle.id }, query: { organizationId: id } });
  const put = (bundle: Bundle, permissions: readonly string[]) =>
    api.put("/api/auth/services/{service_id}/role-bundles/{bundleId}", { ...at(bundle), body: { permissions: [...permissions] } });
  const save = (bundles: readonly Bundle[], permissions: readonly string[]) => {
    setAsking(false);
    const writes = async () => {
      for (const each of bundles)
        await put(
          each,
          permissions.filter((one) => has(each, one)),
        );
    };
    // What could not be saved stays as it is ticked.
    void run(() => writes().finally(again), t("roles.saved")).then((done) => done && onWant(new Map()));
  };
  const reset = (bundle: Bundle) =>
    void run(async () => {
      await api.delete("/api/auth/services/{service_id}/role-bundles/{bundleId}", at(bundle));
      onWant(without(bundle));
      undo.push({ text: t("roles.isReset", { role: nameOf(bundle) }), undo: () => put(bundle, bundle.permissions).then(again) });
      await again();
    });
  const toggle = (bundle: Bundle, permission: string) => {
    const next = new Map(wanted);
    if (!next.delete(`${bundle.id} ${permission}`)) next.set(`${bundle.id} ${permission}`, !bundle.has.has(permission));
    onWant(next);
  };
  return (
    <Card title={t("roles.title")} text={t(mayChange ? "roles.text" : "roles.textRead")}>
      <Loaded query={query} lines={10}>
        {({ permissions, bundles }) =>
          permissions.length === 0 ? (
            <p className={page["muted"]}>{t("roles.none")}</p>
          ) : (
            <div className={classes["stack"]}>
              <div className={classes["scroll"]} role="region" aria-label={t("roles.permission")} tabIndex={0}>
                <table className={`${classes["table"]} ${classes["matrix"]}`}>
                  <thead>
                    <tr>
                      <th scope="col">{t("roles.permission")}</th>
                      {bundles.map((each) => (
                        <th key={each.id} scope="col">
                          {nameOf(each)}
                          {each.own && <Chip kind="warn">{t("roles.own")}</Chip>}
                          {mayChange && outranked(each) && <small>{t("roles.outranked")}</small>}
                          {mayChange && each.own && !outranked(each) && (
                            <Button size="compact-sm" disabled={busy} onClick={() => reset(each)}>
                              {t("roles.reset")}
                            </Button>
                          )}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {permissions.map(({ permission, title, risk }) => (
                      <tr key={permission}>
                        <th scope="row">
                          {title} {risk !== "low" && <Chip kind={risks[risk]}>{t(`risk.${risk}`)}</Chip>}
                        </th>
                        {bundles.map((each) => (
                          <td key={each.id}>
                            <input
                              type="checkbox"
                              aria-label={`${nameOf(each)}: ${title}`}
                              checked={has(each, permission)}
                              disabled={!mayChange || outranked(each) || busy}
                              onChange={() => toggle(each, permission)}
                            />
                          </td>
                        ))}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              {wanted.size > 0 && (
                <span className={page["row"]}>
                  <Button variant="filled" loading={busy} onClick={() => setAsking(true)}>
                    {t("roles.review")}
                  </Button>
                  <Button onClick={() => onWant(new Map())}>{t("roles.discard")}</Button>
                </span>
              )}
              <Dialog
                open={asking}
                title={t("roles.ask")}
                onClose={() => setAsking(false)}
                actions={
                  <Button
                    variant="filled"
                    onClick={() =>
                      save(
                        bundles.filter((each) => wanted.size > without(each).size),
                        permissions.map(({ permission }) => permission),
                      )
                    }
                  >
                    {t("roles.save")}
                  </Button>
                }
              >
                <div className={classes["stack"]}>
                  {bundles.map((each) => {
                    const words = (which: (permission: string) => boolean) =>
                      permissions
                        .filter(({ permission }) => which(permission))
                        .map(({ title }) => title)
                        .join(", ");
                    const [more, less] = [
                      words((one) => has(each, one) && !each.has.has(one)),
                      words((one) => !has(each, one) && each.has.has(one)),
                    ];
                    return (
                      <div key={each.id}>
                        {more && <p>{t("roles.more", { role: nameOf(each), what: more })}</p>}
                        {less && <p>{t("roles.less", { role: nameOf(each), what: less })}</p>}
                      </div>
                    );
                  })}
                  <Note>{t("roles.note")}</Note>
                </div>
              </Dialog>
            </div>
          )
        }
      </Loaded>
    </Card>
  );
}
