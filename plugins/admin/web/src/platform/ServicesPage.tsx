import { useCan, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Act, Bones, Card, Chip, Confirm, Copied, Facts, Note, Waiting } from "@portico/ui";
import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { Failed, Remarks, When } from "../parts.tsx";
import { Checks } from "./Checks.tsx";
import { PlatformFrame, Steps } from "./Frame.tsx";
import { LastHour } from "./Load.tsx";
import { useStates } from "./states.ts";
import { useBackups, useInstalled, useOperation, useServiceStatus, useStatus, useSystem, type ServiceStatus } from "./system.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** What must never be switched off from here: nobody could switch it on again from here. */
const needed = new Set(["identity", "admin"]);
const good = new Set(["serving", "active"]);

/** The host and its services, and what can be done with them. */
export default function ServicesPage() {
  const { t } = useTexts();
  const api = useSystem();
  const operates = useCan("system:operate");
  const operation = useOperation();
  const services = useServiceStatus();
  const [off, setOff] = useState("");
  const act = (service: string, what: "reload" | "enable" | "disable") =>
    void operation.begin(() =>
      api.post(`/api/system/services/{service}/${what}` as "/api/system/services/{service}/reload", { path: { service } }),
    );
  const retry = () => void services.refetch();
  return (
    <PlatformFrame>
      <Steps operation={operation} />
      <Host operates={operates} operation={operation} />
      <LastHour />
      {!services.data &&
        (services.error ? <Failed error={services.error} retry={retry} /> : <Waiting skeleton={<Bones lines={10} />} retry={retry} />)}
      {services.data && (
        <Card title={t("services.title")}>
          {services.data.map((each) => (
            <section key={each.service} className={classes["service"]} aria-label={each.service}>
              <Service service={each} />
              {operates && (
                <span className={classes["acts"]}>
                  {each.enabled && (
                    <Button
                      disabled={operation.busy}
                      aria-label={t("services.reloadWhat", { service: each.service })}
                      leftSection={<RefreshCw size={16} aria-hidden />}
                      onClick={() => act(each.service, "reload")}
                    >
                      {t("services.reload")}
                    </Button>
                  )}
                  {each.enabled && each.status !== "quarantined" ? (
                    <Act
                      off={needed.has(each.service) ? t("services.needed") : undefined}
                      color="red"
                      aria-label={t("services.disableWhat", { service: each.service })}
                      onClick={() => setOff(each.service)}
                    >
                      {t("services.disable")}
                    </Act>
                  ) : (
                    <Button disabled={operation.busy} variant="filled" onClick={() => act(each.service, "enable")}>
                      {t(each.status === "quarantined" ? "services.lift" : "services.enable")}
                    </Button>
                  )}
                </span>
              )}
            </section>
          ))}
        </Card>
      )}
      <Checks />
      <HostDetails />
      <Confirm
        open={off !== ""}
        title={t("services.disableTitle", { service: off })}
        text={t("services.disableText")}
        act={t("services.disable")}
        onClose={() => setOff("")}
        onConfirm={() => (act(off, "disable"), setOff(""))}
      />
    </PlatformFrame>
  );
}

/** What is wrong with the host now, and what to do with it as a whole. */
function Host({ operates, operation }: { operates: boolean; operation: ReturnType<typeof useOperation> }) {
  const { t, number } = useTexts();
  const say = useStates();
  const api = useSystem();
  const { data, error, refetch } = useStatus();
  const retry = () => void refetch();
  const installed = useInstalled().data;
  const backups = useBackups();
  if (!data) return error ? <Failed error={error} retry={retry} /> : <Waiting skeleton={<Bones lines={5} />} retry={retry} />;
  const failed = backups?.tried && backups.tried !== backups.made ? backups.tried : null;
  const uptime = data.uptimeSeconds;
  const [unit, seconds] =
    uptime < 120
      ? (["second", 1] as const)
      : uptime < 7_200
        ? (["minute", 60] as const)
        : uptime < 172_800
          ? (["hour", 3_600] as const)
          : (["day", 86_400] as const);
  return (
    <Card
      title={t("host.title", { version: data.version })}
      tools={
        operates && (
          <Button disabled={operation.busy} onClick={() => void operation.begin(() => api.post("/api/system/configuration/reload"))}>
            {t("host.configuration")}
          </Button>
        )
      }
    >
      <div className={classes["stack"]}>
        {data.safeMode && <Note kind="bad">{t("host.safeMode")}</Note>}
        {data.restartNeededFor.length > 0 && <Note kind="warn">{t("host.restart", { settings: data.restartNeededFor.join(", ") })}</Note>}
        {failed && (
          <Note kind="bad">
            <p>{t("host.backupFailed")}</p>
            {failed.messages.map((each) => (
              <bdi key={each}>{each}</bdi>
            ))}
          </Note>
        )}
        {installed && <Remarks title={t("host.differs")} list={installed.differences.map(({ service, text }) => `${service}: ${text}`)} />}
        {installed && <Remarks title={t("host.warns")} list={installed.warnings} />}
        <span className={page["row"]}>
          <Chip kind={data.state === "serving" ? "good" : "warn"}>{say(data.state)}</Chip>
          <span className={page["muted"]}>
            {t("host.since", { time: number(Math.floor(uptime / seconds), { style: "unit", unit, unitDisplay: "long" }) })}
          </span>
        </span>
      </div>
    </Card>
  );
}

