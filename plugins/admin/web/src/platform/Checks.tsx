import { useTexts } from "@portico/app-shell";
import { Bones, Card, Note, Waiting } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { Failed, Remarks } from "../parts.tsx";
import { useIdentity, whole } from "../service.ts";
import { useServiceStatus } from "./system.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const lookMilliseconds = 60_000;

/** What identity would have an operator look at: its own checks, and whether what is registered is what the manifests say. */
export function Checks() {
  const { t } = useTexts();
  const api = useIdentity();
  const checks = useQuery({
    queryKey: ["/api/auth/system/self-check"],
    refetchInterval: lookMilliseconds,
    queryFn: ({ signal }) => whole(api.get("/api/auth/system/self-check", { signal })),
  });
  const drift = useDrift();
  const retry = () => void checks.refetch();
  const { data } = checks;
  if (!data) return checks.error ? <Failed error={checks.error} retry={retry} /> : <Waiting skeleton={<Bones lines={3} />} retry={retry} />;
  const open = data.items.filter(({ ok }) => !ok);
  const passed = data.items.length - open.length;
  return (
    <Card title={t("checks.title")} text={t("checks.text")}>
      <div className={classes["stack"]}>
        {data.ok && drift?.length === 0 ? (
          <Note kind="good">{t("checks.fine", { count: passed })}</Note>
        ) : (
          <p className={page["muted"]}>{t("checks.passed", { count: passed })}</p>
        )}
        <Remarks title={t("checks.remedies")} list={open.map(({ id, title, remedy }) => `${title}. ${remedy} (${id})`)} />
        <Remarks title={t("checks.settings")} list={data.misconfigurations.map(({ setting, problem }) => `${setting}: ${problem}`)} />
        <Remarks title={t("checks.services")} list={data.incompleteServices} />
        <Remarks
          title={t("checks.roles")}
          list={data.ineffectivePlatformRoles.map(({ userId, platformRole }) => `${userId}: ${platformRole}`)}
        />
        <Remarks
          title={t("checks.signIns")}
          list={data.powerlessSignIns.map(({ userId, sessionId, reason }) =>
            t("checks.signIn", { user: userId, signIn: sessionId, reason }),
          )}
        />
        <Remarks
          title={t("checks.deletions")}
          list={data.waitingDeletions.map(({ userId, waitingFor }) => t("checks.waits", { user: userId, services: waitingFor.join(", ") }))}
        />
        <Remarks title={t("checks.drift")} list={drift ?? []} />
      </div>
    </Card>
  );
}

/** How the registry differs from the manifests of the services that run, in sentences; `undefined` until it is read. */
function useDrift(): readonly string[] | undefined {
  const { t } = useTexts();
  const api = useIdentity();
  const services = useServiceStatus().data?.map(({ service }) => service);
  const reports = useQuery({
    queryKey: ["/api/auth/services", "drift", ...(services ?? [])],
    enabled: services !== undefined,
    refetchInterval: lookMilliseconds,
    queryFn: ({ signal }) =>
      Promise.all(
        (services ?? []).map(async (service) => ({
          service,
          ...(await whole(api.get("/api/auth/services/{service_id}/drift", { path: { service_id: service }, signal }))),
        })),
      ),
  }).data;
  return reports?.flatMap(({ service, ...report }) =>
    (["missingInDatabase", "missingInManifest", "changed"] as const).flatMap((how) =>
      report[how].map(({ kind, name }) => t(`checks.${how}`, { service, kind, name })),
    ),
  );
}
