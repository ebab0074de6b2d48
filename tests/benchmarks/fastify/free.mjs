// Free times, computed with luxon in its ordinary form: every start is a DateTime. `rulesOf` returns the rules of a weekday, `bookings` are rows.
import { DateTime } from "luxon";

export const text = (time) => time.toUTC().toISO();

/** First and last moment of a query's days in a zone. */
export const span = (query, zone) => [
  DateTime.fromISO(query.fromDate, { zone }),
  DateTime.fromISO(query.toDate, { zone }).plus({ days: 1 }),
];

export function free({ zone, minutes }, rulesOf, bookings, from, to) {
  const taken = bookings.map((row) => [Date.parse(row.start), Date.parse(row.end)]);
  const slots = [];
  const byDate = {};
  for (let day = from.setZone(zone).startOf("day"); day < to; day = day.plus({ days: 1 })) {
    for (const rule of rulesOf(day.weekday)) {
      const [hour, minute] = rule.start.split(":").map(Number);
      const [lastHour, lastMinute] = rule.end.split(":").map(Number);
      const last = day.set({ hour: lastHour, minute: lastMinute });
      for (let start = day.set({ hour, minute }); ; start = start.plus({ minutes })) {
        const end = start.plus({ minutes });
        if (end > last) break;
        if (start < from || start >= to || start < DateTime.utc()) continue;
        if (taken.some(([began, ended]) => began < end.toMillis() && ended > start.toMillis())) continue;
        (byDate[day.toISODate()] ??= []).push(slots.length);
        slots.push({ start: text(start), end: text(end) });
      }
    }
  }
  return { timeZone: zone, durationMinutes: minutes, slots, byDate };
}
