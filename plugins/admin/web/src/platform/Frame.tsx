import { Link, useTexts } from "@portico/app-shell";
import { Chip, Note } from "@portico/ui";
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore, type ReactNode } from "react";
import { Page } from "../parts.tsx";
import type { Operation, useOperation } from "./system.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** A page of the operator's console, beside the others. */
export function PlatformFrame({ tools, children }: { tools?: ReactNode; children: ReactNode }) {
  const { t } = useTexts();
  const tabs = [
    { to: "/platform", label: t("services.title") },
    { to: "/platform/operations", label: t("operations.title") },
    { to: "/platform/jobs", label: t("jobs.title") },
    { to: "/platform/log", label: t("log.title") },
  ];
  return (
    <Page title={t("platform.title")} text={t("platform.text", { host: location.host })} tabs={tabs} tools={tools} wide>
      <Stale />
      {children}
    </Page>
  );
}

/** What is seen is older than it looks, because the host does not answer, or something else in its place. The log says it itself. */
function Stale() {
  const { t, time } = useTexts();
  const cache = useQueryClient().getQueryCache();
  const olds = () =>
    cache.findAll({
      type: "active",
      predicate: ({ queryKey, state }) =>
        /^\/api\/(auth\/)?system\/(?!log)/.test(String(queryKey[0])) && state.status === "error" && state.data !== undefined,
    });
  const since = useSyncExternalStore(
    (told) => cache.subscribe(told),
    () => Math.min(...olds().map(({ state }) => state.dataUpdatedAt)),
  );
  return (
    Number.isFinite(since) && (
      <Note kind="warn" alert>
        {t("platform.stale", { time: time(since) })}
      </Note>
    )
  );
}

/** How far an operation is, and what came of it, step by step. */
export function Steps({ operation: { progress, close } }: { operation: ReturnType<typeof useOperation> }) {
  const { t } = useTexts();
  if (!progress) return null;
  const failed = progress.result?.operations.find(({ status }) => status !== "done")?.service ?? "";
  const kind = progress.state === "running" ? "plain" : progress.state === "succeeded" ? "good" : "bad";
  return (
    <Note kind={kind} alert>
      <p className={classes["big"]}>{t(`progress.${progress.state}`, { command: progress.command })}</p>
      {progress.state === "running" && <progress aria-label={t("progress.running", { command: progress.command })} />}
      {progress.error && <p>{progress.error.message}</p>}
      {kind === "bad" && (
        <p>
          <Link to={`/platform/log?level=warning&service=${failed}`}>{t("log.ofOperation")}</Link>
        </p>
      )}
      {progress.result?.operations.map((each) => (
        <StepList key={each.id} operation={each} />
      ))}
      {progress.state !== "running" && (
        <Button size="compact-sm" onClick={close}>
          {t("act.done")}
        </Button>
      )}
    </Note>
  );
}

/** The steps of an operation with what each took. */
export function StepList({ operation }: { operation: Operation }) {
  const { t } = useTexts();
  return (
    <ol className={classes["steps"]}>
      {operation.steps.map((each, at) => (
        <li key={at}>
          <Chip kind={each.ok ? "good" : "bad"}>{t(each.ok ? "step.ok" : "step.failed")}</Chip> <bdi>{each.name}</bdi>{" "}
          {each.service && <code>{each.service}</code>} <Took microseconds={each.microseconds} /> {each.detail && <bdi>{each.detail}</bdi>}
        </li>
      ))}
      {operation.messages.map((each) => (
        <li key={each}>
          <bdi>{each}</bdi>
        </li>
      ))}
    </ol>
  );
}

export function Took({ microseconds }: { microseconds: number }) {
  const { number } = useTexts();
  return (
    <span className={page["number"]}>
      {number(microseconds / 1_000, { style: "unit", unit: "millisecond", maximumFractionDigits: microseconds < 10_000 ? 1 : 0 })}
    </span>
  );
}
