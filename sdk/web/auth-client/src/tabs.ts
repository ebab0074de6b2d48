import { findTurns } from "./turns.ts";
import { pause } from "./waits.ts";

/** A message from tab to tab has arrived by then. */
const tellMilliseconds = 300;

/** The other tabs of this origin. Without BroadcastChannel they are told nothing, and learn by their requests. */
export interface Tabs {
  tell(message: Record<string, unknown>): void;
  /**
   * `work`, unless another tab is at it: then what that tab tells, `elsewhere`, is the result. Where it tells nothing, `work` after all. `work` does not throw.
   */
  once<T>(name: string, elsewhere: Promise<T>, work: () => Promise<T>): Promise<T>;
  /**
   * `work` in one tab at a time, until it ends; the tab keeps its turn meanwhile. `takesOver`: another tab had it before. In no tab where there are
   * no turns: a browser has six connections to an origin, and as many tabs as one likes.
   */
  inTurn(name: string, signal: AbortSignal, work: (takesOver: boolean) => Promise<void>): void;
  close(): void;
}

export function createTabs(name: string, hear: (message: unknown) => void): Tabs {
  const locks = typeof navigator === "undefined" ? undefined : navigator.locks;
  const turns = findTurns();
  let channel = openChannel(name);
  if (channel) channel.onmessage = (event) => hear(event.data);

  return {
    tell: (message) => channel?.postMessage(message),
    async once<T>(what: string, elsewhere: Promise<T>, work: () => Promise<T>): Promise<T> {
      if (!turns) return work();
      const heard = new AbortController();
      let begun = false;
      const turn = (options: LockOptions) =>
        new Promise<{ result: T } | null>((done, fail) => {
          const keep = async (own: object | null) => {
            if (!own) return done(null);
            begun = true;
            done({ result: await work() });
            // What was told is on its way: who comes now waits for it.
            await pause(tellMilliseconds);
          };
          turns(`${name}:${what}`, options, keep).catch(fail);
        });
      try {
        const told = elsewhere.then((result) => ({ result }));
        const outcome = (await turn({ ifAvailable: true })) ?? (await Promise.race([told, turn({ signal: heard.signal })]));
        return outcome ? outcome.result : await work();
      } catch (error) {
        // Where turns are forbidden the tab is on its own.
        if (begun) throw error;
        return work();
      } finally {
        heard.abort();
      }
    },
    inTurn(what, signal, work) {
      const turn = async () => {
        if (!locks) return;
        const had = await locks.request(`${name}:${what}`, { ifAvailable: true }, async (lock) =>
          lock ? (await work(false), true) : false,
        );
        if (!had) await locks.request(`${name}:${what}`, { signal }, () => work(true));
      };
      // Given up by `signal`, or locks are forbidden.
      turn().catch(() => undefined);
    },
    close() {
      channel?.close();
      channel = null;
    },
  };
}

function openChannel(name: string): BroadcastChannel | null {
  try {
    return new BroadcastChannel(name);
  } catch {
    return null;
  }
}
