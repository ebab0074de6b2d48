/** Answers say the time to the second, and some time ago. */
const precisionMilliseconds = 2_000;

/** The server's clock, as seen from here: that of the computer may be wrong, and is put right while the page is open. Milliseconds since 1970. */
export interface ServerClock {
  now(): number;
  /** What is added to the computer's clock. */
  readonly skew: number;
  /** The server has just said that it is so late. NaN and 0 tell nothing. */
  observe(serverNow: number): void;
  /** What another page of this computer has found out. */
  trust(skew: number): void;
}

export function createClock(local: () => number = Date.now): ServerClock {
  let skew = 0;
  return {
    now: () => local() + skew,
    get skew() {
      return skew;
    },
    observe(serverNow) {
      const found = serverNow - local();
      if (serverNow > 0 && Math.abs(found - skew) > precisionMilliseconds) skew = found;
    },
    trust(found) {
      if (Number.isFinite(found)) skew = found;
    },
  };
}
