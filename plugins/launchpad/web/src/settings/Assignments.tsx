import { useCan, useTexts } from "@portico/app-shell";
import { Card, Loaded, useDeed } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { AppIcon } from "../parts.tsx";
import { most, useLaunchpad, useReload, type Assignment, type CatalogEntry } from "../service.ts";
import { PersonRules } from "./PersonRules.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const modes = ["required", "optional", "blocked"] as const;
const subjects = ["everyone", "guest", "member", "admin", "super_admin", "owner"] as const;
type Subject = (typeof subjects)[number];
const strength = { blocked: 3, required: 2, optional: 1 } as const;

/** Which apps are required, offered or blocked, for whom; below, what follows for each role and why. */
export function Assignments({ apps }: { apps: readonly CatalogEntry[] }) {
  const { t } = useTexts();
  const api = useLaunchpad();
  const reload = useReload();
  const may = useCan("assignments:manage");
  const { busy, run } = useDeed();
  const query = useQuery({
    queryKey: ["/api/assignments"],
    queryFn: async ({ signal }) => (await api.get("/api/assignments", { query: { limit: most }, signal })).items,
  });
  const set = (found: Assignment | undefined, service_id: string, subject: Subject, mode: Assignment["mode"] | "") =>
    void run(async () => {
      try {
        if (!found && mode)
          await api.post("/api/assignments", {
            body: { service_id, subject: subject === "everyone" ? { type: "everyone" } : { type: "role", id: subject }, mode },
          });
        else if (found && mode)
          await api.patch("/api/assignments/{id}", { path: { id: found.id }, body: { mode }, version: found.version });
        else if (found) await api.delete("/api/assignments/{id}", { path: { id: found.id } });
      } finally {
        await reload();
      }
    }, t("assign.saved"));
  return (
    <Card title={t("assign.title")} text={t("assign.text")}>
      <Loaded query={query} lines={6}>
        {(rules) => (
          <>
            <div className={classes["scroll"]} tabIndex={0} role="region" aria-label={t("assign.table")}>
              <table className={classes["table"]}>
                <thead>
                  <tr>
                    <th scope="col">{t("assign.app")}</th>
                    {subjects.map((each) => (
                      <th key={each} scope="col">
                        {t(`subject.${each}`)}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {apps.map((app) => (
                    <tr key={app.service_id}>
                      <th scope="row">
                        <span className={classes["app"]}>
                          <AppIcon app={app} size="small" /> <bdi>{app.name}</bdi>
                        </span>
                      </th>
                      {subjects.map((each) => {
                        const found = rules.find(
                          ({ service_id, subject }) =>
                            service_id === app.service_id &&
                            (subject.type === "everyone" ? each === "everyone" : subject.type === "role" && subject.id === each),
                        );
                        return (
                          <td key={each} title={reasonOf(rules, app.service_id, each, t)}>
                            <select
                              aria-label={t("assign.cell", { app: app.name, subject: t(`subject.${each}`) })}
                              value={found?.mode ?? ""}
                              disabled={busy || !may}
                              onChange={(event) => set(found, app.service_id, each, event.currentTarget.value as Assignment["mode"])}
                            >
                              <option value="">{t("assign.none")}</option>
                              {modes.map((mode) => (
                                <option key={mode} value={mode}>
                                  {t(`mode.${mode}`)}
                                </option>
                              ))}
                            </select>
                            {each !== "everyone" && <small className={page["more"]}>{reasonOf(rules, app.service_id, each, t)}</small>}
                          </td>
                        );
                      })}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <PersonRules rules={rules} apps={apps} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

/** Which rule decides for a role where it is not its own: the strongest of all that match. `everyone` excludes guests. */
function reasonOf(
  rules: readonly Assignment[],
  service: string,
  role: Subject,
  t: (key: string, values?: Record<string, string>) => string,
): string {
  const own = rules.find(({ service_id, subject }) => service_id === service && subject.type === "role" && subject.id === role);
  const all = role === "guest" ? undefined : rules.find(({ service_id, subject }) => service_id === service && subject.type === "everyone");
  if (!all || role === "everyone") return "";
  if (own && strength[own.mode] >= strength[all.mode]) return "";
  return t("assign.because", { mode: t(`mode.${all.mode}`), subject: t("subject.everyone") });
}
