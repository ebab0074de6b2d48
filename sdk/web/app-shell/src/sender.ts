import { problemIn, problemOf, type Problem } from "@portico/api";
import type { Auth, AuthFetchInit } from "@portico/auth-client";
import { createStore, type Store } from "./store.ts";

let last: { problem: Problem; at: number } | null = null;

/** The last answer of this tab that was no success, for reports. */
export const lastProblem = () => last;

/** What stands between the page and the server now; what the bars and dialogs show. */
export interface Trouble {
  /** No answer since (epoch milliseconds). */
  readonly offlineSince: number | null;
  /** The server asks to wait until then (epoch milliseconds), with the problem's code. */
  readonly busy: { readonly until: number; readonly code: string } | null;
  /** `service_disabled` or `service_quarantined`: asked again every 10 s. */
  readonly off: string | null;
  /** The sign-in is over: its reason. This tab sends nothing until somebody has signed in. */
  readonly ended: string | null;
  /** Writes that wait. */
  readonly unsent: number;
  /** 403 `service_access_denied`. */
  readonly noAccess: boolean;
  /** `details` of the last 403 `permission_denied`, until another page is opened. */
  readonly denied: Problem["details"] | null;
  /** A writing call met 429: the person says when it is sent. */
  readonly held: { readonly until: number; go(): void; cancel(): void } | null;
}

/** Questions that a call may need answered before it goes on. True: send again; false: the problem is the caller's. */
export interface Questions {
  stepUp(problem: Problem): Promise<boolean>;
  contextChanged(problem: Problem): Promise<boolean>;
}

export interface Sender {
  readonly trouble: Store<Trouble>;
  /** As `auth.fetch`, which it repeats when what stood in the way is over. */
  fetch(input: string, init?: AuthFetchInit): Promise<Response>;
  /** Who answers questions; the workspace. */
  questions: Questions | null;
  /** The context that the page shows, `org_…` or `personal`: a request that another one would answer is refused, and asked about. */
  context: string | null;
  /** Ends the waits that somebody can end: "Try again". */
  tryAgain(): void;
  /** Resolves when no write is in flight, including writes that have just started; after at most 5 s. Does not wait for writes that wait for the network. */
  settled(): Promise<void>;
}

const sessionCodes = new Set(["signed_out", "session_ended", "refresh_expired", "refresh_missing", "refresh_reuse_detected"]);
/** Codes of 503 that pass: of a proxy that has none, and of a server without room. */
const busyCodes = new Set(["unavailable", "overloaded"]);
const calm: Trouble = { offlineSince: null, busy: null, off: null, ended: null, unsent: 0, noAccess: false, denied: null, held: null };
const offSeconds = 10;
const busySeconds = 5;
/** `Retry-After` of a request that runs is how long it has run. */
const longestRunSeconds = 10;
const settledMilliseconds = 5_000;
const lookMilliseconds = 20;
const againMilliseconds = 1_000;

const covered = () => typeof document !== "undefined" && document.querySelector("dialog[open]") !== null;

