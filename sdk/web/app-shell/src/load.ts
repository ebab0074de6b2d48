import { pause } from "./time.ts";

const tries = [1_000, 3_000];

/**
 * A chunk of the app, tried three times. A browser may remember that an address failed, so a repeat asks by another one. Rejects with what the
 * browser says: the build may be another one by now.
 */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  let failed: unknown;
  try {
    return await load();
  } catch (error) {
    failed = error;
  }
  for (const [times, milliseconds] of tries.entries()) {
    await pause(milliseconds);
    const address = /https?:\/\/\S+\.js/.exec(String(failed))?.[0];
    try {
      return address?.startsWith(location.origin) ? ((await import(/* @vite-ignore */ `${address}?again=${times}`)) as T) : await load();
    } catch (error) {
      failed = error;
    }
  }
  throw new ChunkError(failed);
}

/** A part of the app could not be loaded. */
export class ChunkError extends Error {
  constructor(cause: unknown) {
    super(String(cause));
    this.name = "ChunkError";
  }
}

/** Whether the server has another build than this page. False where it cannot be asked. */
export async function hasNewBuild(): Promise<boolean> {
  try {
    const answer = (await (await fetch("/build.json", { cache: "no-cache" })).json()) as { entry?: unknown };
    const running = [...document.scripts].map((each) => new URL(each.src, location.href).pathname);
    return typeof answer.entry === "string" && !running.includes(answer.entry);
  } catch {
    return false;
  }
}
