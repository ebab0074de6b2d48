// The peer of a dashboard's batch: the same fan-out, limits and checks, in fastify with undici and a cache in memory.
// Usage: node dashboard.mjs PORT TOKEN ORGANIZATION PORT_OF_APPS APPS
import { createHash } from "node:crypto";
import Ajv from "ajv";
import Fastify from "fastify";
import { Agent, request } from "undici";

const [port, token, organization, appsPort, count] = process.argv.slice(2);
const [freshFor, staleFor, appBudget, pageBudget, parallel, largest] = [45_000, 300_000, 1_500, 2_000, 8, 65_536];
const hash = (text) => createHash("sha256").update(text).digest("hex");
const callers = new Map([[hash(token), { id: "usr_1", organization, permissions: new Set(["launchpad.widgets:read"]), version: "1" }]]);
const installed = new Set(Array.from({ length: Number(count) }, (_, at) => `app-${at}`));
const agent = new Agent({ connections: 64 });

const text = (maxLength) => ({ type: "string", maxLength });
const href = { type: ["string", "null"], pattern: "^/(?!/)" };
const valid = new Ajv({ removeAdditional: true }).compile({
  type: "object",
  required: ["schemaVersion", "service_id", "widgetId", "status", "title", "generatedAt", "context"],
  properties: {
    schemaVersion: { const: 1 },
    service_id: { type: "string" },
    widgetId: { type: "string" },
    status: { enum: ["ok", "empty", "setup_required", "degraded"] },
    title: text(80),
    summary: { type: ["string", "null"], maxLength: 160 },
    context: { type: "object", required: ["kind"], properties: { kind: { type: "string" }, organizationId: { type: "string" } } },
    metrics: { type: "array", maxItems: 6, items: { type: "object", properties: { id: text(200), label: text(200), href } } },
    items: { type: "array", maxItems: 10, items: { type: "object", properties: { id: text(200), title: text(200), href } } },
  },
});

const cache = new Map();
const flights = new Map();
async function fetchWidget(reference) {
  const { service_id, widgetId } = reference;
  const query = new URLSearchParams({ widgetId, context: "organization", organizationId: organization, locale: "en" });
  const { statusCode, body } = await request(`http://127.0.0.1:${appsPort}/${service_id}/api/widget?${query}`, {
    dispatcher: agent,
    headers: { Authorization: `Bearer ${hash(service_id)}`, Accept: "application/json" },
    signal: AbortSignal.timeout(appBudget),
  });
  const sent = await body.text();
  if (statusCode !== 200) throw new Error(`http_${statusCode}`);
  if (sent.length > largest) throw new Error("too_large");
  const widget = JSON.parse(sent);
  if (!valid(widget) || widget.service_id !== service_id || widget.context.organizationId !== organization) throw new Error("bad_payload");
  return { widget, at: Date.now() };
}

async function tileOf(caller, reference, queue) {
  const key = hash([caller.id, caller.organization, reference.service_id, reference.widgetId, "en", caller.version].join("\n"));
  const known = cache.get(key);
  const age = known ? Date.now() - known.at : Infinity;
  const tile = (source, { widget, at }, error = null) => ({
    service_id: reference.service_id,
    widgetId: reference.widgetId,
    source,
    fetchedAt: new Date(at).toISOString(),
    ageSeconds: Math.floor((Date.now() - at) / 1_000),
    stale: source === "stale",
    widget,
    error,
  });
  if (age < freshFor) return tile("cache", known);
  try {
    if (!flights.has(key))
      flights.set(
        key,
        queue(() => fetchWidget(reference)).finally(() => flights.delete(key)),
      );
    const fetched = await flights.get(key);
    cache.set(key, fetched);
    return tile("native", fetched);
  } catch (error) {
    const failure = { code: error.name === "TimeoutError" ? "timeout" : error.message, status: null };
    if (age < staleFor) return tile("stale", known, failure);
    return tile("metadata", { widget: { status: "degraded", title: reference.service_id }, at: Date.now() }, failure);
  }
}

/** Runs at most eight at a time. */
function makeQueue() {
  let running = 0;
  const waiting = [];
  const next = () => {
    while (running < parallel && waiting.length > 0) {
      ++running;
      waiting
        .shift()()
        .finally(() => (--running, next()));
    }
  };
  return (work) =>
    new Promise((done, failed) => {
      waiting.push(() => work().then(done, failed));
      next();
    });
}

const app = Fastify({ logger: false });
const reference = {
  type: "object",
  required: ["service_id"],
  properties: { service_id: text(40), widgetId: { ...text(80), default: "overview" } },
};
const schema = {
  body: { type: "object", properties: { widgets: { type: "array", maxItems: 40, items: reference }, refresh: { type: "boolean" } } },
};
app.post("/api/widgets", { schema }, async (asked, reply) => {
  const caller = callers.get(hash((asked.headers.authorization ?? "").slice(7)));
  if (!caller) return reply.code(401).send({ code: "invalid_token" });
  if (!caller.permissions.has("launchpad.widgets:read")) return reply.code(403).send({ code: "permission_denied" });
  const began = Date.now();
  const queue = makeQueue();
  const wanted = asked.body.widgets.filter(({ service_id }) => installed.has(service_id));
  const late = new Promise((done) => setTimeout(done, pageBudget).unref());
  const widgets = await Promise.all(wanted.map((each) => Promise.race([tileOf(caller, each, queue), late])));
  return {
    activeContext: { kind: "organization", organizationId: organization },
    generatedAt: new Date().toISOString(),
    durationMs: Date.now() - began,
    budgetMs: pageBudget,
    widgets,
    excluded: [],
    nextRefreshSeconds: freshFor / 1_000,
  };
});
await app.listen({ port: Number(port), host: "127.0.0.1" });
console.log("ready");
