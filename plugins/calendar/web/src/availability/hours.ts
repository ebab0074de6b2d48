/** A part of a day as the service has it: `09:00` to `17:00`. An end at or before the start is on the next date. */
export interface Interval {
  readonly start: string;
  readonly end: string;
}

/** Minutes from midnight. */
type Span = readonly [from: number, to: number];
const day = 1440;

const time = /^(\d{1,2})(?:[:.h]?(\d{2}))?\s*(am|pm|uhr)?$/i;

/** `9`, `9:30`, `0930`, `9 pm` in minutes from midnight; null: that is no time. */
function minutesOf(text: string): number | null {
  const found = time.exec(text.trim());
  if (!found) return null;
  const half = found[3]?.toLowerCase();
  let hours = Number(found[1]);
  const minutes = Number(found[2] ?? 0);
  if (half === "am" || half === "pm") {
    if (hours < 1 || hours > 12) return null;
    hours = (hours % 12) + (half === "pm" ? 12 : 0);
  }
  return minutes > 59 || hours > 24 || (hours === 24 && minutes > 0) ? null : hours * 60 + minutes;
}

const clock = (minutes: number): string => `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
const minutesFrom = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));

/**
 * Hours as people type them, `9-12, 13-17` or `9 am to 5 pm`; nothing, or a dash: none. A string is the part that is no hours.
 *
 * @example
 * console.log(parseHours("9-12, 13-17")); // [{ start: "09:00", end: "12:00" }, { start: "13:00", end: "17:00" }]
 */
export function parseHours(text: string): Interval[] | string {
  const found: Interval[] = [];
  for (const part of text.split(/[,;]|\band\b|\bund\b/)) {
    if (/^\s*[-–—]?\s*$/.test(part)) continue;
    const [start, end, ...rest] = part.split(/[-–—]|\bto\b|\bbis\b/).map(minutesOf);
    if (
      start === undefined ||
      start === null ||
      end === undefined ||
      end === null ||
      rest.length ||
      start === day ||
      start % day === end % day
    )
      return part.trim();
    found.push({ start: clock(start), end: clock(end || day) });
  }
  return found.sort((a, b) => a.start.localeCompare(b.start));
}

/** Hours as they are shown, and understood again. */
export const formatHours = (hours: readonly Interval[]): string => hours.map(({ start, end }) => `${start}–${end}`).join(", ");

/** What of them lies on the day itself. */
export const spansOf = (hours: readonly Interval[]): Span[] =>
  hours.map(({ start, end }) => {
    const [from, to] = [minutesFrom(start), minutesFrom(end)];
    return [from, to > from ? to : day];
  });

/** Hours with a span drawn in, or taken out. What runs into the next date goes on doing so while its evening is left. */
export function draw(hours: readonly Interval[], [from, to]: Span, adds: boolean): Interval[] {
  const over = hours.find(({ start, end }) => minutesFrom(end) <= minutesFrom(start));
  const spans = spansOf(hours);
  const next: Span[] = adds
    ? [...spans, [from, to]]
    : spans.flatMap(([start, end]): Span[] => [
        [start, Math.min(end, from)],
        [Math.max(start, to), end],
      ]);
  const merged: [number, number][] = [];
  for (const [start, end] of next.filter(([start, end]) => end > start).sort(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged.map(([start, end]) => ({ start: clock(start), end: end === day && over ? over.end : clock(end) }));
}
