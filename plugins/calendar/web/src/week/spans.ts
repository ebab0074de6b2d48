import type { Busy } from "../bookings/bookings.ts";
import type { Schedule } from "../service.ts";
import { instantOf, plusDays, wallOf } from "./zone.ts";

/** A part of a date, in minutes of the wall clock. */
export interface Span {
  readonly date: string;
  readonly start: number;
  readonly end: number;
}

/** Where it stands, in the column of its date, or of its dates where it goes over midnight. */
export function spansOf({ start, end }: { readonly start: string; readonly end: string }, zone: string): Span[] {
  const [begin, finish] = [wallOf(start, zone), wallOf(end, zone)];
  const later = finish.date !== begin.date;
  // In the hour that the clock shows twice, the end may stand before the start.
  const first = { date: begin.date, start: begin.minutes, end: later ? 1440 : Math.max(finish.minutes, begin.minutes + 15) };
  return later && finish.minutes > 0 ? [first, { date: finish.date, start: 0, end: finish.minutes }] : [first];
}

/** What of the busy time lies on a date, which it may begin before and end after. */
export function busyOn(
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
export function merged(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const each of [...spans].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last && each.start <= last.end) joined[joined.length - 1] = { ...last, end: Math.max(last.end, each.end) };
    else joined.push(each);
  }
  return joined;
}

/** What overlaps stands side by side: bookings of one time with several places. */
export function lanes<Item extends Span>(items: readonly Item[]): { item: Item; lane: number; of: number }[] {
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

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** The parts of a date of the host's clock that are outside of the hours of a schedule, which may have a zone of its own. */
export function outsideOf(date: string, { weeklyRules, dateOverrides, timeZone }: Schedule, zone: string): Span[] {
  const hoursOf = (day: string): readonly { readonly start: string; readonly end: string }[] => {
    const own = dateOverrides.find((each) => each.date === day);
    const weekday = new Date(Date.parse(day)).getUTCDay() || 7;
    if (own) return own.closed ? [] : own.intervals;
    return weeklyRules.filter((each) => each.weekday === weekday);
  };
  const instant = (day: string, time: string, later: boolean): string =>
    new Date(instantOf(later ? plusDays(day, 1) : day, minutesOf(time), timeZone)).toISOString();
  const open = [-1, 0, 1]
    .map((away) => plusDays(date, away))
    .flatMap((day) =>
      hoursOf(day).flatMap(({ start, end }) =>
        spansOf({ start: instant(day, start, false), end: instant(day, end, minutesOf(end) <= minutesOf(start)) }, zone),
      ),
    )
    .filter((span) => span.date === date);
  const edges = [0, ...merged(open).flatMap(({ start, end }) => [start, end]), 1440];
  return Array.from({ length: edges.length / 2 }, (_, at) => ({ date, start: edges[2 * at] ?? 0, end: edges[2 * at + 1] ?? 0 })).filter(
    ({ start, end }) => end > start,
  );
}
