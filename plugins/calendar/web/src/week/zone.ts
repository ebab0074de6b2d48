import { zoneFor } from "@portico/app-shell";

/** The wall clock of a zone. Minutes are those that the clock shows, so a day of a clock change looks like any other. */
export interface Wall {
  /** `2026-11-23`. */
  readonly date: string;
  readonly minutes: number;
}

const clocks = new Map<string, Intl.DateTimeFormat>();
const dayMilliseconds = 86_400_000;

/** What the clock of a zone shows at an instant. */
export function wallOf(instant: string | number, zone: string): Wall {
  let clock = clocks.get(zone);
  if (!clock)
    clocks.set(
      zone,
      (clock = new Intl.DateTimeFormat("en-US", {
        timeZone: zoneFor(zone),
        hourCycle: "h23",
        year: "numeric",
        month: "2-digit",
        day: "2-digit",
        hour: "2-digit",
        minute: "2-digit",
      })),
    );
  const part: Record<string, string> = {};
  for (const { type, value } of clock.formatToParts(new Date(instant))) part[type] = value;
  return {
    date: `${part["year"]?.padStart(4, "0")}-${part["month"]}-${part["day"]}`,
    minutes: Number(part["hour"]) * 60 + Number(part["minute"]),
  };
}

/** The date so many days later. */
export const plusDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * dayMilliseconds).toISOString().slice(0, 10);

/** The first date of the week of a date; `weekStart` 1 Monday to 7 Sunday. */
export function weekOf(date: string, weekStart: number): string {
  const weekday = new Date(Date.parse(date)).getUTCDay() || 7;
  return plusDays(date, -((weekday - weekStart + 7) % 7));
}

/** The instant at which the clock of a zone shows a date and minutes first, or goes past them. */
export function instantOf(date: string, minutes: number, zone: string): number {
  const wanted = Date.parse(date) + minutes * 60_000;
  const shown = (instant: number): number => {
    const wall = wallOf(instant, zone);
    return Date.parse(wall.date) + wall.minutes * 60_000;
  };
  // A zone has at most two offsets around a date: one of the two fits, or neither, in a gap.
  const tried = [dayMilliseconds, -dayMilliseconds].map((away) => wanted - (shown(wanted - away) - (wanted - away)));
  const fits = tried.filter((instant) => shown(instant) === wanted);
  return fits.length ? Math.min(...fits) : Math.max(...tried);
}

/** The start that a field of type `datetime-local` names by the clock of a zone; empty until it is whole. */
export const startOf = (local: string, zone: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(local)
    ? new Date(instantOf(local.slice(0, 10), Number(local.slice(11, 13)) * 60 + Number(local.slice(14, 16)), zone)).toISOString()
    : "";

/** Whether people say 3 PM there. */
const saysHalves = (locale: string): boolean => new Intl.DateTimeFormat(locale, { hour: "numeric" }).resolvedOptions().hour12 === true;

/** A time in a zone with the offset beside it, for people: `10:00`, `10:00 GMT+1`. */
export const timeIn = (instant: string | number, zone: string, locale: string, named = false): string =>
  new Intl.DateTimeFormat(locale, {
    timeZone: zoneFor(zone),
    hour: saysHalves(locale) ? "numeric" : "2-digit",
    minute: "2-digit",
    ...(named && { timeZoneName: "short" as const }),
  }).format(new Date(instant));

/** Beside a line of a grid: `3 PM`, `15:00`; with its minutes in zones that are half an hour off. */
export const hourIn = (instant: number, zone: string, locale: string): string =>
  saysHalves(locale) && wallOf(instant, zone).minutes % 60 === 0
    ? new Intl.DateTimeFormat(locale, { timeZone: zoneFor(zone), hour: "numeric" }).format(instant)
    : timeIn(instant, zone, locale);

export const dateIn = (
  instant: string | number,
  zone: string,
  locale: string,
  options: Intl.DateTimeFormatOptions = { weekday: "long", day: "numeric", month: "long" },
): string => new Intl.DateTimeFormat(locale, { timeZone: zoneFor(zone), ...options }).format(new Date(instant));

/** A date that has no zone, for people. */
export const dateName = (date: string, locale: string, options: Intl.DateTimeFormatOptions): string =>
  dateIn(Date.parse(date), "UTC", locale, options);
