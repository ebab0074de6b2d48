// The documentation page: reads /openapi.json of its origin and shows it.

import { element, prose } from "./dom.js";
import { operationCard } from "./operation.js";
import { resolver, schemaView } from "./schema.js";

const byId = (id) => document.getElementById(id);
const methods = ["get", "post", "put", "patch", "delete"];

// Operations by tag, in the order of their paths.
function groups(api) {
  const found = new Map();
  for (const [path, item] of Object.entries(api.paths).sort(([a], [b]) => a.localeCompare(b)))
    for (const method of methods) {
      if (!item[method]) continue;
      const operation = { operationId: `${method}${path}`, ...item[method], method, path };
      const tag = operation.tags?.[0] ?? "service";
      found.set(tag, [...(found.get(tag) ?? []), operation]);
    }
  // Health belongs to every service: it comes last.
  return [...found].sort(([a], [b]) => (a === "health") - (b === "health") || a.localeCompare(b));
}

function showHeader(api) {
  document.title = `${api.info.title} · API documentation`;
  byId("brand").textContent = api.info.title;
  byId("header").append(
    element("p", { class: "eyebrow" }, `Version ${api.info.version} · OpenAPI ${api.openapi}`),
    element("h1", {}, api.info.title),
    element("p", { class: "lead" }, prose(api.info.description ?? "")),
    element(
      "p",
      { class: "server" },
      element("code", {}, api.servers?.[0]?.url ?? location.origin),
      element("a", { href: "/openapi.json" }, "openapi.json"),
    ),
  );
}

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.tagName === "DETAILS") target.open = true;
  target.scrollIntoView({ block: "start" });
}

function indexLink(operation) {
  return element(
    "a",
    { href: `#${operation.operationId}`, "data-text": `${operation.method} ${operation.path} ${operation.summary ?? ""}`.toLowerCase() },
    element("span", { class: `method small ${operation.method}` }, operation.method === "delete" ? "DEL" : operation.method.toUpperCase()),
    element("span", { class: "index-path", title: operation.path }, operation.path.replace(/^\/api(?=\/.)/, "")),
  );
}

function showOperations(api, resolve, credential) {
  for (const [tag, operations] of groups(api)) {
    byId("index").append(element("div", { class: "index-group" }, element("h2", {}, tag), operations.map(indexLink)));
    byId("operations").append(
      element(
        "section",
        { "aria-labelledby": `tag-${tag}` },
        element("h2", { id: `tag-${tag}` }, tag),
        operations.map((operation) => operationCard(operation, resolve, credential)),
      ),
    );
  }
}

function showSchemas(api, resolve) {
  const schemas = Object.entries(api.components?.schemas ?? {}).sort(([a], [b]) => a.localeCompare(b));
  byId("schemas").hidden = schemas.length === 0;
  for (const [name, schema] of schemas) {
    const details = element(
      "details",
      { class: "operation schema-card", id: `schema-${name}` },
      element("summary", {}, element("span", { class: "path" }, name)),
    );
    details.addEventListener(
      "toggle",
      () => details.append(element("div", { class: "operation-body single" }, schemaView(schema, resolve))),
      { once: true },
    );
    byId("schema-list").append(details);
  }
}

function search() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const group of document.querySelectorAll(".index-group")) {
    let shown = 0;
    for (const link of group.querySelectorAll("a")) {
      link.hidden = !words.every((word) => link.dataset.text.includes(word));
      byId(decodeURIComponent(link.hash.slice(1))).hidden = link.hidden;
      shown += link.hidden ? 0 : 1;
    }
    group.hidden = shown === 0;
  }
  for (const section of document.querySelectorAll("#operations > section"))
    section.hidden = !section.querySelector(".operation:not([hidden])");
}

function setUpSearch() {
  byId("search").addEventListener("input", search);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    byId("search").focus();
  });
}

// The access token of who is signed in at this origin: one refresh by cookie. It stays in memory, as a pasted one does.
async function tokenOfSession() {
  const response = await fetch("/api/auth/refresh", { method: "POST", headers: { "X-Platform-Auth": "1" }, credentials: "same-origin" });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok || !answer.access_token)
    throw new Error(
      response.status === 401 ? "nobody is signed in at this origin" : (answer.detail ?? `the answer was ${response.status}`),
    );
  return answer.access_token;
}

function setUpCredential(credential) {
  const tell = () => {
    byId("credential-state").textContent = credential.value
      ? `${credential.kind === "key" ? "An API key" : "An access token"} is sent.`
      : "None is sent.";
    byId("credentials").classList.toggle("active", Boolean(credential.value));
  };
  const use = (value) => {
    credential.kind = byId("credential-kind").value;
    credential.value = value;
    tell();
  };
  byId("credential-form").addEventListener("submit", (event) => {
    event.preventDefault();
    use(
      byId("credential-value")
        .value.trim()
        .replace(/^bearer\s+/i, ""),
    );
  });
  byId("credential-session").addEventListener("click", async (event) => {
    event.target.disabled = true;
    try {
      const token = await tokenOfSession();
      byId("credential-kind").value = "bearer";
      byId("credential-value").value = token;
      use(token);
    } catch (error) {
      byId("credential-state").textContent = `Your sign-in cannot be used: ${error.message}.`;
    } finally {
      event.target.disabled = false;
    }
  });
  byId("credential-forget").addEventListener("click", () => {
    byId("credential-value").value = "";
    use("");
  });
  byId("credentials").hidden = false;
}

async function start() {
  const response = await fetch("/openapi.json");
  if (!response.ok) throw new Error(`/openapi.json answered ${response.status}`);
  const api = await response.json();
  const resolve = resolver(api);
  const credential = { kind: "bearer", value: "" };
  showHeader(api);
  setUpCredential(credential);
  showOperations(api, resolve, credential);
  showSchemas(api, resolve);
  setUpSearch();
  addEventListener("hashchange", openTarget);
  openTarget();
}

start().catch((error) => {
  byId("header").replaceChildren(element("p", { class: "notice failed", role: "alert" }, `The document cannot be shown: ${error.message}`));
});
