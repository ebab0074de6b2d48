import { setQuery, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Bones, Card, Chip, Empty, Note, Waiting } from "@portico/ui";
import { ArrowDown, Pause, Play, ScrollText, X } from "lucide-react";
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Choice, Failed } from "../parts.tsx";
import { PlatformFrame } from "./Frame.tsx";
import { Line } from "./LogLine.tsx";
import { ranges, useLog, useNames, type LogFilter } from "./log.ts";
import { useServiceStatus } from "./system.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const levels = ["information", "warning", "error"] as const;
/** So near to the end of the list it counts as being there. */
const nearPixels = 24;

/** The log of the host as it grows, the newest record below. A reader who scrolls up stays there until they resume. */
export default function LogPage() {
  const { t } = useTexts();
  const services = useServiceStatus().data;
  const [service] = useAddressQuery("service");
  const [level] = useAddressQuery("level");
  const [request] = useAddressQuery("request");
  const [range] = useAddressQuery("range");
  const minutes = ranges.find((each) => String(each) === range) ?? 0;
  const filter = useMemo(
    (): LogFilter => ({ service: service ?? "", level: level ?? "", requestId: request ?? "", minutes }),
    [service, level, request, minutes],
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
            <Choice
              label={t("log.range")}
              value={String(minutes)}
              options={ranges.map((each) => [String(each), t(`log.range.${each}`)] as const)}
              onChange={(value) => setQuery({ range: value === "0" ? null : value })}
            />
            <RequestField key={filter.requestId} value={filter.requestId} />
          </div>
          <Tail key={`${filter.service} ${filter.level} ${filter.requestId} ${minutes}`} filter={filter} />
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
  const names = useNames(records);
  const pause = useCallback(() => setLive(false), []);
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
            <div className={classes["logHead"]} aria-hidden>
              {(["time", "level", "service", "message", "who", "request"] as const).map((each) => (
                <span key={each}>{t(`log.column.${each}`)}</span>
              ))}
            </div>
            <ol>
              {records.map((each) => (
                <Line key={each.number} record={each} names={names} onOpen={pause} />
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
