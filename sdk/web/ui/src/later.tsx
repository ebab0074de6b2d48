import { useEffect, useState, type ComponentType, type ReactNode } from "react";

type Load<P> = () => Promise<{ default: ComponentType<P> }>;

const pauses = [1_000, 3_000];
const loaded = new WeakMap<object, unknown>();

/**
 * A part whose code is loaded when it is first shown; until then `Waiting`, or nothing. Not `lazy` and `Suspense`: React keeps their fallback for 300 ms,
 * even where the code has been loaded for something else. A failure is thrown to the `Panel` around it, whose "Try again" begins anew.
 *
 * @example
 * const Greeting = later(() => Promise.resolve({ default: ({ name }: { name: string }) => <bdi>{name}</bdi> }));
 * console.log(Greeting.name);
 */
export function later<P extends object>(load: Load<P>, Waiting?: ComponentType): (props: P) => ReactNode {
  return function Later(props) {
    const Part = useLater(load);
    return Part ? <Part {...props} /> : Waiting && <Waiting />;
  };
}

/**
 * As `later`, for who has something else to show meanwhile: undefined until the code is here.
 *
 * @example
 * const load = () => Promise.resolve({ default: () => <bdi>Ada</bdi> });
 * const Name = () => {
 *   const Part = useLater(load);
 *   return Part ? <Part /> : "…";
 * };
 * console.log(Name.name);
 */
export function useLater<P>(load: Load<P>): ComponentType<P> | undefined {
  const [, setLoaded] = useState<unknown>();
  const Part = loaded.get(load) as ComponentType<P> | undefined;
  useEffect(() => {
    // As it was rendered: what has come since is not seen yet.
    if (Part) return undefined;
    let current = true;
    loadChunk(load).then(
      (module) => (loaded.set(load, module.default), current && setLoaded(module)),
      (cause: unknown) =>
        current &&
        setLoaded(() => {
          throw cause;
        }),
    );
    return () => void (current = false);
  }, [load]);
  return Part;
}

/**
 * Loads the code of a part that may be shown soon, so that it is there at once then. What fails is tried again, and told, when it is wanted.
 *
 * @example
 * prepare(() => Promise.resolve({ default: () => null }));
 */
export const prepare = (load: () => Promise<{ default: unknown }>): void =>
  void load().then(
    (module) => loaded.set(load, module.default),
    () => undefined,
  );

/** A chunk, tried three times. A browser may remember that an address failed, so a repeat asks by another one. Rejects with what the browser says. */
async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  for (let times = 0, failed: unknown; ; ++times) {
    const address = /https?:\/\/\S+\.js/.exec(String(failed))?.[0];
    try {
      return address?.startsWith(location.origin) ? ((await import(/* @vite-ignore */ `${address}?again=${times}`)) as T) : await load();
    } catch (error) {
      failed = error;
    }
    if (times === pauses.length) throw new ChunkError(String(failed));
    await new Promise((done) => setTimeout(done, pauses[times]));
  }
}

/**
 * The code of a part could not be loaded: the build may be another one by now.
 *
 * @example
 * console.log(new ChunkError("no such file").name); // "ChunkError"
 */
export class ChunkError extends Error {
  override name = "ChunkError";
}
