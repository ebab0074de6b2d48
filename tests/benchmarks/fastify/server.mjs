// The peer of the benchmark: what Portico's contact read does, in fastify and better-sqlite3, in its fastest ordinary form.
// Usage: node server.mjs PORT DATABASE TOKEN ORGANIZATION
import { createHash } from "node:crypto";
import Database from "better-sqlite3";
import Fastify from "fastify";

const [port, file, token, organization] = process.argv.slice(2);
const database = new Database(file, { readonly: true });
const columns = database
  .prepare("SELECT name FROM pragma_table_info('contact')")
  .all()
  .map((column) => column.name);
const select = database.prepare(`SELECT ${columns.join(", ")} FROM contact WHERE organization_id = ? AND id = ?`);
const camel = Object.fromEntries(columns.map((name) => [name, name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase())]));
const callers = new Map([
  [createHash("sha256").update(token).digest("hex"), { organization, permissions: new Set(["crm.contacts:read"]) }],
]);

const app = Fastify({ logger: false });
app.addHook("onRequest", async (request, reply) => {
  const header = request.headers.authorization ?? "";
  const caller = callers.get(createHash("sha256").update(header.slice(7)).digest("hex"));
  if (!caller) return reply.code(401).send({ code: "invalid_token" });
  if (!caller.permissions.has("crm.contacts:read")) return reply.code(403).send({ code: "permission_denied" });
  request.caller = caller;
});
app.get("/api/contacts/:id", (request, reply) => {
  const row = select.get(request.caller.organization, request.params.id);
  if (!row) return reply.code(404).send({ code: "not_found" });
  const record = {};
  for (const name of columns) {
    const value = row[name];
    record[camel[name]] = typeof value === "string" && (value[0] === "[" || value[0] === "{") ? JSON.parse(value) : value;
  }
  reply.header("ETag", `"${row.version}"`);
  return record;
});
await app.listen({ port: Number(port), host: "127.0.0.1" });
console.log("ready");