/** @param random in [0, 1), so that many pages do not come back at once. */
export function createSender(auth: Auth, random: () => number = Math.random): Sender {
  const trouble = createStore<Trouble>(calm);
  const set = (change: Partial<Trouble>) => trouble.set((value) => ({ ...value, ...change }));
  const again = new Set<() => void>();
  const tryAgain = () => again.forEach((each) => each());
  let attempts = 0;
  /** Writes that are sent and not answered. */
  let sending = 0;
  let proof: Promise<boolean> | undefined;
  /** Writes that have waited go one after the other, in the order in which they were made. */
  let order: Promise<unknown> = Promise.resolve();

  const wait = (milliseconds: number, signal?: AbortSignal | null) =>
    new Promise<void>((done, fail) => {
      const over = () => (clearTimeout(timer), again.delete(end), signal?.removeEventListener("abort", stop));
      const end = () => (over(), done());
      const stop = () => (over(), fail(signal?.reason as Error));
      const timer = setTimeout(end, milliseconds);
      again.add(end);
      signal?.addEventListener("abort", stop);
      if (signal?.aborted) stop();
    });

  /** 1 to 30 s, longer each time. */
  const backoff = () => Math.min(30_000, 1_000 * 2 ** Math.min(attempts++, 5)) * (0.5 + 0.5 * random());

  const signedIn = (userId: string | null, signal?: AbortSignal | null) =>
    new Promise<boolean>((done, fail) => {
      const look = () => {
        if (auth.state.status === "signedIn") (stop(), set({ ended: null }), done(userId === null || auth.state.userId === userId));
      };
      const stop = auth.subscribe(look);
      signal?.addEventListener("abort", () => (stop(), fail(signal.reason as Error)));
      look();
    });

  /** Whether to send again, once that makes sense. */
  const overcome = async (problem: Problem, writes: boolean, signal?: AbortSignal | null): Promise<boolean> => {
    const { code, status, retryAfter } = problem;
    const user = auth.state.status === "signedIn" ? auth.state.userId : auth.state.status === "signedOut" ? auth.state.userId : null;
    if (sessionCodes.has(code)) {
      set({ ended: auth.state.status === "signedOut" ? auth.state.reason || code : code });
      return signedIn(user, signal);
    }
    if (code === "unavailable" && status === 0) {
      set({ offlineSince: trouble.value.offlineSince ?? Date.now() });
      await wait(backoff(), signal);
      return true;
    }
    // A 502 with a code is the service's word about a server elsewhere, which is the call's own; without one it is a proxy's about the service.
    // A 503 with a code of the service's own and no time to try again is an answer, too: nothing is set up that could answer.
    const passes = retryAfter > 0 || busyCodes.has(code) || code.startsWith("service_");
    if ((status === 503 && passes) || (status === 502 && code === "unavailable") || status === 504) {
      const off = code === "service_disabled" || code === "service_quarantined";
      if (off) set({ off: code });
      const milliseconds = off
        ? offSeconds * 1_000
        : Math.max(busySeconds, retryAfter) * 1_000 * (1 + 0.5 * random()) + Math.min(25_000, 2_000 * attempts++);
      if (!off) set({ busy: { until: Date.now() + milliseconds, code } });
      await wait(milliseconds, signal);
      return true;
    }
    if (status === 429 && code === "rate_limited") {
      const milliseconds = Math.max(1, retryAfter) * 1_000;
      if (!writes) await wait(milliseconds * (1 + 0.2 * random()), signal);
      // An open dialog covers the bar that asks: there the answer is the dialog's to show.
      else if (covered() || !(await asked(Date.now() + milliseconds))) return false;
      return true;
    }
    // The first request still runs, or its host died with it: then the key stays closed, and somebody has to look.
    if (code === "request_in_progress" && retryAfter <= longestRunSeconds) {
      await wait(Math.max(1, retryAfter) * 1_000, signal);
      return true;
    }
    // One question at a time, whose answer is for all that wait for it.
    if (code === "step_up_required")
      return (await (proof ??= sender.questions?.stepUp(problem).finally(() => (proof = undefined)))) ?? false;
    if (code === "context_changed") return (await sender.questions?.contextChanged(problem)) ?? false;
    if (code === "permission_denied") {
      set({ denied: problem.details });
      void auth.readMe().catch(() => undefined);
    }
    if (code === "service_access_denied") set({ noAccess: true });
    return false;
  };

  const asked = (until: number) =>
    new Promise<boolean>((done) => {
      // Others may wait already: one answer is for all of them.
      const before = trouble.value.held;
      const answer = (act: "go" | "cancel") => () => (before?.[act](), set({ held: null }), done(act === "go"));
      set({ held: { until: Math.max(until, before?.until ?? 0), go: answer("go"), cancel: answer("cancel") } });
    });

  const fetch = async (input: string, { ...init }: AuthFetchInit = {}): Promise<Response> => {
    const writes = !init.reads && !/^(GET|HEAD)$/i.test(init.method ?? "GET");
    if (writes && init.method?.toUpperCase() === "POST" && init.idempotencyKey === undefined)
      init.idempotencyKey = crypto.getRandomValues(new Uint32Array(5)).join("-");
    const headers = new Headers(init.headers);
    // What the person saw when they asked for it, also if it is sent much later.
    if (sender.context && !input.startsWith("/api/auth/") && !headers.has("X-Portico-Context"))
      headers.set("X-Portico-Context", sender.context);
    init.headers = headers;
    let release: (() => void) | null = null;
    const queue = async () => {
      if (!writes || release) return;
      const before = order;
      order = new Promise<void>((done) => (release = done));
      set({ unsent: trouble.value.unsent + 1 });
      await before;
    };
    try {
      const stopped = trouble.value;
      if (stopped.offlineSince !== null || stopped.off !== null || stopped.ended !== null) await queue();
      for (;;) {
        let problem: Problem;
        try {
          if (writes) ++sending;
          const response = await auth.fetch(input, init).finally(() => writes && --sending);
          // The page reads the newer version and sends the write again.
          if (writes && response.status === 412) (++sending, setTimeout(() => --sending, againMilliseconds));
          if (response.ok) {
            attempts = 0;
            const back = trouble.value.offlineSince !== null;
            set({ offlineSince: null, busy: null, off: null, noAccess: false });
            // What waits for the network need not wait longer.
            if (back) tryAgain();
            return response;
          }
          problem = await problemIn(response.clone());
          last = { problem, at: Date.now() };
          // Whatever it says, the server has answered.
          if (response.status < 500) set({ offlineSince: null, busy: null, off: null });
          if (!(await beforeAgain(problem))) return response;
        } catch (error) {
          if (error instanceof DOMException && error.name === "AbortError") throw error;
          problem = problemOf(error);
          if (init.body instanceof ReadableStream || !(await beforeAgain(problem))) throw problem;
        }
      }
    } finally {
      if (release) {
        (release as () => void)();
        set({ unsent: trouble.value.unsent - 1 });
      }
    }

    async function beforeAgain(problem: Problem): Promise<boolean> {
      if (init.body instanceof ReadableStream) return false;
      const going = overcome(problem, writes, init.signal);
      await queue();
      return going;
    }
  };

  if (typeof addEventListener !== "undefined") {
    // Who only reads is told, too, and no answer will take it back.
    addEventListener("offline", () => set({ offlineSince: trouble.value.offlineSince ?? Date.now() }));
    addEventListener("online", () => {
      if (again.size === 0) set({ offlineSince: null });
      tryAgain();
    });
    addEventListener("beforeunload", (event) => {
      if (trouble.value.unsent) event.preventDefault();
    });
  }
  const settled = async () => {
    const end = Date.now() + settledMilliseconds;
    do await new Promise((done) => setTimeout(done, lookMilliseconds));
    while (sending > 0 && Date.now() < end);
  };
  const sender: Sender = { trouble, fetch, questions: null, context: null, tryAgain, settled };
  return sender;
}
