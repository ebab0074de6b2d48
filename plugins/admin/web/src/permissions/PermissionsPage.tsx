import { setQuery, useMe, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Bones, Card, Chip, later, Waiting } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { CircleHelp } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Below, Choice, Failed, Filter, Page } from "../parts.tsx";
import { rank, useIdentity, useMembers, whole, type Inspection } from "../service.ts";
import { titleOf, useCatalog, type ServiceCatalog } from "./catalog.ts";
import { Why } from "./Why.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const Overrides = later(() => import("./Overrides.tsx"));

/** The rights of a person by service, and where each comes from. The person, a second one, and the right that is explained are in the address. */
export default function PermissionsPage() {
  const { t } = useTexts();
  const me = useMe();
  const [user] = useAddressQuery("user");
  const [other] = useAddressQuery("other");
  const operator = (me.answer["user"] as { platformRole?: unknown }).platformRole !== null;
  const leads = me.organizationId !== null && (operator || rank(me.role) >= rank("admin"));
  const members = useMembers(leads)?.filter(({ status }) => status === "active");
  const { data: catalog, error, refetch } = useCatalog();
  const [adding, setAdding] = useState(false);
  const userId = leads && user ? user : me.user.id;
  const isRead = useInspection(userId).data !== undefined && catalog !== undefined;
  // What is typed below stays while the rights are read again.
  const [shown, setShown] = useState(false);
  if (isRead && !shown) setShown(true);
  const people = (members ?? []).map((each) => [each.userId, each.user.displayName || (each.user.email ?? each.userId)] as const);
  const nameOf = (id: string) => people.find(([each]) => each === id)?.[1] ?? (id === me.user.id ? me.user.displayName : id);
  if (error)
    return (
      <Page title={t("permissions.title")} text={t("permissions.text")}>
        <Failed error={error} retry={refetch} />
      </Page>
    );
  return (
    <Page title={t("permissions.title")} text={t("permissions.text")}>
      {leads && (
        <div className={classes["ends"]}>
          <Choice
            label={t("permissions.person")}
            value={userId}
            off={adding ? t("overrides.first") : undefined}
            options={people.length ? people : [[userId, nameOf(userId)]]}
            onChange={(id) => setQuery({ user: id === me.user.id ? null : id, other: null })}
          />
          <Choice
            label={t("permissions.other")}
            value={other ?? ""}
            options={[["", t("permissions.nobody")], ...people.filter(([id]) => id !== userId)]}
            onChange={(id) => setQuery({ other: id || null })}
          />
        </div>
      )}
      <Why userId={userId} name={nameOf(userId)} self={userId === me.user.id} catalog={catalog} />
      {leads && other ? (
        <Differences users={[userId, other]} names={[nameOf(userId), nameOf(other)]} catalog={catalog} />
      ) : (
        <Rights userId={userId} catalog={catalog} />
      )}
      {leads && shown && (
        <Below>
          <Overrides
            key={`overrides ${userId}`}
            adding={adding}
            onAdding={setAdding}
            userId={userId}
            name={nameOf(userId)}
            self={userId === me.user.id}
            catalog={catalog}
          />
        </Below>
      )}
    </Page>
  );
}

function useInspection(userId: string) {
  const api = useIdentity();
  const { organizationId, revision } = useMe();
  return useQuery({
    queryKey: ["/api/auth/users", userId, "permissions", organizationId, revision],
    queryFn: ({ signal }) => whole(api.get("/api/auth/users/{userId}/permissions", { path: { userId }, signal })) as Promise<Inspection>,
  });
}

