import type { Address } from "../src/address.ts";

/** An address over the browser's history. Closing the tab is guarded by the browser's own question. */
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
  let left = false;
  const leave = (): void => {
    left = true;
    page.history.back();
  };
  page.addEventListener("popstate", () => {
    if (left || now().split("?")[0] === last.split("?")[0] || !held(leave)) {
      left = false;
      return tell();
    }
    // Back has already happened: the page that a guard keeps is put on top again.
    page.history.pushState(null, "", last);
  });
  return {
    current: now,
    subscribe: (each) => {
      told.add(each);
      return () => told.delete(each);
    },
    go,
    back: () => page.history.back(),
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
