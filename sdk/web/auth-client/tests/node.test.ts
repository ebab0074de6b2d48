import { afterEach, expect, test, vi } from "vitest";
import { createHeadless, createValidator } from "../src/node.ts";
import { answers, json, problem, serverOf, token, type Sent } from "./server.ts";

afterEach(() => vi.unstubAllGlobals());

function server(more: Record<string, (sent: Sent) => Response | Promise<Response>> = {}) {
  const made = serverOf(answers(more));
  vi.stubGlobal("fetch", made);
  return made;
}

const who = { apiUrl: "http://crm.localhost:8080", serviceId: "crm", identifier: "robot@acme.example", password: "x" };

test("a program signs in once for all its calls, and again when its token is no longer taken", async () => {
  let refused = "";
  const made = server({
    "GET /api/contacts": ({ headers }) => (headers.get("authorization") === refused ? problem(401, "invalid_token") : json({ items: [] })),
  });
  const headless = createHeadless(who);
  await Promise.all([headless.fetch("/api/contacts"), headless.fetch("/api/contacts")]);
  expect(made.of("/api/auth/login").length).toBe(1);
  refused = `Bearer ${await headless.token()}`;
  expect((await headless.fetch("/api/contacts")).status).toBe(200);
  expect(made.of("/api/auth/login").length).toBe(2);
  expect(made.of("/api/auth/login")[0]!.headers.has("x-platform-auth")).toBe(false);
  await expect(headless.fetch("https://evil.example/")).rejects.toThrow(TypeError);
});

test("a sign-in that fails says why, and is tried anew by the next call", async () => {
  let code = "invalid_credentials";
  server({ "POST /api/auth/login": () => (code ? problem(401, code) : json({ access_token: token() })) });
  const headless = createHeadless(who);
  await expect(headless.token()).rejects.toMatchObject({ code: "invalid_credentials", status: 401 });
  code = "";
  expect(await headless.token()).toMatch(/^e/);
});

const sent = { authorization: "Bearer a.b.c" };
const validator = () => createValidator({ authUrl: "http://identity.localhost:8080", serviceId: "notes" });

test.each<[string, Response | null, object]>([
  [
    "a refusal is handed on",
    problem(401, "invalid_token", { reason: "expired" }),
    { status: 401, code: "invalid_token", details: { reason: "expired" } },
  ],
  ["so is one of a permission", problem(403, "permission_denied"), { status: 403, code: "permission_denied" }],
  [
    "503 is no 401",
    problem(503, "validation_unavailable", {}, { "Retry-After": "3" }),
    { status: 503, code: "validation_unavailable", retryAfter: 3 },
  ],
  ["500", problem(500, "internal"), { status: 503, code: "validation_unavailable" }],
  ["429", problem(429, "rate_limited"), { status: 503 }],
  ["a page", new Response("<html>"), { status: 503 }],
  ["a page that says 401", new Response("<html>", { status: 401 }), { status: 503 }],
  ["an answer without a person", json({ valid: true }), { status: 503 }],
  ["valid that is not true", json({ valid: "true", principal: { id: "usr_1" } }), { status: 503 }],
  ["no network", null, { status: 503, code: "validation_unavailable" }],
])("lets nobody in: %s", async (_, answer, error) => {
  server({
    "GET /validate": () => {
      if (!answer) throw new TypeError("Failed to fetch");
      return answer;
    },
  });
  await expect(validator()(sent)).rejects.toMatchObject(error);
});

test("who sends nothing is not asked about", async () => {
  const made = server();
  await expect(validator()({})).rejects.toMatchObject({ status: 401, code: "authentication_required" });
  expect(made.sent).toEqual([]);
});
