/** When something is done again. All with chance, so that many pages do not do it at once. `random` is in [0, 1). */

/** At 80 to 90 % of a token's life; the instants and the answer in milliseconds. */
export function renewalTime(issuedAt: number, expiresAt: number, random = Math.random()): number {
  return issuedAt + (expiresAt - issuedAt) * (0.8 + 0.1 * random);
}

const longestWait = 30_000;

/** 1 to 30 s, longer from one attempt (0, 1, …) to the next, and never sooner than the server asks. Milliseconds. */
export function retryWait(attempt: number, retryAfterSeconds = 0, random = Math.random()): number {
  const longest = Math.min(longestWait, 2_000 * 2 ** Math.min(attempt, 10));
  return Math.max(longest * (0.5 + 0.5 * random), retryAfterSeconds * 1_000 * (1 + 0.1 * random));
}

export function pause(milliseconds: number, signal?: AbortSignal): Promise<undefined> {
  return new Promise((done) => {
    const end = () => (clearTimeout(timer), signal?.removeEventListener("abort", end), done(undefined));
    const timer = setTimeout(end, milliseconds);
    if (signal?.aborted) end();
    signal?.addEventListener("abort", end);
  });
}
