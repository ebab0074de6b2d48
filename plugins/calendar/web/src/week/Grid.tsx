import { Link, useTexts } from "@portico/app-shell";
import { useEffect, useRef, useState, type MouseEvent } from "react";
import { useFree, type Booking, type Busy, type Hold, type Slot } from "../bookings/bookings.ts";
import { useDrag, type Spot } from "./drag.ts";
import { dateName, hourIn, instantOf, plusDays, timeIn, wallOf } from "./zone.ts";
import classes from "./week.module.css";

const minuteMilliseconds = 60_000;
/** How near to a free time a booking is let go to be moved there. */
const reachMinutes = 45;
/** What is shown of a day where nothing asks for more. */
const usual = [8 * 60, 18 * 60] as const;

interface GridProps {
  readonly days: readonly string[];
  readonly bookings: readonly Booking[];
  readonly free: readonly Slot[];
  /** When calendars elsewhere keep the host busy. */
  readonly busy: readonly Busy[];
  /** Times that guests hold while they fill in the form. */
  readonly held: readonly Hold[];
  readonly zone: string;
  /** Of another zone, beside the host's; empty: none. */
  readonly second: string;
  readonly today: string;
  readonly hrefOf: (booking: Booking) => string;
  /** Somebody wants to know of a free time, or of a quarter of an hour with nothing in it, `2026-11-23T09:15` by the host's clock. */
  readonly onAsk: (local: string) => void;
  /** A confirmed booking was carried to a free time of its event type; absent: nothing is carried. */
  readonly onMove?: ((booking: Booking, to: Slot) => void) | undefined;
}

/** All of a booking that the room for it may not hold. */
const nameOf = (
  { start, end, guest, title, status }: Booking,
  zone: string,
  locale: string,
  t: (key: string, values?: Record<string, string>) => string,
): string =>
  t("week.bookingName", {
    from: timeIn(start, zone, locale),
    to: timeIn(end, zone, locale),
    title,
    guest: guest.name,
    status: t(`booking.${status}`),
  });

