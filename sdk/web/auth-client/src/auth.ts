import { readClaims, type Claims } from "./claims.ts";
import { createClock } from "./clock.ts";
import { fetchCounted } from "./counted.ts";
import { problemOf, Problem, problemIn, jsonOf } from "./problem.ts";
import { createMemory } from "./memory.ts";
import { meOf, type Me } from "./people.ts";
import { allows } from "./permissions.ts";
import type { StreamEvent } from "./sse.ts";
import { createSso, type AuthorizeOptions, type CallbackResult } from "./sso.ts";
import { createStreams } from "./streams.ts";
import { createTabs } from "./tabs.ts";
import { isRecord, numberOf, parsed, randomText, textOf } from "./values.ts";
import { renewalTime, retryWait } from "./waits.ts";

/**
 * What an app says of itself.
 *
 * @example
 * const options: AuthOptions = { serviceId: "crm", authUrl: "http://identity.localhost:8080" };
 * createAuth(options).close();
 */
export interface AuthOptions {
  /** The service that this app belongs to; its tokens are the only ones taken. */
  serviceId: string;
  /** Origin of identity, for sign-ins that other apps share. */
  authUrl: string;
  /** Origin of the service, whose `/api/auth/*` and API are called. That of the page unless it is said. */
  apiUrl?: string;
  /** Path of the callback page as the service's manifest registers it; `/auth/callback`. */
  callbackPath?: string;
  /** Whether to be told by the server when the sign-in ends or changes; true. One connection for all tabs of the origin. */
  events?: boolean;
}

/**
 * Whether and as whom somebody is signed in. A value: each change is a new one.
 *
 * - `starting`: not known yet, or nobody has called `start`.
 * - `unavailable`: not to be found out, because the server cannot be reached; tried again by itself.
 * - `signedOut`: `reason` is empty for who was not signed in, else why it ended: `signed_out`, `session_ended`, `refresh_expired`,
 *   `refresh_reuse_detected`, `refresh_missing`. `userId` is who it was: when somebody else signs in, nothing of the app's memory is for them.
 * - `signedIn`: `me` is null until `/api/auth/me` has answered, and again when the context has changed.
 *
 * @example
 * const title = (state: AuthState) => (state.status === "signedIn" ? (state.me?.user.displayName ?? "…") : "Sign in");
 * console.log(title({ status: "signedOut", reason: "", userId: null })); // "Sign in"
 */
export type AuthState =
  | { readonly status: "starting" }
  | { readonly status: "unavailable"; readonly error: Problem }
  | { readonly status: "signedOut"; readonly reason: string; readonly userId: string | null }
  | ({ readonly status: "signedIn"; readonly me: Me | null } & Pick<
      Claims,
      "userId" | "sessionId" | "context" | "organizationId" | "role" | "actor"
    >);

/**
 * `RequestInit` of `fetch`, and what is particular here.
 *
 * @example
 * const change: AuthFetchInit = { method: "PATCH", body: "{}", version: 3 }; // If-Match: "3"
 * console.log(change.version);
 */
export interface AuthFetchInit extends RequestInit {
  /** The version that is changed (`If-Match`): 412 `version_conflict` when there is a newer one. */
  version?: number;
  /** Of a POST: send the same text when you repeat one whose answer was lost. A new one unless it is said; false for none. */
  idempotencyKey?: string | false;
  /** A POST that changes nothing: it is treated as a GET where the network or the server is away. */
  reads?: boolean;
  /** Told of the bytes of the body that are sent, as they go; in browsers only. */
  onSent?: (bytes: number) => void;
}

/**
 * A sign-in with a password.
 *
 * @example
 * const input: SignInInput = { identifier: "ada@acme.example", password: "plums and seven lighthouses", rememberMe: true };
 * console.log(input.identifier);
 */
export interface SignInInput {
  identifier: string;
  password: string;
  rememberMe?: boolean;
  organizationId?: string;
  humanVerification?: unknown;
}

/**
 * The sign-in of one app in one tab, agreed on with all tabs of the origin. Functions need no `this`. All that talk to the server reject with an
 * `Problem`; `fetch` also with what the browser's `fetch` rejects with.
 *
 * @example
 * const watch = (auth: Auth) => auth.subscribe((state) => console.log(state.status));
 * console.log(typeof watch);
 */
