import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Auth, AuthFetchInit, AuthState } from "@portico/auth-client";
import { createSender } from "../src/sender.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const signedIn = (userId = "usr_1") => ({ status: "signedIn", userId }) as unknown as AuthState;

/** An auth whose answers are told beforehand, one for each request; after them it succeeds. */
function faked(...answers: (Response | Error)[]) {
  const sent: { path: string; key: unknown; context: string | null }[] = [];
  const listeners = new Set<() => void>();
  const state = { now: signedIn() };
  const auth = {
    get state() {
      return state.now;
    },
    subscribe: (listener: () => void) => (listeners.add(listener), () => listeners.delete(listener)),
    readMe: vi.fn(() => Promise.resolve({})),
    fetch: (path: string, init: AuthFetchInit = {}) => {
      sent.push({ path, key: init.idempotencyKey, context: new Headers(init.headers).get("X-Portico-Context") });
      const answer = answers.shift() ?? Response.json({ ok: true });
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  } as unknown as Auth & { readMe: ReturnType<typeof vi.fn> };
  const sender = createSender(auth, () => 0.5);
  return { auth, sender, sent, become: (next: AuthState) => ((state.now = next), listeners.forEach((each) => each())) };
}
const problem = (status: number, code: string, headers: Record<string, string> = {}) => Response.json({ code }, { status, headers });
const offline = () => new TypeError("Failed to fetch");
const statusOf = async (promise: Promise<Response>) => (await promise).status;

test("a lost network is waited for, and the write is sent once more with its key", async () => {
  const { sender, sent } = faked(offline(), offline());
  const answer = statusOf(sender.fetch("/api/contacts", { method: "POST", body: "{}" }));
  await vi.advanceTimersByTimeAsync(0);
  expect(sender.trouble.value).toMatchObject({ unsent: 1, offlineSince: expect.any(Number) });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await answer).toBe(200);
  expect(sent).toHaveLength(3);
  expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  expect(sender.trouble.value).toMatchObject({ unsent: 0, offlineSince: null });
});

test("a POST that only reads is no unsaved change, and holds up none", async () => {
  const { sender, sent } = faked(offline(), offline());
  const tiles = statusOf(sender.fetch("/api/widgets", { method: "POST", body: "{}", reads: true }));
  await vi.advanceTimersByTimeAsync(0);
  expect(sender.trouble.value).toMatchObject({ unsent: 0, offlineSince: expect.any(Number) });
  expect(sent[0]?.key).toBe(undefined);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await tiles).toBe(200);
});

test("a switch of the workspace waits for the answer of a write, and not for the network", async () => {
  const { auth, sender } = faked();
  let answer: (response: Response) => void = () => undefined;
  auth.fetch = () => new Promise<Response>((done) => (answer = done));
  const settled = vi.fn();
  void sender.settled().then(settled);
  const written = statusOf(sender.fetch("/api/contacts/1", { method: "PUT" }));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(settled).not.toHaveBeenCalled();
  answer(Response.json({}));
  expect(await written).toBe(200);
  await vi.advanceTimersByTimeAsync(50);
  expect(settled).toHaveBeenCalledOnce();

  const away = faked(offline());
  const waiting = statusOf(away.sender.fetch("/api/contacts/1", { method: "PUT" }));
  const over = away.sender.settled();
  await vi.advanceTimersByTimeAsync(50);
  await over;
  expect(away.sender.trouble.value.unsent).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await waiting).toBe(200);
});

test("a switch of the workspace waits for a write that is sent again after a newer version was read", async () => {
  const { sender } = faked(problem(412, "version_conflict"));
  expect(await statusOf(sender.fetch("/api/contacts/1", { method: "PUT" }))).toBe(412);
  const settled = vi.fn();
  void sender.settled().then(settled);
  await vi.advanceTimersByTimeAsync(500);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(600);
  expect(settled).toHaveBeenCalledOnce();
});

test("what waits for the network goes on with the first answer", async () => {
  const { sender, sent } = faked(offline(), offline(), offline(), offline());
  const waiting = ["/api/a", "/api/b"].map((path) => statusOf(sender.fetch(path)));
  await vi.advanceTimersByTimeAsync(3_100);
  expect(sent).toHaveLength(4);
  expect(await statusOf(sender.fetch("/api/c"))).toBe(200);
  await vi.advanceTimersByTimeAsync(0);
  expect(await Promise.all(waiting)).toEqual([200, 200]);
});