/** Where the host keeps its data and listens, and the commands for what is done on the host itself. */
function HostDetails() {
  const { t, bytes } = useTexts();
  const { data } = useStatus();
  const backups = useBackups();
  if (!data) return null;
  return (
    <Card title={t("host.details")}>
      <div className={classes["stack"]}>
        <Facts
          list={[
            [t("host.memory"), bytes(data.residentKiB * 1_024)],
            [t("host.database"), data.database.replace(/^sqlite:$/, "SQLite")],
            [
              t("host.state"),
              <span key="store">
                {data.stateStore} {!data.stateStoreAnswers && <Chip kind="bad">{t("host.silent")}</Chip>}
              </span>,
            ],
            [
              t("host.lastBackup"),
              backups &&
                (backups.made ? (
                  <span key="backup">
                    <When at={backups.made.endedAt} />{" "}
                    {backups.made.messages.map((each) => (
                      <bdi key={each}> {each}</bdi>
                    ))}
                  </span>
                ) : (
                  t("host.noBackup")
                )),
            ],
          ]}
        />
        <details className={classes["wide"]}>
          <summary>{t("host.listeners", { count: data.listeners.length })}</summary>
          <table className={classes["table"]}>
            <thead>
              <tr>
                <th scope="col">{t("host.address")}</th>
                <th scope="col">{t("host.serves")}</th>
              </tr>
            </thead>
            <tbody>
              {data.listeners.map(({ address, serves }) => (
                <tr key={address}>
                  <td>
                    <code>{address}</code>
                  </td>
                  <td>{serves}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
        <details>
          <summary>{t("host.elsewhere")}</summary>
          <div className={classes["stack"]}>
            <p className={page["muted"]}>{t("host.elsewhereText")}</p>
            <Copied text="porticoctl backup" label={t("host.backup")} />
            <Copied text="porticoctl stop" label={t("host.stop")} />
          </div>
        </details>
      </div>
    </Card>
  );
}

function Service({ service }: { service: ServiceStatus }) {
  const { t, number } = useTexts();
  const say = useStates();
  return (
    <div className={`${classes["stack"]} ${page["grow"]}`}>
      <span className={page["row"]}>
        <h3 className={classes["rowName"]}>{service.service}</h3>
        <Chip kind={good.has(service.status) ? "good" : service.enabled ? "bad" : "plain"}>{say(service.status)}</Chip>
        <span className={`${page["muted"]} ${classes["broken"]}`}>
          {service.version} · {t("services.routes", { count: service.routes })}{" "}
          {service.origin && (
            <>
              {" "}
              · <bdi>{service.origin}</bdi>
            </>
          )}
        </span>
      </span>
      {service.note && <Note kind="warn">{service.note}</Note>}
      {service.retrySeconds !== null && <p className={page["muted"]}>{t("services.retry", { count: service.retrySeconds })}</p>}
      {service.generations.length > 0 && (
        <details className={classes["wide"]}>
          <summary className={page["more"]}>{t("services.copies", { count: service.generations.length })}</summary>
          <div
            className={classes["scroll"]}
            tabIndex={0}
            role="region"
            aria-label={t("services.generations", { service: service.service })}
          >
            <table className={classes["table"]}>
              <thead>
                <tr>
                  {["number", "version", "state", "provenance", "since", "inFlight", "sha256", "reason"].map((each) => (
                    <th key={each} scope="col">
                      {t(`generation.${each}`)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {service.generations.map((each) => (
                  <tr key={each.number}>
                    <td className={page["number"]}>{number(each.number)}</td>
                    <td>{each.version}</td>
                    <td>{say(each.state)}</td>
                    <td>{each.provenance}</td>
                    <td>
                      <When at={each.since} />
                    </td>
                    <td className={page["number"]}>{number(each.inFlight)}</td>
                    <td>
                      <code title={each.sha256}>{each.sha256.slice(0, 12)}</code>
                    </td>
                    <td>{each.reason}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </div>
  );
}
