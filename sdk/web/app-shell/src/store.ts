import { useSyncExternalStore } from "react";

/** A value that components follow. */
export interface Store<T> {
  readonly value: T;
  set(next: T | ((value: T) => T)): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(value: T): Store<T> {
  const listeners = new Set<() => void>();
  return {
    get value() {
      return value;
    },
    set(next) {
      const changed = typeof next === "function" ? (next as (value: T) => T)(value) : next;
      if (Object.is(changed, value)) return;
      value = changed;
      listeners.forEach((each) => each());
    },
    subscribe: (listener) => (listeners.add(listener), () => void listeners.delete(listener)),
  };
}

export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.subscribe, () => store.value);
