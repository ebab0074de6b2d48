import { createStore } from "./store.ts";

/** Whether the server has another build than this page, as far as it was asked. */
export const newBuild = createStore(false);

/** Asks for the server's build, where there is reason to: something is gone, or may have been replaced while nobody looked. Where it cannot be asked, all stays. */
export async function lookForBuild(): Promise<void> {
  const { entry } = await fetch("/build.json", { cache: "no-cache" })
    .then((answer) => answer.json() as Promise<{ entry?: unknown }>)
    .catch(() => ({ entry: null }));
  const running = [...document.scripts].map((each) => new URL(each.src, location.href).pathname);
  if (typeof entry === "string") newBuild.set(!running.includes(entry));
}
