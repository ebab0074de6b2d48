import { Link, setQuery, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Bones, Card, Chip, Empty, Note, Waiting } from "@portico/ui";
import { ArrowDown, Pause, Play, ScrollText, X } from "lucide-react";
import { memo, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Choice, Failed } from "../parts.tsx";
import { logOf } from "../log.ts";
import { PlatformFrame } from "./Frame.tsx";
import { useLog, type LogFilter, type LogRecord } from "./log.ts";
import { useServiceStatus } from "./system.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const levels = ["information", "warning", "error"] as const;
const kinds: Readonly<Record<string, "plain" | "warn" | "bad">> = { warning: "warn", error: "bad" };
/** So near to the end of the list it counts as being there. */
const nearPixels = 24;

/** What the host writes into its log, as it does: the newest below. Who scrolls up stays there, until they want to go on. */
export default function LogPage() {
  const { t } = useTexts();
  const services = useServiceStatus().data;
  const [service] = useAddressQuery("service");
  const [level] = useAddressQuery("level");
  const [request] = useAddressQuery("request");
  const filter = useMemo(
    (): LogFilter => ({ service: service ?? "", level: level ?? "", requestId: request ?? "" }),
    [service, level, request],
  );
  return (
    <PlatformFrame>
      <Card title={t("log.title")} text={t("log.text")}>
        <div className={classes["stack"]}>
          <div className={classes["ends"]}>
            <Choice
              label={t("log.service")}
              value={filter.service}
              options={[
                ["", t("log.anyService")],
                ["host", t("log.host")],
                ...(services ?? []).map((each) => [each.service, each.service] as const),
              ]}
              onChange={(value) => setQuery({ service: value || null })}
            />
            <Choice
              label={t("log.level")}
              value={filter.level}
              options={[["", t("log.anyLevel")], ...levels.map((each) => [each, t(`log.from.${each}`)] as const)]}
              onChange={(value) => setQuery({ level: value || null })}
            />
            <RequestField key={filter.requestId} value={filter.requestId} />
          </div>
          <Tail key={JSON.stringify(filter)} filter={filter} />
        </div>
      </Card>
    </PlatformFrame>
  );
}

function RequestField({ value }: { value: string }) {
  const { t } = useTexts();
  const id = useId();
  const take = (text: string) => text.trim() !== value && setQuery({ request: text.trim() || null });
  return (
    <form
      className={classes["ends"]}
      onSubmit={(event) => (event.preventDefault(), take(String(new FormData(event.currentTarget).get("request"))))}
    >
      <div className={page["field"]}>
        <label htmlFor={id}>{t("log.request")}</label>
        <input
          id={id}
          name="request"
          defaultValue={value}
          maxLength={200}
          spellCheck={false}
          autoComplete="off"
          placeholder={t("log.anyRequest")}
          onBlur={(event) => take(event.currentTarget.value)}
        />
      </div>
      {value && (
        <Button leftSection={<X size={16} aria-hidden />} onClick={() => take("")}>
          {t("log.allRequests")}
        </Button>
      )}
    </form>
  );
}

function Tail({ filter }: { filter: LogFilter }) {
  const { t } = useTexts();
  const [live, setLive] = useState(true);
  const log = useLog(filter, live);
  const list = useRef<HTMLDivElement>(null);
  const records = log.data?.records;
  const retry = () => void log.refetch();
  useLayoutEffect(() => {
    if (live && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [live, records]);
  // What is selected, to be copied, must not move away.
  useEffect(() => {
    const stay = () => {
      const selection = document.getSelection();
      if (selection && !selection.isCollapsed && list.current?.contains(selection.anchorNode)) setLive(false);
    };
    document.addEventListener("selectionchange", stay);
    return () => document.removeEventListener("selectionchange", stay);
  }, []);
  const scrolled = () => {
    const box = list.current;
    if (box && box.scrollHeight > box.clientHeight) setLive(box.scrollHeight - box.scrollTop - box.clientHeight < nearPixels);
  };
  if (!log.data || !records)
    return log.error ? <Failed error={log.error} retry={retry} /> : <Waiting skeleton={<Bones lines={10} />} retry={retry} />;
  return (
    <>
      <div className={page["row"]}>
        <Button leftSection={live ? <Pause size={16} aria-hidden /> : <Play size={16} aria-hidden />} onClick={() => setLive(!live)}>
          {t(live ? "log.pause" : "log.goOn")}
        </Button>
        <Chip kind={log.error ? "bad" : live ? "good" : "warn"}>{t(log.error ? "log.silent" : live ? "log.live" : "log.paused")}</Chip>
      </div>
      {log.data.gap && <Note kind="warn">{t("log.gap")}</Note>}
      {records.length === 0 ? (
        <Empty
          icon={ScrollText}
          title={t(filter.requestId ? "log.noneOfRequest" : "log.none")}
          text={filter.requestId ? t("log.noneOfRequestText") : undefined}
        />
      ) : (
        <div className={classes["tail"]}>
          <div ref={list} role="log" aria-live="off" aria-label={t("log.title")} tabIndex={0} onScroll={scrolled}>
            <ol>
              {records.map((each) => (
                <Line key={each.number} record={each} />
              ))}
            </ol>
          </div>
          {!live && (
            <Button
              className={classes["toEnd"] ?? ""}
              size="compact-sm"
              variant="filled"
              leftSection={<ArrowDown size={16} aria-hidden />}
              onClick={() => setLive(true)}
            >
              {t("log.newest")}
            </Button>
          )}
        </div>
      )}
    </>
  );
}

const Line = memo(function Line({ record: { time, level, service, requestId, message, fields } }: { record: LogRecord }) {
  const { t, date, dateTime } = useTexts();
  return (
    <li data-level={level}>
      <time dateTime={time} title={dateTime(time)}>
        {date(time, { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" })}
      </time>{" "}
      <Chip kind={kinds[level] ?? "plain"}>{level}</Chip> <b>{service}</b> <bdi>{message}</bdi>
      {fields.map((each, at) => (
        <span key={at}>
          {" "}
          <i>
            <bdi>{each.name}</bdi>
          </i>
          =<bdi>{each.value}</bdi>
        </span>
      ))}
      {requestId && (
        <>
          {" "}
          <Link to={logOf(requestId)} aria-label={t("log.ofRequest", { request: requestId })}>
            {requestId}
          </Link>
        </>
      )}
    </li>
  );
});
