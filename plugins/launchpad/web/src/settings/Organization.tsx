import { useCan, useMe, useTexts } from "@portico/app-shell";
import { Card, Empty, Form, instantOf, Loaded, localOf, useDeed } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Building2, Lock } from "lucide-react";
import { LaunchLink, When } from "../parts.tsx";
import { useCatalog, useLaunchpad, type CatalogEntry, type OrgSettings } from "../service.ts";
import { Assignments } from "./Assignments.tsx";
import { OrderAndPins } from "./OrderAndPins.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const settingsKey = ["/api/org-settings"];
const unusedDays = 30;
const longestAnnouncement = 500;

/** What administrators decide about apps for all members. */
export default function Organization() {
  const { t } = useTexts();
  const { context } = useMe();
  const sees = useCan("settings:read");
  const seesAssignments = useCan("assignments:read");
  const seesLaunches = useCan("launches:read");
  const mayInstall = useCan("apps:install");
  const catalog = useCatalog();
  if (context === "personal") return <Empty icon={Building2} title={t("org.personal")} text={t("org.personalText")} />;
  if (!sees) return <Empty icon={Lock} title={t("org.mayNot")} text={t("org.mayNotText")} />;
  return (
    <>
      <Rules apps={catalog.data ?? []} />
      {seesAssignments && <Loaded query={catalog}>{(apps) => <Assignments apps={apps} />}</Loaded>}
      {seesLaunches && mayInstall && <Loaded query={catalog}>{(apps) => <Unused apps={apps} />}</Loaded>}
      <Card title={t("org.people")} text={t("org.peopleText")}>
        <LaunchLink service="admin" returnTo="/organization">
          {t("org.openAdmin")}
        </LaunchLink>
      </Card>
    </>
  );
}

/** Saves members of the settings; the version refuses what another administrator has changed in the meantime. */
export function useSaveSettings(): (part: Partial<OrgSettings>, version: number) => Promise<unknown> {
  const api = useLaunchpad();
  const client = useQueryClient();
  return async (part, version) => {
    try {
      client.setQueryData(settingsKey, await api.put("/api/org-settings", { body: part, version }));
    } catch (error) {
      void client.invalidateQueries({ queryKey: settingsKey });
      throw error;
    }
  };
}

function Rules({ apps }: { apps: readonly CatalogEntry[] }) {
  const { t, zone } = useTexts();
  const api = useLaunchpad();
  const may = useCan("settings:manage");
  const save = useSaveSettings();
  const { busy, run } = useDeed();
  const query = useQuery({ queryKey: settingsKey, queryFn: ({ signal }) => api.get("/api/org-settings", { signal }) });
  return (
    <Loaded query={query} lines={8}>
      {(settings) => {
        const change = (part: Partial<OrgSettings>) => void run(() => save(part, settings.version), t("org.saved"));
        const { announcement } = settings;
        const lastDay = localOf(announcement?.until ?? "", zone).slice(0, 10);
        return (
          <>
            <Card title={t("org.rules")}>
              <div className={classes["stack"]}>
                <Rule
                  label={t("org.allowRequests")}
                  hint={t("org.allowRequestsHint")}
                  checked={settings.allowRequests}
                  off={busy || !may}
                  onChange={(allowRequests) => change({ allowRequests })}
                />
                <Rule
                  label={t("org.allowPersonal")}
                  hint={t("org.allowPersonalHint")}
                  checked={settings.allowPersonalInstalls}
                  off={busy || !may}
                  onChange={(allowPersonalInstalls) => change({ allowPersonalInstalls })}
                />
              </div>
            </Card>
            <OrderAndPins apps={apps} settings={settings} off={!may} onChange={change} />
            <Card title={t("org.announcement")} text={t("org.announcementText")}>
              <Form
                stays
                initial={{ text: announcement?.text ?? "", until: lastDay }}
                schema={{
                  properties: { text: { type: "string", maxLength: longestAnnouncement }, until: { type: "string", format: "date" } },
                }}
                fields={[
                  { name: "text", label: t("org.announcementWords"), kind: "multiline", ...(!may && { off: t("org.mayNotText") }) },
                  {
                    name: "until",
                    label: t("org.announcementUntil"),
                    kind: "date",
                    hint: t("org.announcementHint"),
                    ...(!may && { off: t("org.mayNotText") }),
                  },
                ]}
                submit={({ text, until }) =>
                  save(
                    {
                      announcement: text.trim()
                        ? {
                            text: text.trim(),
                            // A new last day ends in the zone in which this page shows it.
                            until: until === lastDay ? (announcement?.until ?? null) : instantOf(`${until}T23:59`, zone) || null,
                          }
                        : null,
                    },
                    settings.version,
                  )
                }
              />
            </Card>
          </>
        );
      }}
    </Loaded>
  );
}

function Rule({
  label,
  hint,
  checked,
  off,
  onChange,
}: {
  label: string;
  hint: string;
  checked: boolean;
  off: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label className={page["check"]}>
      <input type="checkbox" checked={checked} disabled={off} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>
        {label}
        <small>{hint}</small>
      </span>
    </label>
  );
}

/** Lists apps without a launch in the last month, and the launches of the other apps. */
function Unused({ apps }: { apps: readonly CatalogEntry[] }) {
  const { t } = useTexts();
  const api = useLaunchpad();
  const query = useQuery({
    queryKey: ["/api/launches/summary"],
    queryFn: ({ signal }) => api.get("/api/launches/summary", { query: { days: unusedDays }, signal }),
  });
  const nameOf = (id: string) => apps.find(({ service_id }) => service_id === id)?.name ?? id;
  return (
    <Card title={t("unused.title", { count: unusedDays })} text={t("unused.text")}>
      <Loaded query={query} lines={3}>
        {({ unused, byService }) => (
          <>
            {unused.length === 0 && <p className={page["muted"]}>{t("unused.none")}</p>}
            <ul className={page["plain"]}>
              {unused.map((id) => (
                <li key={id}>
                  <bdi className={page["grow"]}>{nameOf(id)}</bdi>
                  <span className={page["muted"]}>{t("unused.never")}</span>
                </li>
              ))}
              {byService.map((each) => (
                <li key={each.service_id}>
                  <bdi className={page["grow"]}>{nameOf(each.service_id)}</bdi>
                  <span className={page["muted"]}>
                    {t("unused.used", { launches: each.launches, users: each.users })} · <When at={each.lastAt} />
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Card>
  );
}
