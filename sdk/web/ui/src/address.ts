/**
 * Where a page is, and how it goes elsewhere. The router of an app gives its own; `createAddress` does without one.
 *
 * @example
 * const here: Address = createAddress(window);
 * console.log(here.current());
 */
export interface Address {
  /** Path and query of now: `/contacts?q=ada`. */
  readonly current: () => string;
  readonly subscribe: (told: () => void) => () => void;
  /** Goes to a path of this app. Guards are asked before, unless only the query changes. */
  readonly go: (to: string, how?: { readonly replace?: boolean }) => void;
  /** Keeps the person here while `asks` answers true, after having asked in a dialog of its own: it goes on by itself with `leave`. */
  readonly guard: (asks: (leave: () => void) => boolean) => () => void;
}

/**
 * An address over the browser's history. Closing the tab is guarded by the browser's own question.
 *
 * @example
 * const address = createAddress(window);
 * address.go("/contacts?q=ada");
 */
export function createAddress(page: Window): Address {
  const told = new Set<() => void>();
  const guards = new Set<(leave: () => void) => boolean>();
  const now = (): string => page.location.pathname + page.location.search;
  let last = now();
  const tell = (): void => {
    last = now();
    for (const each of [...told]) each();
  };
  const held = (leave: () => void): boolean => [...guards].some((asks) => asks(leave));
  const go: Address["go"] = (to, how = {}) => {
    const leave = (): void => {
      page.history[how.replace ? "replaceState" : "pushState"](null, "", to);
      tell();
    };
    if (to.split("?")[0] !== page.location.pathname && held(leave)) return;
    leave();
  };
  page.addEventListener("popstate", () => {
    const wanted = now();
    if (wanted.split("?")[0] === last.split("?")[0] || guards.size === 0) return tell();
    // Back has already happened: stay first, then ask.
    page.history.pushState(null, "", last);
    const leave = (): void => {
      page.history.replaceState(null, "", wanted);
      tell();
    };
    if (!held(leave)) leave();
  });
  return {
    current: now,
    subscribe: (each) => {
      told.add(each);
      return () => told.delete(each);
    },
    go,
    guard: (asks) => {
      const close = (event: Event): void => event.preventDefault();
      guards.add(asks);
      page.addEventListener("beforeunload", close);
      return () => {
        guards.delete(asks);
        page.removeEventListener("beforeunload", close);
      };
    },
  };
}