/** Days beside each other, hours from top to bottom, by the wall clock of the host's zone. */
export function Grid({ days, bookings, free, busy, held, zone, second, today, hrefOf, onAsk, onMove }: GridProps) {
  const { t, locale } = useTexts();
  const now = useNow();
  const spans = free.flatMap((each) => spansOf(each, zone));
  const placed = bookings.flatMap((booking) => spansOf(booking, zone).map((span) => ({ booking, ...span })));
  const kept = held.flatMap((hold) => spansOf(hold, zone).map((span) => ({ hold, ...span })));
  const all = [...placed, ...kept, ...spans].filter(({ date }) => days.includes(date));
  const from = Math.floor(Math.min(usual[0], ...all.map(({ start }) => start)) / 60) * 60;
  const to = Math.ceil(Math.max(usual[1], ...all.map(({ end }) => end)) / 60) * 60;
  const hours = Array.from({ length: (to - from) / 60 }, (_, at) => from + at * 60);
  const part = (minutes: number) => `${((minutes - from) / (to - from)) * 100}%`;
  const clock = wallOf(now, zone);
  const elsewhere = days.map((day) =>
    busyOn(day, busy, zone).flatMap((each) =>
      each.end > from && each.start < to ? [{ ...each, start: Math.max(each.start, from), end: Math.min(each.end, to) }] : [],
    ),
  );
  const ask = (day: string) => (event: MouseEvent<HTMLElement>) => {
    if ((event.target as HTMLElement).closest("a")) return;
    const { top, height } = event.currentTarget.getBoundingClientRect();
    const at = from + ((event.clientY - top) / height) * (to - from);
    const within = spans.filter(({ date, start, end }) => date === day && start <= at && end > at).at(-1);
    const minutes = within?.start ?? Math.min(1425, Math.floor(at / 15) * 15);
    onAsk(`${day}T${new Date(minutes * minuteMilliseconds).toISOString().slice(11, 16)}`);
  };
  // By the day in the middle: at the ends of a week a clock may have changed, and such a day says its own.
  const beside = (day: string | undefined, minutes: number) => hourIn(instantOf(day ?? today, minutes, zone), second, locale);
  const differs = (day: string) => second !== "" && hours.some((minutes) => beside(day, minutes) !== beside(days[3], minutes));
  const grid = useRef<HTMLDivElement>(null);
  const near = (slots: readonly Slot[] | undefined, { column, part: down }: Spot): Slot | undefined => {
    const wanted = from + down * (to - from);
    const away = (slot: Slot) => Math.abs(wallOf(slot.start, zone).minutes - wanted);
    return slots
      ?.filter((slot) => wallOf(slot.start, zone).date === days[column] && away(slot) <= reachMinutes)
      .sort((a, b) => away(a) - away(b))[0];
  };
  const { drag, handlesOf } = useDrag(grid, (booking, spot) => {
    const slot = near(lit, spot);
    if (slot) onMove?.(booking, slot);
  });
  const lit = useFree(
    drag?.booking.eventTypeId ?? "",
    instantOf(days[0] ?? today, 0, zone),
    instantOf(plusDays(days[6] ?? today, 1), 0, zone),
    drag?.booking.bookingId,
  ).data;
  const target = drag?.spot ? near(lit, drag.spot) : undefined;
  const open = drag ? (lit ?? []).flatMap((each) => spansOf(each, zone)) : spans;
  const aims = target ? spansOf(target, zone) : [];
  return (
    <div className={classes["scroll"]}>
      <div ref={grid} className={classes["grid"]} data-carries={drag !== null || undefined} data-two={second !== "" || undefined}>
        <div className={classes["corner"]}>{second && [second, zone].map((each) => <span key={each}>{placeOf(each)}</span>)}</div>
        {days.map((day) => (
          <h3 key={day} className={classes["head"]} data-today={day === today || undefined}>
            <span>{dateName(day, locale, { weekday: "short" })}</span> <b>{Number(day.slice(8))}</b>
            {day === today && <span className="ui-hidden">{t("week.today")}</span>}
          </h3>
        ))}
        <div className={classes["hours"]} style={{ blockSize: `${hours.length * 3.5}rem` }} aria-hidden>
          {hours.map((minutes) => (
            <span key={minutes} style={{ insetBlockStart: part(minutes) }}>
              {second && <i>{beside(days[3], minutes)}</i>}
              {hourIn(minutes * minuteMilliseconds, "UTC", locale)}
            </span>
          ))}
        </div>
        {days.map((day, column) => (
          <ul
            key={day}
            data-column
            className={classes["column"]}
            onClick={ask(day)}
            aria-label={dateName(day, locale, { weekday: "long", day: "numeric", month: "long" })}
            style={{ backgroundSize: `100% ${100 / hours.length}%` }}
          >
            {differs(day) &&
              hours.map((minutes) => (
                <li
                  key={`beside ${minutes}`}
                  role="presentation"
                  className={classes["beside"]}
                  style={{ insetBlockStart: part(minutes) }}
                  aria-hidden
                >
                  {beside(day, minutes)}
                </li>
              ))}
            {merged(open.filter(({ date }) => date === day)).map(({ start, end }) => (
              <li
                key={start}
                role="presentation"
                className={classes["free"]}
                style={{ insetBlockStart: part(start), blockSize: `calc(${part(end)} - ${part(start)})` }}
                aria-hidden
              />
            ))}
            {elsewhere[column]?.map(({ start, end, span }) => (
              <li
                key={`busy ${start}`}
                className={classes["busy"]}
                style={{ insetBlockStart: part(start), blockSize: `calc(${part(end)} - ${part(start)})` }}
              >
                <span>{t("week.busy")}</span>
                <span className="ui-hidden">
                  , {t("week.span", { from: timeIn(span.start, zone, locale), to: timeIn(span.end, zone, locale) })}
                </span>
              </li>
            ))}
            {kept
              .filter(({ date }) => date === day)
              .map(({ hold, start, end }) => (
                <li
                  key={hold.holdId}
                  className={classes["held"]}
                  style={{ insetBlockStart: part(start), blockSize: `calc(${part(end)} - ${part(start)})` }}
                >
                  {t("week.held", { time: timeIn(hold.start, zone, locale) })}
                </li>
              ))}
            {lanes(placed.filter(({ date }) => date === day)).map(({ item: { booking, start, end }, lane, of }) => (
              <li
                key={booking.bookingId}
                className={classes["item"]}
                style={{
                  insetBlockStart: part(start),
                  blockSize: `calc(${part(end)} - ${part(start)})`,
                  insetInlineStart: `${(lane / of) * 100}%`,
                  inlineSize: `${100 / of}%`,
                }}
              >
                <Link
                  to={hrefOf(booking)}
                  {...(onMove && booking.status === "confirmed" && handlesOf(booking))}
                  data-status={booking.status}
                  data-short={end - start < 45 || undefined}
                  title={nameOf(booking, zone, locale, t)}
                >
                  <b>
                    <bdi>{booking.guest.name}</bdi>
                  </b>{" "}
                  <span>{timeIn(booking.start, zone, locale)}</span> <bdi>{booking.title}</bdi>
                  <span className="ui-hidden">, {t(`booking.${booking.status}`)}</span>
                </Link>
              </li>
            ))}
            {drag &&
              target &&
              aims
                .filter(({ date }) => date === day)
                .map(({ start, end }) => (
                  <li
                    key={`aim ${start}`}
                    role="presentation"
                    className={classes["target"]}
                    style={{ insetBlockStart: part(start), blockSize: `calc(${part(end)} - ${part(start)})` }}
                    aria-hidden
                  >
                    {timeIn(target.start, zone, locale)} {drag.booking.guest.name}
                  </li>
                ))}
            {day === clock.date && clock.minutes >= from && clock.minutes <= to && (
              <li role="presentation" className={classes["now"]} style={{ insetBlockStart: part(clock.minutes) }} aria-hidden />
            )}
          </ul>
        ))}
      </div>
    </div>
  );
}

