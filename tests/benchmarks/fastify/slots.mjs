// The peer of availability: free times by better-sqlite3 and luxon.
// Usage: node slots.mjs PORT DATABASE, whose tables are rule (weekday, start, end), booking (start, end) and type (zone, minutes).
import Database from "better-sqlite3";
import Fastify from "fastify";
import { free, span, text } from "./free.mjs";

const [port, file] = process.argv.slice(2);
const database = new Database(file, { readonly: true });
const type = database.prepare("SELECT zone, minutes FROM type");
const rules = database.prepare('SELECT start, "end" FROM rule WHERE weekday = ? ORDER BY start');
const bookings = database.prepare('SELECT start, "end" FROM booking WHERE start < ? AND "end" > ? ORDER BY start');

const app = Fastify({ logger: false });
app.get("/availability", (request) => {
  const row = type.get();
  const [from, to] = span(request.query, row.zone);
  return free(row, (weekday) => rules.all(weekday), bookings.all(text(to), text(from)), from, to);
});
await app.listen({ port: Number(port), host: "127.0.0.1" });
console.log("ready");