export interface Auth {
  readonly state: AuthState;
  /** The server's time, in milliseconds since 1970, as far as it is known: the computer's clock may be wrong. */
  now(): number;
  /** Calls `listener` after each change; returns what ends that. */
  subscribe(listener: (state: AuthState) => void): () => void;
  /**
   * Finds out who is signed in: by the token of this tab, else by one refresh, else, with `silent`, by one visit to identity a minute at most that shows no page
   * (the page is left then). Once, however often it is called; never rejects. Not for `/login`, which asks nothing.
   */
  start(options?: { silent?: boolean }): Promise<AuthState>;
  /**
   * As `fetch`, of the service's own origin only (else TypeError), with the access token, its context (`X-Portico-Context`), an Idempotency-Key for
   * each POST and If-Match where a version is given. On 401 `authentication_required` or `invalid_token` the token is renewed once and the request repeated once; every other answer
   * is the caller's. Rejects with Problem `signed_out` without sending where nobody is signed in, with why it ended when it has ended meanwhile,
   * and where the token is over and cannot be renewed now with what stands in the way (`unavailable`, `validation_unavailable` …): the session stays.
   */
  fetch(input: string | URL, init?: AuthFetchInit): Promise<Response>;
  /** Whether the person holds a permission here: `crm.contacts:read`, or `contacts:read` of this service. False until `me` is known. */
  can(permission: string): boolean;
  /** Reads `/api/auth/me` again, as after a 403; the state follows. */
  readMe(): Promise<Me>;
  /** Rejects with `invalid_credentials`, `mfa_required` (go on with `signInBy("mfa/verify", …)` and `details.mfaToken`), `too_many_attempts` … */
  signIn(input: SignInInput): Promise<void>;
  /**
   * Posts to another route of `/api/auth/` that may answer with a sign-in (`mfa/verify`, `passkeys/authenticate/verify`, `email/verify`,
   * `register`) and takes that. Resolves with the answer; `access_token` in it says that there was one.
   */
  signInBy(route: string, body: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Another organization, or none, for all tabs; `membership_required` and the like leave everything as it was. */
  switchContext(context: { kind: "organization"; organizationId: string } | { kind: "personal" }): Promise<void>;
  /** Proves again who one is, for what needs it (403 `step_up_required`): `{factor: "password", password}`, `{factor: "totp", code}` … */
  stepUp(proof: Record<string, unknown>): Promise<void>;
  /**
   * Signs out of this app, of all apps of this browser (the default) or everywhere, in all tabs at once. Rejects with `unavailable` and changes
   * nothing when the server does not answer: the cookie would sign in again.
   */
  signOut(options?: { scope?: "app" | "browser" | "everywhere" }): Promise<void>;
  /** Where to send the browser to be signed in by identity. Rejects with `storage_forbidden` where the tab can keep nothing: use `signIn` there. */
  authorizeUrl(options?: AuthorizeOptions): Promise<string>;
  /**
   * Signs in with the one-time code of the address of this page, once however often it is called, and takes the code out of the address. Rejects
   * with `state_mismatch`, `login_required` and other errors of identity, `sso_code_expired` …, and `account_switch_confirmation_required`: ask
   * (`details.current`, `details.incoming`), then call again with `confirmAccountSwitch`.
   */
  completeCallback(options?: { url?: string; confirmAccountSwitch?: boolean }): Promise<CallbackResult>;
  /**
   * Reads a stream of server-sent events of the service, on one connection for all tabs, for as long as somebody is signed in; opens it again when it
   * breaks, and tells of that by `lost` and `reset`. Nothing is read where the browser has no Web Locks. Returns what ends it.
   */
  follow(path: string, listener: (event: StreamEvent) => void): () => void;
  /** Ends timers, streams and the talk with other tabs; the sign-in stays. */
  close(): void;
}

interface Held {
  readonly token: string;
  readonly claims: Claims;
  /** By the server's clock. */
  readonly renewAt: number;
}

const ends = new Set(["refresh_missing", "refresh_expired", "refresh_reuse_detected", "session_ended"]);
/** Less than the 30 s in which the server answers a lost refresh again. */
const refreshMilliseconds = 10_000;
/** Nobody goes round in circles in it; who has been at identity meanwhile, to register, is found there after it. */
const silentMilliseconds = 60_000;
/** Timers do not count while a computer sleeps. */
const longestTimer = 30_000;
const sessionEvents = "/api/auth/session-events";

const inBrowser = typeof document !== "undefined";
const visible = () => !inBrowser || document.visibilityState !== "hidden";

/**
 * The sign-in of an app. It sends nothing before it is asked to.
 *
 * @example
 * const auth = createAuth({ serviceId: "crm", authUrl: "http://identity.localhost:8080" });
 * await auth.start();
 * if (auth.state.status !== "signedIn") await auth.signIn({ identifier: "ada@acme.example", password: "plums and seven lighthouses" });
 * const answer = await auth.fetch("/api/contacts");
 * console.log(answer.status, auth.can("contacts:write"));
 * auth.close();
 */
export function createAuth({ serviceId, authUrl, apiUrl, callbackPath = "/auth/callback", events = inBrowser }: AuthOptions): Auth {
  const origin = apiUrl ?? location.origin;
  const clock = createClock();
  const memory = createMemory(`portico.${serviceId}.`);
  const listeners = new Set<(state: AuthState) => void>();
  const closed = new AbortController();

  let state: AuthState = { status: "starting" };
  let held: Held | null = null;
  let endedSession = "";
  /** The session that a tab is signing out of: the server's word that it has ended may come before that tab's. */
  let leaving = "";
  let starting: Promise<void> | null = null;
  let silently = false;
  let refreshing: Promise<Problem | null> | null = null;
  let heard: ((result: Problem | null) => void) | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let attempt = 0;
  let notBefore = 0;
  let meAsked = 0;
  /** Aborted when what a stream was opened for is over. */
  let useful = new AbortController();
  const waiting = new Set<() => void>();
  const wake = () => waiting.forEach((each) => each());

  const publish = (next: AuthState) => {
    state = next;
    listeners.forEach((listener) => listener(state));
  };

  // What is held.

  /** Takes a token of an answer, of another tab or of before the reload. False for one that is not this app's, or is older than what is held. */
  const take = (token: string): boolean => {
    const claims = readClaims(token);
    if (!claims || claims.audience !== serviceId || claims.sessionId === endedSession) return false;
    const before = held?.claims;
    if (before?.sessionId === claims.sessionId && claims.issuedAt < before.issuedAt) return false;
    if (before && before.sessionId !== claims.sessionId) stopStreams();
    held = { token, claims, renewAt: renewalTime(claims.issuedAt * 1_000, claims.expiresAt * 1_000) };
    attempt = notBefore = 0;
    starting ??= Promise.resolve();
    memory.write("token", JSON.stringify({ token, skew: clock.skew }));
    memory.write("silent", "");
    plan();
    wake();

    const { userId, sessionId, context, organizationId, role, actor } = claims;
    const old = state.status === "signedIn" ? state : null;
    const same = old !== null && old.sessionId === sessionId && old.organizationId === organizationId && old.context === context;
    if (same && old.role === role && (old.me?.revision ?? Infinity) >= claims.revision) return true;
    publish({ status: "signedIn", userId, sessionId, context, organizationId, role, actor, me: same ? old.me : null });
    loadMe();
    return true;
  };

  const takeAnswer = (answer: Record<string, unknown>): void => {
    const token = textOf(answer["access_token"]);
    clock.observe((readClaims(token)?.issuedAt ?? 0) * 1_000);
    if (!take(token)) throw new Problem("unavailable", 0, { detail: "The server answered with no token of this app." });
    tabs.tell({ kind: "token", token, skew: clock.skew });
  };

  const drop = (reason: string) => {
    endedSession = held?.claims.sessionId ?? endedSession;
    const userId = held?.claims.userId ?? (state.status === "signedOut" ? state.userId : null);
    held = null;
    ++meAsked;
    memory.write("token", "");
    stopStreams();
    plan();
    publish({ status: "signedOut", reason: userId === null && reason === "refresh_missing" ? "" : reason, userId });
  };

  const stopStreams = () => {
    useful.abort();
    useful = new AbortController();
  };

  // Other tabs.

  const postpone = (error: Problem) => {
    notBefore = performance.now() + retryWait(attempt++, error.status === 503 ? Math.max(5, error.retryAfter) : error.retryAfter);
    if (!held && starting && state.status !== "signedOut") publish({ status: "unavailable", error });
    plan();
  };

  const hear = (message: unknown) => {
    if (!isRecord(message)) return;
    if (message["kind"] === "token") {
      clock.trust(numberOf(message["skew"]));
      if (take(textOf(message["token"]))) heard?.(null);
    } else if (message["kind"] === "leaving") leaving = textOf(message["sessionId"]);
    else if (message["kind"] === "ended") {
      if (held?.claims.sessionId === message["sessionId"]) drop(textOf(message["reason"]));
      if (!held) heard?.(new Problem(textOf(message["reason"]), 401));
    } else if (message["kind"] === "unavailable") {
      const error = new Problem(textOf(message["code"]), numberOf(message["status"]), { retryAfter: numberOf(message["retryAfter"]) });
      if (refreshing) heard?.(error);
      else postpone(error);
    } else if (message["kind"] === "event" && isRecord(message["event"]))
      streams.hear(textOf(message["path"]), { type: textOf(message["event"]["type"]), data: textOf(message["event"]["data"]) });
  };

  const tabs = createTabs(`portico-auth-1:${serviceId}`, hear);

  // Requests that a cookie authenticates, or nothing.

  const post = async (path: string, body: unknown, init: RequestInit = {}): Promise<Record<string, unknown>> => {
    const headers = { "Content-Type": "application/json", "X-Platform-Auth": "1", "X-Service-ID": serviceId, ...init.headers };
    let response;
    try {
      response = await fetch(origin + path, { method: "POST", body: JSON.stringify(body), credentials: "include", ...init, headers });
    } catch (error) {
      throw problemOf(error);
    }
    if (!response.ok) throw await problemIn(response);
    const answer = await jsonOf(response);
    if (!isRecord(answer)) throw new Problem("unavailable", response.status, { detail: "The answer is none of the server's." });
    return answer;
  };

  // Renewal.

  const isEnd = (error: Problem) => error.status === 401 && ends.has(error.code);

  /** One refresh by cookie, of which the other tabs are told; null when there is a token then. */
  const refresh = async (): Promise<Problem | null> => {
    const sessionId = held?.claims.sessionId ?? "";
    try {
      // A page that is left must not lose the answer: the cookie is another one by then.
      takeAnswer(await post("/api/auth/refresh", {}, { keepalive: true, signal: AbortSignal.timeout(refreshMilliseconds) }));
      return null;
    } catch (thrown) {
      const error = problemOf(thrown);
      if (isEnd(error)) tabs.tell({ kind: "ended", sessionId, reason: error.code });
      else tabs.tell({ kind: "unavailable", code: error.code, status: error.status, retryAfter: error.retryAfter });
      return error;
    }
  };

  const refreshForAll = async (): Promise<Problem | null> => {
    const before = held;
    const error = await tabs.once("refresh", new Promise<Problem | null>((done) => (heard = done)), refresh);
    // What happened meanwhile (a sign-in, a sign-out) is newer than this.
    if (!error || held !== before) return held ? null : error;
    if (!isEnd(error)) postpone(error);
    else if (before || !(await leaveSilently())) drop(error.code);
    return error;
  };

  /** Resolves when another token than `stale` is held. */
  const renew = async (stale: Held | null): Promise<void> => {
    if (held !== stale) return;
    const error = await (refreshing ??= refreshForAll().finally(() => (refreshing = null)));
    if (error) throw error;
  };

  /** Wakes up when the token has to be renewed; only in a tab that is seen. */
  const plan = () => {
    clearTimeout(timer);
    const due = held ? held.renewAt - clock.now() : state.status === "unavailable" ? 0 : Infinity;
    if (!visible() || due === Infinity || closed.signal.aborted) return;
    timer = setTimeout(check, Math.min(Math.max(due, notBefore - performance.now(), 0), longestTimer));
  };

  const check = () => {
    const due = held ? clock.now() >= held.renewAt : state.status === "unavailable";
    if (due && visible() && performance.now() >= notBefore) renew(held).catch(() => undefined);
    else plan();
  };

  const look = () => (wake(), check());

  const online = () => ((notBefore = 0), look());

  // Starting.

  const leaveSilently = async (): Promise<boolean> => {
    if (!silently || Date.now() - Number(memory.read("silent")) < silentMilliseconds || !memory.write("silent", String(Date.now())))
      return false;
    location.assign(await sso.authorizeUrl({ prompt: "none", returnTo: location.pathname + location.search + location.hash }));
    return true;
  };

  const begin = async (): Promise<void> => {
    const kept = parsed(memory.read("token") ?? "");
    if (isRecord(kept)) {
      clock.trust(numberOf(kept["skew"]));
      const claims = readClaims(textOf(kept["token"]));
      if (claims && clock.now() < claims.expiresAt * 1_000) take(textOf(kept["token"]));
    }
    // How that went is in the state.
    if (!held) await renew(null).catch(() => undefined);
  };

  const start: Auth["start"] = ({ silent = false } = {}) => {
    silently ||= silent;
    return (starting ??= begin()).then(() => state);
  };

  // Requests of the app.

  const usable = async (): Promise<Held> => {
    await start();
    if (held && clock.now() >= held.claims.expiresAt * 1_000) await renew(held);
    if (held) return held;
    throw state.status === "unavailable" ? state.error : new Problem("signed_out", 0, { detail: "Nobody is signed in." });
  };

  const authFetch: Auth["fetch"] = async (input, { version, idempotencyKey, onSent, reads, ...init } = {}) => {
    const url = new URL(input, origin);
    if (url.origin !== new URL(origin).origin) throw new TypeError(`The token is for ${origin} only; use fetch for ${url.origin}.`);
    const headers = new Headers(init.headers);
    if (version !== undefined) headers.set("If-Match", `"${version}"`);
    if (init.method?.toUpperCase() === "POST" && !reads && idempotencyKey !== false && !headers.has("Idempotency-Key"))
      headers.set("Idempotency-Key", idempotencyKey ?? randomText(18));
    const send = async ({ token }: Held) => {
      headers.set("Authorization", `Bearer ${token}`);
      const response = onSent ? await fetchCounted(url, { ...init, headers }, onSent) : await fetch(url, { ...init, headers });
      clock.observe(Date.parse(response.headers.get("Date") ?? ""));
      return response;
    };
    const used = await usable();
    // What the page shows; a request that another context would answer is refused (409 `context_changed`).
    const { context, organizationId } = used.claims;
    if (!url.pathname.startsWith("/api/auth/") && !headers.has("X-Portico-Context"))
      headers.set("X-Portico-Context", context === "organization" ? (organizationId ?? "") : "personal");
    const response = await send(used);
    if (response.status !== 401 || init.body instanceof ReadableStream) return response;
    const { code } = await problemIn(response.clone());
    if (code !== "authentication_required" && code !== "invalid_token") return response;
    await renew(used);
    return send(await usable());
  };

  const readMe = async (): Promise<Me> => {
    const mine = ++meAsked;
    const response = await authFetch("/api/auth/me", { headers: { "X-Service-ID": serviceId }, cache: "no-store" });
    if (!response.ok) throw await problemIn(response);
    const me = meOf(await jsonOf(response));
    if (!me) throw new Problem("unavailable", response.status);
    if (mine === meAsked && state.status === "signedIn" && state.userId === me.user.id) publish({ ...state, role: me.role, me });
    return me;
  };

  /** Until it is there, or somebody else asks. */
  const loadMe = (times = 0) => {
    const reading = readMe();
    const mine = meAsked;
    reading.catch((error: unknown) => {
      const again = () => {
        if (mine === meAsked && held) loadMe(times + 1);
      };
      if (held) setTimeout(again, retryWait(times, problemOf(error).retryAfter));
    });
  };

  /** A call with the token whose answer is a new one. */
  const exchangeToken = async (method: string, path: string, body: unknown): Promise<void> => {
    const init = { method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
    const response = await authFetch(path, { ...init, idempotencyKey: false });
    const answer = response.ok ? await jsonOf(response) : undefined;
    if (!isRecord(answer)) throw await problemIn(response);
    takeAnswer(answer);
  };

  const signInBy: Auth["signInBy"] = async (route, body) => {
    const answer = await post(`/api/auth/${route}`, body);
    if (answer["access_token"] !== undefined) takeAnswer(answer);
    return answer;
  };

  const signOut: Auth["signOut"] = async ({ scope = "browser" } = {}) => {
    const bearer = held && { headers: { Authorization: `Bearer ${held.token}` } };
    const sessionId = held?.claims.sessionId ?? "";
    const leave = (session: string) => {
      leaving = session;
      tabs.tell({ kind: "leaving", sessionId: session });
    };
    leave(sessionId);
    let answer: Record<string, unknown> = {};
    try {
      answer = await post("/api/auth/logout", { scope }).catch((error: Problem) => {
        // Without cookies the token says whose it is; without either there is nothing to end.
        if (error.status !== 401 || !bearer) throw error;
        return post("/api/auth/logout", { scope }, bearer);
      });
    } catch (error) {
      if (problemOf(error).status !== 401) {
        leave("");
        throw error;
      }
    }
    tabs.tell({ kind: "ended", sessionId, reason: "signed_out" });
    drop("signed_out");
    tellFrames(textOf(answer["broadcastUrl"]));
  };

  /** Tells pages of other apps, as far as the browser lets an embedded page of identity do that. Nobody waits for it. */
  const tellFrames = (url: string) => {
    if (!inBrowser || !url.startsWith(`${authUrl}/`)) return;
    const frame = document.createElement("iframe");
    frame.hidden = true;
    frame.src = url;
    document.body.append(frame);
    setTimeout(() => frame.remove(), 10_000);
  };

  const ready = async (stop: AbortSignal): Promise<AbortSignal> => {
    const worthIt = () => held && (visible() || clock.now() < held.claims.expiresAt * 1_000);
    while (!stop.aborted && !worthIt())
      await new Promise<void>((done) => {
        const end = () => (waiting.delete(end), stop.removeEventListener("abort", end), done());
        waiting.add(end);
        stop.addEventListener("abort", end);
      });
    return useful.signal;
  };

  const sso = createSso({
    authUrl,
    serviceId,
    redirectUri: origin + callbackPath,
    memory,
    exchange: async (body) => {
      const answer = await post("/api/auth/sso/exchange", body);
      takeAnswer(answer);
      return answer;
    },
  });
  const streams = createStreams({ tabs, ready, fetch: authFetch, closed: closed.signal });

  /** A page that the browser has kept for Back has heard nothing meanwhile. */
  const show = (event: Event) => {
    if ((event as PageTransitionEvent).persisted) {
      stopStreams();
      streams.reset();
    }
    look();
  };

  const seen: [EventTarget, string, (event: Event) => void][] = inBrowser
    ? [
        [document, "visibilitychange", look],
        [window, "pageshow", show],
        [window, "online", online],
      ]
    : [];
  seen.forEach(([target, name, listener]) => target.addEventListener(name, listener));
  if (events)
    streams.follow(sessionEvents, ({ type, data }) => {
      const body = parsed(data);
      if (!held) return;
      if (type === "session" && isRecord(body) && body["state"] === "ended")
        drop(held.claims.sessionId === leaving ? "signed_out" : "session_ended");
      else if (type === "principal" || type === "reset") loadMe();
    });

  return {
    get state() {
      return state;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start,
    fetch: authFetch,
    can: (permission) =>
      state.status === "signedIn" &&
      state.me !== null &&
      allows(state.me.permissions, permission.includes(".") ? permission : `${serviceId}.${permission}`),
    now: clock.now,
    readMe,
    signIn: async (input) => void takeAnswer(await post("/api/auth/login", { ...input, service_id: serviceId })),
    signInBy,
    switchContext: (context) => exchangeToken("PUT", "/api/auth/context", context),
    stepUp: (proof) => exchangeToken("POST", "/api/auth/step-up", proof),
    signOut,
    authorizeUrl: sso.authorizeUrl,
    completeCallback: sso.completeCallback,
    follow: streams.follow,
    close() {
      closed.abort();
      stopStreams();
      clearTimeout(timer);
      seen.forEach(([target, name, listener]) => target.removeEventListener(name, listener));
      tabs.close();
    },
  };
}
