import { useAuth, useTexts } from "@portico/app-shell";
import { problemOf } from "@portico/ui";
import { useEffect, useMemo, useState } from "react";
import { useLaunchpad, type Batch, type TileAnswer } from "../service.ts";
import { keyOf } from "./layout.ts";

/** What is known of a tile: the last answer and when it came, or why there is none. */
export interface TileState {
  readonly answer?: TileAnswer;
  /** Epoch milliseconds. */
  readonly at?: number;
  readonly excluded?: string;
  readonly error?: unknown;
}

/** The tiles of a dashboard by their keys. */
export interface Tiles {
  readonly states: ReadonlyMap<string, TileState>;
  /** Watches an element: its tile is fetched while it is in sight. Returns what ends it. */
  readonly watch: (key: string, element: Element) => () => void;
  /** Fetches a tile again now. */
  readonly refresh: (key: string) => void;
}

const mostTiles = 40;
const togetherMilliseconds = 30;
const defaultSeconds = 45;
const retrySeconds = 15;
const shortestSeconds = 5;

/** The stream that reports which widgets have changed. */
const stream = "/api/widgets/stream";

/**
 * Fetches the tiles that are in sight, together, and again when they are due or have changed; nothing while the tab is hidden. A tile that changes out of
 * sight is fetched when it comes into sight.
 */
export function useTiles(): Tiles {
  const api = useLaunchpad();
  const { locale } = useTexts();
  const [states, setStates] = useState<ReadonlyMap<string, TileState>>(new Map());
  const machine = useMemo(
    () =>
      createMachine(
        async (keys, refresh, signal) =>
          (await api.post("/api/widgets", {
            body: { widgets: keys.map(refOf), refresh },
            // The language that the user has chosen may differ from that of the browser.
            headers: { "Accept-Language": locale },
            signal,
            reads: true,
          })) as Batch,
        // What was read before stays visible beside the error.
        (change) =>
          setStates(
            (before) =>
              new Map([
                ...before,
                ...[...change].map(([key, state]) => [key, "error" in state ? { ...before.get(key), ...state } : state] as const),
              ]),
          ),
      ),
    [api, locale],
  );
  useEffect(() => (machine.open(), machine.close), [machine]);
  const auth = useAuth();
  useEffect(
    () =>
      auth.follow(stream, ({ type, data }) => {
        if (type === "widget") machine.changed(keyOf(JSON.parse(data) as TileRef));
        // Changes may have been missed while the stream was broken.
        else if (type === "reset") machine.changed();
      }),
    [auth, machine],
  );
  return { states, watch: machine.watch, refresh: machine.refresh };
}

const refOf = (key: string) => {
  const [service_id = "", widgetId = ""] = key.split(" ");
  return { service_id, widgetId };
};

interface TileRef {
  service_id: string;
  widgetId: string;
}

interface Machine {
  open(): void;
  watch(key: string, element: Element): () => void;
  refresh(key: string): void;
  /** Makes a tile due now, or all of them. */
  changed(key?: string): void;
  close(): void;
}

type Fetch = (keys: readonly string[], refresh: boolean, signal: AbortSignal) => Promise<Batch>;

/** The clock of the tiles: which are in sight, which are due, and one request at a time for those that are both. */
export function createMachine(fetch: Fetch, publish: (change: ReadonlyMap<string, TileState>) => void): Machine {
  const inSight = new Set<string>();
  const keys = new Map<Element, string>();
  const due = new Map<string, number>();
  const wanted = new Set<string>();
  let stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let busy = false;
  const sight = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const key = keys.get(target);
        if (key && isIntersecting) inSight.add(key);
        else if (key) inSight.delete(key);
      }
      plan();
    },
    { rootMargin: "120px" },
  );

  const plan = () => {
    clearTimeout(timer);
    if (busy || stop.signal.aborted || document.visibilityState === "hidden" || inSight.size === 0) return;
    const first = Math.min(...[...inSight].map((key) => due.get(key) ?? 0));
    timer = setTimeout(() => void run(), Math.max(togetherMilliseconds, first - Date.now()));
  };

  const run = async () => {
    const asked = [...inSight].filter((key) => (due.get(key) ?? 0) <= Date.now()).slice(0, mostTiles);
    const refresh = asked.some((key) => wanted.has(key));
    if (asked.length === 0) return plan();
    busy = true;
    const { signal } = stop;
    for (const key of asked) wanted.delete(key);
    const change = new Map<string, TileState>();
    const later = (key: string, seconds: number) => due.set(key, Date.now() + 1_000 * Math.max(shortestSeconds, seconds));
    try {
      const { widgets, excluded, nextRefreshSeconds } = await fetch(asked, refresh, signal);
      const at = Date.now();
      for (const key of asked) {
        const answer = widgets.find((each) => keyOf(each) === key);
        const reason = excluded.find(
          (each) => each.service_id === refOf(key).service_id && (each.widgetId ?? refOf(key).widgetId) === refOf(key).widgetId,
        )?.reason;
        if (answer) change.set(key, { answer, at });
        else change.set(key, { excluded: reason ?? "unknown_widget" });
        later(key, answer?.error ? retrySeconds : nextRefreshSeconds || defaultSeconds);
      }
    } catch (error) {
      if (signal.aborted) return;
      for (const key of asked) {
        change.set(key, { error });
        later(key, Math.max(retrySeconds, problemOf(error).retryAfter));
      }
    } finally {
      busy = false;
    }
    publish(change);
    plan();
  };

  return {
    open() {
      stop = new AbortController();
      document.addEventListener("visibilitychange", plan);
      plan();
    },
    watch(key, element) {
      keys.set(element, key);
      sight.observe(element);
      return () => {
        sight.unobserve(element);
        keys.delete(element);
        inSight.delete(key);
      };
    },
    refresh(key) {
      wanted.add(key);
      due.set(key, 0);
      plan();
    },
    changed(key) {
      if (key === undefined) due.clear();
      else due.delete(key);
      plan();
    },
    close() {
      stop.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", plan);
    },
  };
}
