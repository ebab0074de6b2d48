// Apps of a dashboard: GET /{id}/api/widget answers a widget of ordinary size; the named ones never answer.
// Usage: node apps.mjs PORT [ID…]
import { createServer } from "node:http";

const [port, ...hanging] = process.argv.slice(2);
const metric = (id, value) => ({
  id,
  label: `Label of ${id}`,
  value,
  format: "integer",
  unit: null,
  currency: null,
  delta: null,
  href: `/list?by=${id}`,
});
const item = (id) => ({
  id: `item${id}`,
  title: `Renewal of customer ${id}`,
  subtitle: "Stage: Offer",
  timestamp: "2026-11-28T08:00:00.000Z",
  status: "info",
  badge: null,
  iconUrl: null,
  href: `/deals/${id}`,
});
const widget = (service, query) => ({
  schemaVersion: 1,
  service_id: service,
  widgetId: query.get("widgetId"),
  status: "ok",
  title: `Title of ${service}`,
  summary: "4 deals need attention",
  generatedAt: new Date().toISOString(),
  refreshAfterSeconds: 45,
  context: { kind: query.get("context"), organizationId: query.get("organizationId") },
  metrics: [metric("open", 42), metric("won", 7), metric("lost", 3)],
  items: [1, 2, 3, 4, 5].map(item),
  counts: { attention: 4, unread: 0 },
  more: { label: "Open pipeline", href: "/pipeline" },
});

createServer((request, response) => {
  const url = new URL(request.url, "http://apps");
  const service = url.pathname.split("/")[1];
  if (hanging.includes(service)) return;
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify(widget(service, url.searchParams)));
}).listen(Number(port), "127.0.0.1", () => console.log("ready"));
