import { createEventReader, type StreamEvent } from "./sse.ts";
import type { Tabs } from "./tabs.ts";
import { pause, retryWait } from "./waits.ts";

/** A server that says nothing, not even that it lives (every 20 s), is gone. */
const silenceMilliseconds = 90_000;

type Listener = (event: StreamEvent) => void;

export interface Streams {
  follow(path: string, listener: Listener): () => void;
  /** What another tab has read. */
  hear(path: string, event: StreamEvent): void;
  /** This tab may have missed something of each. */
  reset(): void;
}

export interface StreamSource {
  readonly tabs: Tabs;
  /** Waits until a connection makes sense; the signal says when it no longer does. */
  ready(stop: AbortSignal): Promise<AbortSignal>;
  fetch(path: string, init: RequestInit): Promise<Response>;
  /** Ends all of them. */
  readonly closed: AbortSignal;
}

/** Streams that one tab of the origin reads for all. */
export function createStreams({ tabs, ready, fetch, closed }: StreamSource): Streams {
  const followed = new Map<string, { listeners: Set<Listener>; stop: AbortController }>();
  const hear = (path: string, event: StreamEvent) => followed.get(path)?.listeners.forEach((listener) => listener(event));

  const read = async (path: string, stop: AbortSignal, takesOver: boolean) => {
    let missed = takesOver;
    let attempt = 0;
    const tell = (event: StreamEvent, attempts = 0) => {
      attempt = attempts;
      tabs.tell({ kind: "event", path, event });
      hear(path, event);
    };
    let lastId = "";
    while (!stop.aborted) {
      const useful = await ready(stop);
      const connection = new AbortController();
      const signal = AbortSignal.any([stop, useful, connection.signal]);
      try {
        const headers = { Accept: "text/event-stream", ...(lastId && { "Last-Event-ID": lastId }) };
        const response = await fetch(path, { headers, signal, cache: "no-store" });
        if (response.ok && response.body && /^text\/event-stream/.test(response.headers.get("Content-Type") ?? "")) {
          if (missed) tell({ type: "reset", data: "" });
          await pass(
            response.body,
            connection,
            createEventReader(tell, (id) => (lastId = id)),
          );
        } else void response.body?.cancel();
      } catch {
        // Lost, or over: it is opened again, as long as it is useful.
      }
      if (!useful.aborted) tell({ type: "lost", data: "" }, attempt);
      // Between two connections, and before the first one, nothing was heard.
      missed = true;
      if (!useful.aborted) await pause(retryWait(attempt++), AbortSignal.any([stop, useful]));
    }
  };

  return {
    hear,
    reset: () => [...followed.keys()].forEach((path) => hear(path, { type: "reset", data: "" })),
    follow(path, listener) {
      const known = followed.get(path);
      const entry = known ?? { listeners: new Set(), stop: new AbortController() };
      entry.listeners.add(listener);
      if (!known) {
        followed.set(path, entry);
        const stop = AbortSignal.any([entry.stop.signal, closed]);
        tabs.inTurn(`stream:${path}`, stop, (takesOver) => read(path, stop, takesOver));
      }
      return () => {
        entry.listeners.delete(listener);
        if (entry.listeners.size || entry.stop.signal.aborted) return;
        followed.delete(path);
        entry.stop.abort();
      };
    },
  };
}

/** Hands on the events of a connection until it ends or falls silent. */
async function pass(body: ReadableStream<Uint8Array>, connection: AbortController, events: (text: string) => void) {
  const decoder = new TextDecoder();
  const bytes = body.getReader();
  for (;;) {
    const silence = setTimeout(() => connection.abort(), silenceMilliseconds);
    const { done, value } = await bytes.read().finally(() => clearTimeout(silence));
    if (done) return;
    events(decoder.decode(value, { stream: true }));
  }
}