const placeOf = (zone: string): string => zone.slice(zone.lastIndexOf("/") + 1).replaceAll("_", " ");

interface Span {
  readonly date: string;
  readonly start: number;
  readonly end: number;
}

/** Where it stands, in the column of its date, or of its dates where it goes over midnight. */
function spansOf({ start, end }: { readonly start: string; readonly end: string }, zone: string): Span[] {
  const [begin, finish] = [wallOf(start, zone), wallOf(end, zone)];
  const later = finish.date !== begin.date;
  // In the hour that the clock shows twice, the end may stand before the start.
  const first = { date: begin.date, start: begin.minutes, end: later ? 1440 : Math.max(finish.minutes, begin.minutes + 15) };
  return later && finish.minutes > 0 ? [first, { date: finish.date, start: 0, end: finish.minutes }] : [first];
}

/** What of the busy time lies on a date, which it may begin before and end after. */
function busyOn(
  date: string,
  busy: readonly Busy[],
  zone: string,
): { readonly start: number; readonly end: number; readonly span: Busy }[] {
  const [begin, finish] = [instantOf(date, 0, zone), instantOf(plusDays(date, 1), 0, zone)];
  return busy
    .filter(({ start, end }) => Date.parse(start) < finish && Date.parse(end) > begin)
    .map((span) => ({
      span,
      start: Date.parse(span.start) <= begin ? 0 : wallOf(span.start, zone).minutes,
      end: Date.parse(span.end) >= finish ? 1440 : wallOf(span.end, zone).minutes,
    }));
}

/** Spans that overlap or touch, as one. */
function merged(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const each of [...spans].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last && each.start <= last.end) joined[joined.length - 1] = { ...last, end: Math.max(last.end, each.end) };
    else joined.push(each);
  }
  return joined;
}

/** What overlaps stands side by side: bookings of one time with several places. */
function lanes<Item extends Span>(items: readonly Item[]): { item: Item; lane: number; of: number }[] {
  const laid: { item: Item; lane: number; of: number }[] = [];
  let group: typeof laid = [];
  let until = -1;
  const close = () => group.forEach((each) => (each.of = Math.max(...group.map(({ lane }) => lane)) + 1));
  for (const item of [...items].sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (item.start >= until) {
      close();
      group = [];
    }
    let lane = 0;
    while (group.some((each) => each.lane === lane && each.item.end > item.start)) ++lane;
    const placed = { item, lane, of: 1 };
    group.push(placed);
    laid.push(placed);
    until = Math.max(until, item.end);
  }
  close();
  return laid;
}

/** The present, a minute at a time. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  const timer = useRef<ReturnType<typeof setInterval>>(undefined);
  useEffect(() => {
    timer.current = setInterval(() => setNow(Date.now()), minuteMilliseconds);
    return () => clearInterval(timer.current);
  }, []);
  return now;
}