test("a request that still runs is waited for, and one whose host died with it is the caller's", async () => {
  const running = (seconds: number) => problem(409, "request_in_progress", { "Retry-After": String(seconds) });
  const { sender, sent } = faked(running(1), running(2), running(4));
  const answer = statusOf(sender.fetch("/api/contacts", { method: "POST" }));
  await vi.advanceTimersByTimeAsync(7_000);
  expect(await answer).toBe(200);
  expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  const dead = faked(running(8), running(16));
  const unknown = statusOf(dead.sender.fetch("/api/contacts", { method: "POST" }));
  await vi.advanceTimersByTimeAsync(8_000);
  expect(await unknown).toBe(409);
  expect(dead.sent).toHaveLength(2);
});

test("writes that waited are sent in the order in which they were made", async () => {
  const { sender, sent } = faked(offline());
  const first = sender.fetch("/api/a", { method: "PATCH", body: "{}" });
  await vi.advanceTimersByTimeAsync(0);
  const second = sender.fetch("/api/b", { method: "PATCH", body: "{}" });
  const third = sender.fetch("/api/c", { method: "DELETE" });
  await vi.advanceTimersByTimeAsync(0);
  expect(sent.map(({ path }) => path)).toEqual(["/api/a"]);
  sender.tryAgain();
  await vi.advanceTimersByTimeAsync(0);
  await Promise.all([first, second, third]);
  expect(sent.map(({ path }) => path)).toEqual(["/api/a", "/api/a", "/api/b", "/api/c"]);
});

test("what a service says about a server elsewhere is the call's own, and what a proxy says about the service is waited for", async () => {
  const { sender, sent } = faked(problem(502, "calendar_unreachable"), new Response("<html>", { status: 502 }));
  expect(await statusOf(sender.fetch("/api/discover", { method: "POST", body: "{}" }))).toBe(502);
  expect(sender.trouble.value.busy).toBe(null);
  const answer = statusOf(sender.fetch("/api/contacts"));
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await answer).toBe(200);
  expect(sent).toHaveLength(3);
});

test("what the server cannot do now is asked again no sooner than in 5 s", async () => {
  const { sender, sent } = faked(problem(503, "overloaded", { "Retry-After": "1" }));
  const answer = statusOf(sender.fetch("/api/contacts"));
  await vi.advanceTimersByTimeAsync(4_900);
  expect(sent).toHaveLength(1);
  expect(sender.trouble.value.busy?.code).toBe("overloaded");
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await answer).toBe(200);
  expect(sender.trouble.value.busy).toBeNull();
});

test("a 429 behind an open dialog is the dialog's to show", async () => {
  vi.stubGlobal("document", { querySelector: (selector: string) => (selector === "dialog[open]" ? {} : null) });
  const { sender, sent } = faked(problem(429, "rate_limited", { "Retry-After": "2" }));
  expect(await statusOf(sender.fetch("/api/ai/generate-image", { method: "POST", body: "{}" }))).toBe(429);
  expect([sent.length, sender.trouble.value.held]).toEqual([1, null]);
  vi.unstubAllGlobals();
});

test("a 503 of the service's own is the call's answer", async () => {
  const { sender, sent } = faked(problem(503, "gateway_unconfigured"));
  expect(await statusOf(sender.fetch("/api/ai/generate-image", { method: "POST", body: "{}" }))).toBe(503);
  expect([sent.length, sender.trouble.value.busy]).toEqual([1, null]);
});

