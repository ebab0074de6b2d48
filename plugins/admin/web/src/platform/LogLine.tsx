import { Link, useTexts } from "@portico/app-shell";
import { Chip, Facts } from "@portico/ui";
import { ListFilter } from "lucide-react";
import { memo, useState } from "react";
import { logOf } from "../log.ts";
import { fieldOf, type LogRecord } from "./log.ts";
import classes from "../page.module.css";

const kinds: Readonly<Record<string, "plain" | "warn" | "bad">> = { warning: "warn", error: "bad" };

/** A record as a row; opened, it shows every field. */
export const Line = memo(function Line({
  record,
  names,
  onOpen,
}: {
  record: LogRecord;
  names: ReadonlyMap<string, string>;
  onOpen: () => void;
}) {
  const { t, has, date } = useTexts();
  const [open, setOpen] = useState(false);
  const { time, level, service, requestId } = record;
  const caller = fieldOf(record, "caller");
  const toggle = () => {
    if (!open) onOpen();
    setOpen(!open);
  };
  return (
    <li data-level={level}>
      <div className={classes["logRow"]}>
        <button type="button" aria-expanded={open} onClick={toggle}>
          <time dateTime={time}>
            {date(time, { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" })}
          </time>
          <span>
            <Chip kind={kinds[level] ?? "plain"}>{has(`log.level.${level}`) ? t(`log.level.${level}`) : level}</Chip>
          </span>
          <b>{service}</b>
          <Message record={record} />
          <bdi>{names.get(caller) ?? caller}</bdi>
        </button>
        {requestId && (
          <Link
            to={logOf(requestId)}
            className={classes["logRequest"] ?? ""}
            aria-label={t("log.ofRequest", { request: requestId })}
            title={t("log.ofRequest", { request: requestId })}
          >
            <ListFilter size={16} aria-hidden />
          </Link>
        )}
      </div>
      {open && <Details record={record} names={names} />}
    </li>
  );
});

/** A request in the form "GET /api/contacts 200, 3 ms"; another record by its words and fields. */
function Message({ record }: { record: LogRecord }) {
  const { number } = useTexts();
  const [method, path, status, micros] = ["method", "path", "status", "micros"].map((each) => fieldOf(record, each));
  if (method && path)
    return (
      <span className={classes["logMessage"]}>
        <bdi>
          {method} {path}
        </bdi>{" "}
        <b data-bad={Number(status) >= 500 || undefined}>{status}</b>{" "}
        <i>{number(Number(micros) / 1_000, { style: "unit", unit: "millisecond", maximumSignificantDigits: 3 })}</i>
      </span>
    );
  return (
    <span className={classes["logMessage"]}>
      <bdi>{record.message}</bdi>
      {record.fields.map(({ name, value }) => (
        <span key={name}>
          {" "}
          <i>{name}</i> <bdi>{value}</bdi>
        </span>
      ))}
    </span>
  );
}

/** Every field of a record, with the name of an account beside its id. */
function Details({
  record: { time, message, fields, requestId, traceId },
  names,
}: {
  record: LogRecord;
  names: ReadonlyMap<string, string>;
}) {
  const { t, dateTime } = useTexts();
  const shown = ({ value }: { value: string }) => (names.has(value) ? `${names.get(value)} (${value})` : value);
  return (
    <div className={classes["logDetails"]}>
      <Facts
        list={[
          [t("log.column.time"), <time key="time" dateTime={time}>{`${dateTime(time)} (${time})`}</time>],
          [t("log.column.message"), <bdi key="message">{message}</bdi>],
          ...fields.map((each, at) => [each.name, <bdi key={at}>{shown(each)}</bdi>] as const),
          [
            t("log.request"),
            requestId && (
              <Link key="request" to={logOf(requestId)}>
                {requestId}
              </Link>
            ),
          ],
          [t("log.trace"), traceId],
        ]}
      />
    </div>
  );
}
