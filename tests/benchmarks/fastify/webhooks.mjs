// The peer of webhooks: verifies stripe's signature, stores the event once with full durability, and answers.
// Usage: node webhooks.mjs PORT SECRET DATABASE
import Database from "better-sqlite3";
import Fastify from "fastify";
import Stripe from "stripe";

const [port, secret, file] = process.argv.slice(2);
const { webhooks } = new Stripe("sk_test_x", { telemetry: false });
const database = new Database(file);
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");
database.exec(
  "CREATE TABLE event (id TEXT PRIMARY KEY, type TEXT NOT NULL, created INTEGER NOT NULL, payload TEXT NOT NULL) WITHOUT ROWID",
);
const insert = database.prepare("INSERT INTO event (id, type, created, payload) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING");

const app = Fastify({ logger: false });
app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
app.post("/hook", (request, reply) => {
  try {
    const event = webhooks.constructEvent(request.body, request.headers["stripe-signature"], secret);
    const { changes } = insert.run(event.id, event.type, event.created, request.body.toString());
    return reply.send({ received: true, duplicate: changes === 0 });
  } catch {
    return reply.code(400).send({ code: "signature_invalid" });
  }
});
await app.listen({ port: Number(port), host: "127.0.0.1" });
console.log("ready");