test("a service that is switched off is asked every 10 s until it is back", async () => {
  const { sender, sent } = faked(problem(503, "service_disabled"), problem(503, "service_disabled"));
  const answer = statusOf(sender.fetch("/api/contacts"));
  await vi.advanceTimersByTimeAsync(0);
  expect(sender.trouble.value.off).toBe("service_disabled");
  await vi.advanceTimersByTimeAsync(9_999);
  expect(sent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(10_001);
  expect(await answer).toBe(200);
  expect([sent.length, sender.trouble.value.off]).toEqual([3, null]);
});

test("a session that is over sends nothing until the same person has signed in", async () => {
  const { sender, sent, become } = faked(problem(401, "session_ended"));
  const answer = statusOf(sender.fetch("/api/contacts"));
  become({ status: "signedOut", reason: "session_ended", userId: "usr_1" });
  await vi.advanceTimersByTimeAsync(60_000);
  expect([sent.length, sender.trouble.value.ended]).toEqual([1, "session_ended"]);
  become(signedIn());
  expect(await answer).toBe(200);
  expect(sender.trouble.value.ended).toBeNull();
});

test("what one person asked for is not sent as another", async () => {
  const { sender, sent, become } = faked(problem(401, "session_ended"));
  const answer = statusOf(sender.fetch("/api/contacts", { method: "POST" }));
  become({ status: "signedOut", reason: "session_ended", userId: "usr_1" });
  await vi.advanceTimersByTimeAsync(0);
  become(signedIn("usr_2"));
  expect(await answer).toBe(401);
  expect(sent).toHaveLength(1);
});

test("reading too much waits by itself, writing waits for the person", async () => {
  const { sender, sent } = faked(
    problem(429, "rate_limited", { "Retry-After": "2" }),
    problem(429, "rate_limited", { "Retry-After": "2" }),
  );
  const reading = statusOf(sender.fetch("/api/contacts"));
  await vi.advanceTimersByTimeAsync(3_000);
  // The second answer is of the repeat.
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await reading).toBe(200);
  const held = faked(problem(429, "rate_limited", { "Retry-After": "2" }));
  const writing = statusOf(held.sender.fetch("/api/contacts", { method: "POST" }));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(held.sent).toHaveLength(1);
  held.sender.trouble.value.held?.go();
  expect(await writing).toBe(200);
  expect(sent).toHaveLength(3);
});

test("one answer is for all that wait for it", async () => {
  const many = [0, 1, 2].map(() => problem(429, "rate_limited", { "Retry-After": "2" }));
  const { sender, sent } = faked(...many);
  const writing = Promise.all(many.map(() => statusOf(sender.fetch("/api/contacts", { method: "POST" }))));
  await vi.advanceTimersByTimeAsync(3_000);
  sender.trouble.value.held?.go();
  expect(await writing).toEqual([200, 200, 200]);
  expect([sent.length, sender.trouble.value.held, sender.trouble.value.unsent]).toEqual([6, null, 0]);
  const proven = faked(problem(403, "step_up_required"), problem(403, "step_up_required"));
  const asked: ((yes: boolean) => void)[] = [];
  proven.sender.questions = { stepUp: () => new Promise((done) => asked.push(done)), contextChanged: () => Promise.resolve(false) };
  const both = Promise.all(["/api/a", "/api/b"].map((path) => statusOf(proven.sender.fetch(path, { method: "POST" }))));
  await vi.advanceTimersByTimeAsync(0);
  asked.at(-1)?.(true);
  expect([await both, asked.length]).toEqual([[200, 200], 1]);
});

test("a fresh proof is asked for once, and who gives none gets the problem", async () => {
  const { sender, sent } = faked(problem(403, "step_up_required"));
  sender.questions = { stepUp: () => Promise.resolve(true), contextChanged: () => Promise.resolve(false) };
  expect(await statusOf(sender.fetch("/api/a", { method: "POST" }))).toBe(200);
  const refused = faked(problem(403, "step_up_required"));
  refused.sender.questions = { stepUp: () => Promise.resolve(false), contextChanged: () => Promise.resolve(false) };
  expect(await statusOf(refused.sender.fetch("/api/a", { method: "POST" }))).toBe(403);
  expect([sent.length, refused.sent.length]).toEqual([2, 1]);
});

test("each request says which context the page shows, but those about the sign-in", async () => {
  const { sender, sent } = faked();
  sender.context = "org_1";
  await sender.fetch("/api/contacts");
  await sender.fetch("/api/auth/me");
  expect(sent.map(({ context }) => context)).toEqual(["org_1", null]);
});

test("a refusal of rights reads them again, and is the caller's", async () => {
  const { auth, sender } = faked(problem(403, "permission_denied"));
  expect(await statusOf(sender.fetch("/api/contacts"))).toBe(403);
  expect(auth.readMe).toHaveBeenCalledOnce();
});

test("what is aborted ends its wait", async () => {
  const { sender } = faked(offline());
  const stop = new AbortController();
  const answer = sender.fetch("/api/contacts", { signal: stop.signal });
  const failed = expect(answer).rejects.toThrow("stopped");
  await vi.advanceTimersByTimeAsync(0);
  stop.abort(new DOMException("stopped", "AbortError"));
  await failed;
});

test.each([
  [409, "conflict"],
  [412, "version_conflict"],
  [400, "validation_failed"],
  [500, "internal"],
  [404, "not_found"],
])("%s %s is the caller's at once", async (status, code) => {
  const { sender, sent } = faked(problem(status, code));
  expect(await statusOf(sender.fetch("/api/contacts"))).toBe(status);
  expect(sent).toHaveLength(1);
});
