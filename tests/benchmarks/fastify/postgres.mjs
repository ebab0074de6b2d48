// The peer of services on PostgreSQL: fastify and pg with named statements and a pool of 10, in their ordinary form. It reads contacts of the daemon's
// own tables; what it changes is in its own, in the schema `peer`. For each request with a credential it reads the same revisions as the daemon.
// Usage: PGPASSWORD=… node postgres.mjs PORT URL TOKEN PERSON ORGANIZATION
import { createHash, randomUUID } from "node:crypto";
import Fastify from "fastify";
import pg from "pg";
import { free, span, text } from "./free.mjs";

const [port, connectionString, token, person, organization] = process.argv.slice(2);
pg.types.setTypeParser(20, Number);
const pool = new pg.Pool({ connectionString, max: 10 });
let statements = 0;
const prepared = (sql) => {
  const name = `s${++statements}`;
  return async (on, ...values) => (await on.query({ name, text: sql, values })).rows;
};
async function transact(work) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

const revisions = prepared(
  "SELECT id, value FROM identity.tenant_revisions WHERE id = ANY($1::text[]) UNION ALL SELECT '*', value FROM identity.revisions WHERE id = 1",
);
const roles = prepared("SELECT role FROM identity.memberships WHERE user_id = $1 AND organization_id = $2");
const contact = prepared(
  "SELECT document, version, note_count, attachment_count FROM crm.contact WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL",
);
const contacts = prepared(
  "SELECT document, version, note_count, attachment_count FROM crm.contact WHERE organization_id = $1 AND deleted_at IS NULL ORDER BY sort_name, id LIMIT $2",
);
const locked = prepared("SELECT document, version FROM peer.contact WHERE organization_id = $1 AND id = $2 FOR UPDATE");
const changed = prepared("UPDATE peer.contact SET document = $3, version = $4, updated_at = $5 WHERE organization_id = $1 AND id = $2");
const published = prepared("INSERT INTO peer.event (id, type, data) VALUES ($1, $2, $3)");
const type = prepared("SELECT zone, minutes FROM peer.type");
const rules = prepared('SELECT weekday, start, "end" FROM peer.rule ORDER BY weekday, start');
const bookings = prepared('SELECT start, "end" FROM peer.booking WHERE host = $1 AND start < $2 AND "end" > $3 ORDER BY start');
const hold = prepared("INSERT INTO peer.hold (id, host, start, expires_at) VALUES ($1, $2, $3, now() + interval '5 minutes')");
const unhold = prepared("DELETE FROM peer.hold WHERE id = $1 AND expires_at > now() RETURNING start");
const book = prepared('INSERT INTO peer.booking (id, host, start, "end", guest) VALUES ($1, $2, $3, $4, $5)');
const mail = prepared("INSERT INTO peer.mail (id, recipient, data) VALUES ($1, $2, $3)");

const callers = new Map([[createHash("sha256").update(token).digest("hex"), { person, organization, known: "", role: "" }]]);

const app = Fastify({ logger: false });
async function check(request, reply) {
  const caller = callers.get(
    createHash("sha256")
      .update((request.headers.authorization ?? "").slice(7))
      .digest("hex"),
  );
  if (!caller) return reply.code(401).send({ code: "invalid_token" });
  const rows = await revisions(pool, [caller.person, caller.organization]);
  const now = rows
    .map((row) => `${row.id}=${row.value}`)
    .sort()
    .join();
  if (caller.known !== now) {
    caller.role = (await roles(pool, caller.person, caller.organization))[0]?.role;
    caller.known = now;
  }
  if (!caller.role) return reply.code(403).send({ code: "permission_denied" });
  request.caller = caller;
}
const record = (row) => ({
  ...JSON.parse(row.document),
  version: row.version,
  counts: { notes: row.note_count, attachments: row.attachment_count },
});

app.get("/validate", { onRequest: check }, (request) => ({
  principalId: request.caller.person,
  organizationId: request.caller.organization,
  role: request.caller.role,
}));
app.get("/api/contacts/:id", { onRequest: check }, async (request, reply) => {
  const [row] = await contact(pool, request.caller.organization, request.params.id);
  if (!row) return reply.code(404).send({ code: "not_found" });
  reply.header("ETag", `"${row.version}"`);
  return record(row);
});
app.get("/api/contacts", { onRequest: check }, async (request) => {
  const limit = Number(request.query.limit);
  const rows = await contacts(pool, request.caller.organization, limit + 1);
  return { items: rows.slice(0, limit).map(record), nextCursor: rows.length > limit ? "next" : null };
});
app.put("/api/contacts/:id", { onRequest: check }, (request, reply) =>
  transact(async (client) => {
    const { organization } = request.caller;
    const [row] = await locked(client, organization, request.params.id);
    if (!row) return reply.code(404).send({ code: "not_found" });
    const now = new Date();
    const document = { ...JSON.parse(row.document), ...request.body, updatedAt: now.toISOString(), version: row.version + 1 };
    await changed(client, organization, request.params.id, JSON.stringify(document), document.version, now.getTime());
    await published(client, randomUUID(), "contact.updated", JSON.stringify({ id: request.params.id, fields: Object.keys(request.body) }));
    reply.header("ETag", `"${document.version}"`);
    return document;
  }),
);
app.get("/availability", async (request) => {
  const [row] = await type(pool);
  const all = await rules(pool);
  const [from, to] = span(request.query, row.zone);
  const taken = await bookings(pool, "host0", text(to), text(from));
  return free(row, (weekday) => all.filter((rule) => rule.weekday === weekday), taken, from, to);
});
// A hold is one statement; a booking is a transaction with its event and two mails, which are only stored.
app.post("/api/public/:host/:type/hold", async (request, reply) => {
  const holdId = randomUUID();
  await hold(pool, holdId, request.params.host, request.body.start);
  return reply.code(201).send({ holdId, holdToken: holdId });
});
app.post("/api/public/:host/:type/confirm", (request, reply) =>
  transact(async (client) => {
    const [held] = await unhold(client, request.body.holdId);
    if (!held) return reply.code(409).send({ code: "hold_expired" });
    const { guest } = request.body;
    const booking = { id: randomUUID(), start: held.start, end: new Date(Date.parse(held.start) + 300_000).toISOString(), guest };
    await book(client, booking.id, request.params.host, booking.start, booking.end, JSON.stringify(guest));
    await published(client, randomUUID(), "booking.confirmed", JSON.stringify(booking));
    await mail(client, randomUUID(), guest.email, JSON.stringify(booking));
    await mail(client, randomUUID(), request.params.host, JSON.stringify(booking));
    return reply.code(201).send({ booking });
  }),
);
await app.listen({ port: Number(port), host: "127.0.0.1" });
console.log("ready");
