import { Link, useTexts } from "@portico/app-shell";
import { useEffect, useRef, useState, type MouseEvent } from "react";
import { useFree, type Booking, type Busy, type Hold, type Slot } from "../bookings/bookings.ts";
import { useDrag, type Spot } from "./drag.ts";
import { useDraw } from "./draw.ts";
import { busyOn, lanes, merged, spansOf, type Span } from "./spans.ts";
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
  /** The parts of each date that are outside of the working hours. */
  readonly outside: readonly Span[];
  readonly zone: string;
  /** Of another zone, beside the host's; empty: none. */
  readonly second: string;
  readonly today: string;
  readonly hrefOf: (booking: Booking) => string;
  /** A time without a free slot was clicked, `2026-11-23T09:15` by the host's clock. */
  readonly onAsk: (local: string) => void;
  /** A free slot was clicked, or a part of a date drawn (`drawn`); absent: nothing is booked from here. */
  readonly onBook?: ((start: string, drawn: boolean) => void) | undefined;
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
export function Grid({ days, bookings, free, busy, held, outside, zone, second, today, hrefOf, onAsk, onBook, onMove }: GridProps) {
  const { t, locale } = useTexts();
  const now = useNow();
  const spans = free.flatMap((slot) => spansOf(slot, zone).map((span) => ({ slot, ...span })));
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
  const { drawn, drawsOf, wasDrawn } = useDraw(onBook !== undefined, (day, start) => onBook?.(isoOf(day, start, zone), true));
  const minutesAt = (event: MouseEvent<HTMLElement>) => {
    const { top, height } = event.currentTarget.getBoundingClientRect();
    return from + ((event.clientY - top) / height) * (to - from);
  };
  const ask = (day: string) => (event: MouseEvent<HTMLElement>) => {
    if (wasDrawn() || (event.target as HTMLElement).closest("a")) return;
    const at = minutesAt(event);
    const within = spans.filter(({ date, start, end }) => date === day && start <= at && end > at).at(-1);
    if (within && onBook) return onBook(within.slot.start, false);
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
            {...drawsOf(day, minutesAt)}
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
            {outside
              .filter(({ date, start, end }) => date === day && end > from && start < to)
              .map(({ start, end }) => (
                <li
                  key={`outside ${start}`}
                  role="presentation"
                  className={classes["outside"]}
                  style={{
                    insetBlockStart: part(Math.max(start, from)),
                    blockSize: `calc(${part(Math.min(end, to))} - ${part(Math.max(start, from))})`,
                  }}
                  aria-hidden
                />
              ))}
            {drawn?.day === day && (
              <li
                role="presentation"
                className={classes["target"]}
                style={{ insetBlockStart: part(drawn.start), blockSize: `calc(${part(drawn.end)} - ${part(drawn.start)})` }}
                aria-hidden
              >
                {timeIn(isoOf(day, drawn.start, zone), zone, locale)} {t("booking.new")}
              </li>
            )}
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

const isoOf = (day: string, minutes: number, zone: string): string => new Date(instantOf(day, minutes, zone)).toISOString();

const placeOf = (zone: string): string => zone.slice(zone.lastIndexOf("/") + 1).replaceAll("_", " ");

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
