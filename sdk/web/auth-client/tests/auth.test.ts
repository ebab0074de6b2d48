import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createAuth, type Auth } from "../src/index.ts";
import { answers, json, me, problem, serverOf, token, type Sent } from "./server.ts";

const origin = "http://crm.localhost:8080";
const authUrl = "http://identity.localhost:8080";
const opened: Auth[] = [];

/** A tab whose server answers so; what is said of `now` is what the timers count by. */
function tab(more: Record<string, (sent: Sent) => Response | Promise<Response>> = {}) {
  const server = serverOf(answers(more));
  vi.stubGlobal("fetch", server);
  const auth = createAuth({ serviceId: "crm", authUrl, apiUrl: origin });
  opened.push(auth);
  return { auth, server };
}

const storage = new Map<string, string>();

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  storage.clear();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => void storage.set(key, value),
    removeItem: (key: string) => void storage.delete(key),
  });
});
afterEach(() => {
  opened.splice(0).forEach((auth) => auth.close());
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const refreshes = (server: ReturnType<typeof serverOf>) => server.of("/api/auth/refresh").length;

test("sends what the cookie's rule asks for, and the token with what the app asks", async () => {
  const { auth, server } = tab();
  await auth.start();
  expect(Object.fromEntries(server.of("/api/auth/refresh")[0]!.headers)).toMatchObject({
    "x-platform-auth": "1",
    "content-type": "application/json",
  });
  await auth.fetch("/api/contacts", { method: "POST", body: "{}", version: 3 });
  const [sent] = server.of("/api/contacts");
  expect(sent!.headers.get("authorization")).toMatch(/^Bearer /);
  expect(sent!.headers.get("if-match")).toBe('"3"');
  expect(sent!.headers.get("idempotency-key")).toMatch(/^[\w-]{24}$/);
  expect(sent!.headers.get("x-platform-auth")).toBeNull();
});

test("a token of another origin's requests does not exist", async () => {
  const { auth, server } = tab();
  await auth.start();
  await expect(auth.fetch("https://evil.example/api")).rejects.toThrow(TypeError);
  await expect(auth.fetch("//evil.example/api")).rejects.toThrow(TypeError);
  expect(server.sent.map((each) => each.path)).not.toContain("/api");
});

test("401 of a token: one refresh for all that are refused, each repeated once with the same key", async () => {
  const { auth, server } = tab({
    "POST /api/contacts": ({ headers }) =>
      headers.get("authorization") === `Bearer ${first}` ? problem(401, "invalid_token") : json({ id: "con_1" }, 201),
    "POST /api/auth/refresh": () => json({ access_token: refreshes(server) > 1 ? token() : first }),
  });
  const first = token();
  await auth.start();
  const made = await Promise.all(Array.from({ length: 20 }, () => auth.fetch("/api/contacts", { method: "POST", body: "{}" })));
  expect(made.map((each) => each.status)).toEqual(Array.from({ length: 20 }, () => 201));
  expect(refreshes(server)).toBe(2);
  const keys = server.of("/api/contacts").map((each) => each.headers.get("idempotency-key"));
  expect(keys.length).toBe(40);
  expect(new Set(keys).size).toBe(20);
});

test("what is refused again is the app's", async () => {
  const { auth, server } = tab({ "GET /api/contacts": () => problem(401, "invalid_token") });
  await auth.start();
  expect((await auth.fetch("/api/contacts")).status).toBe(401);
  expect(server.of("/api/contacts").length).toBe(2);
  expect(refreshes(server)).toBe(2);
});

test.each([["invalid_code"], ["invalid_credentials"], ["session_ended"]])("401 %s speaks of what was typed", async (code) => {
  const { auth, server } = tab({ "GET /api/contacts": () => problem(401, code) });
  await auth.start();
  expect((await auth.fetch("/api/contacts")).status).toBe(401);
  expect(refreshes(server)).toBe(1);
  expect(auth.state.status).toBe("signedIn");
});

test.each<[string, () => Response]>([
  ["503", () => problem(503, "validation_unavailable", {}, { "Retry-After": "7" })],
  ["500", () => problem(500, "internal")],
  ["429", () => problem(429, "rate_limited")],
  ["a page instead of an answer", () => new Response("<html>", { status: 200 })],
  ["a page that says 401", () => new Response("<html>", { status: 401 })],
  ["an answer without a token", () => json({})],
  ["a token of another service", () => json({ access_token: token({ aud: "calendar" }) })],
  [
    "no network",
    () => {
      throw new TypeError("Failed to fetch");
    },
  ],
])("%s at a refresh ends no session", async (_, answer) => {
  let broken = false;
  const { auth, server } = tab({ "POST /api/auth/refresh": () => (broken ? answer() : json({ access_token: token() })) });
  await auth.start();
  broken = true;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(refreshes(server)).toBeGreaterThan(2);
  expect(refreshes(server)).toBeLessThan(20);
  expect(auth.state.status).toBe("signedIn");
  await expect(auth.fetch("/api/contacts")).rejects.toMatchObject({ name: "Problem" });
  expect(auth.state.status).toBe("signedIn");
  broken = false;
  await vi.advanceTimersByTimeAsync(40_000);
  expect((await auth.fetch("/api/contacts")).status).toBe(200);
});

test("a server that cannot be reached at the start is asked again until it answers", async () => {
  let broken = true;
  const { auth, server } = tab({ "POST /api/auth/refresh": () => (broken ? problem(503, "overloaded") : json({ access_token: token() })) });
  expect(await auth.start()).toMatchObject({ status: "unavailable", error: { status: 503 } });
  await expect(auth.fetch("/api/contacts")).rejects.toMatchObject({ status: 503 });
  await vi.advanceTimersByTimeAsync(4_900);
  expect(refreshes(server)).toBe(1);
  broken = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(auth.state.status).toBe("signedIn");
});

test.each([["refresh_expired"], ["refresh_reuse_detected"], ["session_ended"], ["refresh_missing"]])(
  "%s ends the session, and nothing is sent after it",
  async (code) => {
    const { auth, server } = tab({
      "POST /api/auth/refresh": () => (refreshes(server) > 1 ? problem(401, code) : json({ access_token: token() })),
      "GET /api/contacts": () => problem(401, "invalid_token"),
    });
    await auth.start();
    await expect(auth.fetch("/api/contacts")).rejects.toMatchObject({ code });
    expect(auth.state).toEqual({ status: "signedOut", reason: code, userId: "usr_1" });
    const sent = server.sent.length;
    await expect(auth.fetch("/api/contacts")).rejects.toMatchObject({ code: "signed_out" });
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(server.sent.length).toBe(sent);
  },
);

test("who was never signed in learns no reason", async () => {
  const { auth } = tab({ "POST /api/auth/refresh": () => problem(401, "refresh_missing") });
  expect(await auth.start()).toEqual({ status: "signedOut", reason: "", userId: null });
});

test("the time is the server's, also after a reload", async () => {
  const ahead = () => json({ access_token: token({ iat: 1_800_086_400, exp: 1_800_087_000 }) });
  const { auth } = tab({ "POST /api/auth/refresh": ahead });
  expect(auth.now()).toBe(1_800_000_000_000);
  await auth.start();
  expect(auth.now()).toBe(1_800_086_400_000);
  auth.close();
  const { auth: again } = tab();
  await again.start();
  expect(again.now()).toBe(1_800_086_400_000);
});

test("ten lives are ten refreshes, whatever the computer's clock says", async () => {
  const { auth, server } = tab({
    "POST /api/auth/refresh": () => {
      const now = Math.floor((Date.now() - 86_400_000) / 1_000);
      return json({ access_token: token({ iat: now, exp: now + 600 }) });
    },
  });
  await auth.start();
  await vi.advanceTimersByTimeAsync(10 * 600_000);
  expect(refreshes(server)).toBeGreaterThanOrEqual(11);
  expect(refreshes(server)).toBeLessThanOrEqual(13);
});

test("a reload of the page takes the token of the tab, by the server's clock", async () => {
  const late = Math.floor(Date.now() / 1_000) + 86_400;
  const { auth } = tab({ "POST /api/auth/refresh": () => json({ access_token: token({ iat: late, exp: late + 600 }) }) });
  await auth.start();
  auth.close();
  const again = tab();
  expect(await again.auth.start()).toMatchObject({ status: "signedIn" });
  expect(refreshes(again.server)).toBe(0);
  again.auth.close();
  vi.setSystemTime(Date.now() + 700_000);
  const later = tab();
  await later.auth.start();
  expect(refreshes(later.server)).toBe(1);
});

test.each([["{"], ["null"], ['{"token":7,"skew":"x"}'], ['{"token":"a.b.c","skew":null}']])("a kept %s is nothing", async (text) => {
  storage.set("portico.crm.token", text);
  const { auth, server } = tab();
  await auth.start();
  expect(refreshes(server)).toBe(1);
});

test("an answer of before the sign-out does not sign in again", async () => {
  let answer: (response: Response) => void = () => undefined;
  const { auth } = tab({
    "POST /api/auth/refresh": () =>
      auth.state.status === "starting" ? json({ access_token: token() }) : new Promise((done) => (answer = done)),
    "GET /api/contacts": () => problem(401, "invalid_token"),
  });
  await auth.start();
  const refused = expect(auth.fetch("/api/contacts")).rejects.toMatchObject({ name: "Problem" });
  await vi.waitFor(() => expect(answer.length).toBe(1), 30_000);
  await auth.signOut();
  answer(json({ access_token: token() }));
  await refused;
  expect(auth.state).toEqual({ status: "signedOut", reason: "signed_out", userId: "usr_1" });
  expect([...storage.keys()]).toEqual([]);
});

test("a sign-out that does not arrive is not believed", async () => {
  const { auth } = tab({
    "POST /api/auth/logout": () => {
      throw new TypeError("Failed to fetch");
    },
  });
  await auth.start();
  await expect(auth.signOut()).rejects.toMatchObject({ code: "unavailable" });
  expect(auth.state.status).toBe("signedIn");
});

test("a sign-out without a cookie says whose it is by the token; one of a session that has ended is one, too", async () => {
  const { auth, server } = tab({
    "POST /api/auth/logout": ({ headers }) => problem(401, headers.has("authorization") ? "invalid_token" : "authentication_required"),
  });
  await auth.start();
  await auth.signOut();
  expect(server.of("/api/auth/logout").length).toBe(2);
  expect(auth.state.status).toBe("signedOut");
});

test("a second factor follows the password", async () => {
  const { auth } = tab({
    "POST /api/auth/login": () => problem(403, "mfa_required", { mfaToken: "mfa_1", factors: ["totp"] }),
    "POST /api/auth/mfa/verify": ({ body }) => (body.includes("123456") ? json({ access_token: token() }) : problem(401, "invalid_code")),
  });
  await expect(auth.signIn({ identifier: "a", password: "b" })).rejects.toMatchObject({
    code: "mfa_required",
    details: { mfaToken: "mfa_1" },
  });
  await expect(auth.signInBy("mfa/verify", { mfaToken: "mfa_1", factor: "totp", code: "000000" })).rejects.toMatchObject({
    code: "invalid_code",
  });
  await auth.signInBy("mfa/verify", { mfaToken: "mfa_1", factor: "totp", code: "123456" });
  expect(auth.state.status).toBe("signedIn");
});

test("rights are known once they are read, and are asked with or without the service's name", async () => {
  const { auth } = tab({ "GET /api/auth/me": () => json(me({ effectivePermissions: ["crm.contacts:*"] })) });
  const seen: string[] = [];
  auth.subscribe((state) => seen.push(`${state.status} ${state.status === "signedIn" && state.me !== null}`));
  await auth.start();
  expect(auth.can("contacts:write")).toBe(false);
  await vi.waitFor(() => expect(auth.can("contacts:write")).toBe(true), 30_000);
  expect(auth.can("crm.contacts:read")).toBe(true);
  expect(auth.can("calendar.contacts:read")).toBe(false);
  expect(seen).toEqual(["signedIn false", "signedIn true"]);
});

test("rights that could not be read are read again", async () => {
  let times = 0;
  const { auth } = tab({ "GET /api/auth/me": () => (++times < 3 ? problem(503, "validation_unavailable") : json(me())) });
  await auth.start();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(auth.can("contacts:read")).toBe(true);
});

test("another organization empties what is known of the person", async () => {
  const { auth } = tab({ "PUT /api/auth/context": () => json({ access_token: token({ org_id: "org_2", role: "guest", prv: 2 }) }) });
  await auth.start();
  await vi.waitFor(() => expect(auth.can("contacts:read")).toBe(true), 30_000);
  await auth.switchContext({ kind: "organization", organizationId: "org_2" });
  expect(auth.state).toMatchObject({ status: "signedIn", organizationId: "org_2", role: "guest", me: null });
});

test("a refused switch leaves everything as it was", async () => {
  const { auth } = tab({ "PUT /api/auth/context": () => problem(403, "membership_required") });
  await auth.start();
  await expect(auth.switchContext({ kind: "personal" })).rejects.toMatchObject({ code: "membership_required", status: 403 });
  expect(auth.state).toMatchObject({ organizationId: "org_1" });
});

const callback = (query: string) => `${origin}/auth/callback?${query}`;

test("a callback that is mounted twice exchanges once", async () => {
  const { auth, server } = tab({ "POST /api/auth/sso/exchange": () => json({ access_token: token(), returnTo: "//evil.example" }) });
  const url = callback("sso_code=abc");
  const [first, second] = await Promise.all([auth.completeCallback({ url }), auth.completeCallback({ url })]);
  expect([first, second]).toEqual([{ returnTo: "/" }, { returnTo: "/" }]);
  expect(server.of("/api/auth/sso/exchange").length).toBe(1);
  expect(JSON.parse(server.of("/api/auth/sso/exchange")[0]!.body)).toEqual({
    sso_code: "abc",
    service_id: "crm",
    redirect_uri: `${origin}/auth/callback`,
  });
});

test("a callback answers what this tab has asked, and nothing else", async () => {
  const { auth, server } = tab({ "POST /api/auth/sso/exchange": () => json({ access_token: token(), returnTo: "/" }) });
  const asked = new URL(await auth.authorizeUrl({ prompt: "none", returnTo: "/contacts?q=ada" })).searchParams;
  expect(asked.get("code_challenge")).toMatch(/^[\w-]{43}$/);
  const state = asked.get("state");
  for (const foreign of ["sso_code=a&state=x", "sso_code=b&state=", `sso_code=c&state=${state}&iss=https://evil.example`])
    await expect(auth.completeCallback({ url: callback(foreign) })).rejects.toMatchObject({ code: "state_mismatch" });
  expect(server.of("/api/auth/sso/exchange").length).toBe(0);
  expect(await auth.completeCallback({ url: callback(`sso_code=d&state=${state}&iss=${authUrl}`) })).toEqual({
    returnTo: "/contacts?q=ada",
  });
  expect(JSON.parse(server.of("/api/auth/sso/exchange")[0]!.body)["code_verifier"]).toMatch(/^[\w-]{64}$/);
});

test("identity's no comes with the way back", async () => {
  const { auth } = tab();
  const state = new URL(await auth.authorizeUrl({ returnTo: "/contacts" })).searchParams.get("state");
  await expect(auth.completeCallback({ url: callback(`error=login_required&state=${state}`) })).rejects.toMatchObject({
    code: "login_required",
    details: { returnTo: "/contacts" },
  });
});

test("a change of the account is asked for", async () => {
  const { auth } = tab({
    "POST /api/auth/sso/exchange": ({ body }) =>
      body.includes("confirmAccountSwitch")
        ? json({ access_token: token({ sub: "usr_2", sid: "ses_2" }), returnTo: "/a" })
        : problem(409, "account_switch_confirmation_required", { current: {}, incoming: {} }),
  });
  const url = callback("sso_code=abc");
  await expect(auth.completeCallback({ url })).rejects.toMatchObject({ code: "account_switch_confirmation_required" });
  expect(await auth.completeCallback({ url, confirmAccountSwitch: true })).toEqual({ returnTo: "/a" });
  expect(auth.state).toMatchObject({ status: "signedIn", userId: "usr_2" });
});

test("where nothing can be kept, signing in here goes on", async () => {
  const { auth } = tab();
  vi.stubGlobal(
    "sessionStorage",
    new Proxy(
      {},
      {
        get: () => {
          throw new DOMException("no", "SecurityError");
        },
      },
    ),
  );
  await auth.signIn({ identifier: "a", password: "b" });
  expect(auth.state.status).toBe("signedIn");
  await expect(auth.authorizeUrl()).rejects.toMatchObject({ code: "storage_forbidden" });
});

test("where even asking for a database throws, a tab is on its own", async () => {
  vi.stubGlobal("navigator", {});
  Object.defineProperty(globalThis, "indexedDB", {
    configurable: true,
    get: () => {
      throw new DOMException("no", "SecurityError");
    },
  });
  const { auth, server } = tab();
  expect((await auth.start()).status).toBe("signedIn");
  expect(server.of("/api/auth/refresh").length).toBe(1);
  Reflect.deleteProperty(globalThis, "indexedDB");
});