/** The rights of a person by service. They can be searched; those that the person lacks are shown where that is wanted. */
function Rights({ userId, catalog }: { userId: string; catalog: readonly ServiceCatalog[] | undefined }) {
  const { t } = useTexts();
  const { data, error, refetch } = useInspection(userId);
  const [text, setText] = useState("");
  const [all, setAll] = useState(false);
  const retry = () => void refetch();
  if (error) return <Failed error={error} retry={retry} />;
  if (!data || !catalog) return <Waiting skeleton={<Bones lines={10} />} retry={retry} />;
  const held = new Map(data.effectivePermissionEntries.map(({ permission, sources }) => [permission, sources]));
  const denied = new Set(data.deniedEntries.map(({ permission }) => permission));
  const wanted = text.trim().toLocaleLowerCase();
  const fits = (...texts: readonly string[]) => texts.some((each) => each.toLocaleLowerCase().includes(wanted));
  const shown = catalog.flatMap(({ service, permissions }) => {
    const list = permissions.filter(
      ({ permission, title }) => (all || held.has(permission) || denied.has(permission)) && fits(service.name, title, permission),
    );
    const count = permissions.filter(({ permission }) => held.has(permission)).length;
    return list.length ? [{ service, list, count, of: permissions.length }] : [];
  });
  return (
    <>
      <div className={classes["ends"]} role="search">
        <Filter label={t("permissions.search")} value={text} onChange={setText} />
        <label className={page["check"]}>
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />
          <span>{t("permissions.all")}</span>
        </label>
      </div>
      {shown.length === 0 && (
        <Card title={t("permissions.list")}>
          <p className={page["muted"]}>{t(wanted ? "permissions.noMatch" : "permissions.none")}</p>
        </Card>
      )}
      {shown.map(({ service, list, count, of }) => (
        <Card
          key={service.service_id}
          title={service.name}
          tools={<span className={page["muted"]}>{t("permissions.count", { count, all: of })}</span>}
        >
          <ul className={page["plain"]}>
            {list.map(({ permission, title }) => (
              <Right key={permission} permission={permission} title={title}>
                {denied.has(permission) && <Chip kind="bad">{t("permissions.denied")}</Chip>}
                {!denied.has(permission) && !held.has(permission) && <Chip>{t("permissions.lacks")}</Chip>}
                <Sources list={held.get(permission) ?? []} />
              </Right>
            ))}
          </ul>
        </Card>
      ))}
    </>
  );
}

type Source = Inspection["effectivePermissionEntries"][number]["sources"][number];

/** Where a right comes from. */
function Sources({ list }: { list: readonly Source[] }) {
  const { t, has } = useTexts();
  const nameOf = (source: Source) =>
    source.type === "role_bundle" && source.role
      ? t("source.role", { role: t(`role.${source.role}`) })
      : has(`source.${source.type}`)
        ? t(`source.${source.type}`)
        : source.type;
  return list
    .filter(({ type }) => type !== "org_service_access")
    .map((source, at) => (
      <Chip key={at} kind={source.type === "user_override" ? "warn" : "plain"}>
        {nameOf(source)}
      </Chip>
    ));
}

function Right({ permission, title, children }: { permission: string; title: string; children: ReactNode }) {
  const { t } = useTexts();
  return (
    <li>
      <span className={page["grow"]}>
        <bdi className={classes["broken"]}>{title}</bdi>
        <code className={page["more"]}>{permission}</code>
      </span>
      <span className={classes["acts"]}>
        {children}
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<CircleHelp size={14} aria-hidden />}
          aria-label={t("why.of", { title })}
          onClick={() => setQuery({ permission })}
        >
          {t("why.short")}
        </Button>
      </span>
    </li>
  );
}

/** The rights that only one of two people has. */
function Differences({
  users,
  names,
  catalog,
}: {
  users: readonly [string, string];
  names: readonly [string, string];
  catalog: readonly ServiceCatalog[] | undefined;
}) {
  const { t } = useTexts();
  const [first, second] = [useInspection(users[0]).data, useInspection(users[1]).data];
  if (!first || !second || !catalog) return <Waiting skeleton={<Bones lines={10} />} />;
  const [a, b] = [new Set(first.effectivePermissions), new Set(second.effectivePermissions)];
  const sides = [
    [names[0], [...a].filter((each) => !b.has(each))],
    [names[1], [...b].filter((each) => !a.has(each))],
  ] as const;
  return sides.map(([name, list], at) => (
    <Card key={at} title={t("permissions.onlyOne", { name, count: list.length })}>
      {list.length === 0 ? (
        <p className={page["muted"]}>{t("permissions.nothingMore")}</p>
      ) : (
        <ul className={page["plain"]}>
          {list.sort().map((permission) => (
            <li key={permission}>
              <span className={page["grow"]}>
                <span>{titleOf(catalog, permission)}</span>
                <code className={page["more"]}>{permission}</code>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  ));
}
