// The peer of availability: free times by better-sqlite3 and luxon, in the ordinary way: every start is a DateTime, every booking a row.
// Usage: node slots.mjs PORT DATABASE, whose tables are rule (weekday, start, end), booking (start, end) and type (zone, minutes).
import Database from "better-sqlite3";
import Fastify from "fastify";
import { DateTime } from "luxon";

const [port, file] = process.argv.slice(2);
const database = new Database(file, { readonly: true });
const type = database.prepare("SELECT zone, minutes FROM type");
const rules = database.prepare('SELECT start, "end" FROM rule WHERE weekday = ? ORDER BY start');
const bookings = database.prepare('SELECT start, "end" FROM booking WHERE start < ? AND "end" > ? ORDER BY start');
const text = (time) => time.toUTC().toISO();

function free(from, to) {
  const { zone, minutes } = type.get();
  const taken = bookings.all(text(to), text(from)).map((row) => [Date.parse(row.start), Date.parse(row.end)]);
  const slots = [];
  const byDate = {};
  for (let day = from.setZone(zone).startOf("day"); day < to; day = day.plus({ days: 1 })) {
    for (const rule of rules.all(day.weekday)) {
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

const app = Fastify({ logger: false });
app.get("/availability", (request) => {
  const { zone } = type.get();
  return free(DateTime.fromISO(request.query.fromDate, { zone }), DateTime.fromISO(request.query.toDate, { zone }).plus({ days: 1 }));
});
await app.listen({ port: Number(port), host: "127.0.0.1" });
console.log("ready");
