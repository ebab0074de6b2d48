/**
 * What is remembered over a reload of the page, or nothing where the browser forbids it (it throws then).
 *
 * @example
 * const keeps = (memory: Memory): boolean => memory.write("probe", "1");
 * console.log(typeof keeps);
 */
export interface Memory {
  read(key: string): string | null;
  /** Whether it will be there after a reload. An empty text removes. */
  write(key: string, text: string): boolean;
}

/**
 * Keeps texts in a storage of the browser's, under names that begin with a prefix; that of the tab (`sessionStorage`) unless it is said.
 *
 * @example
 * const memory = createMemory("notes.", () => localStorage);
 * if (!memory.write("theme", "dark")) console.log("Kept until the page is left.");
 */
export function createMemory(prefix: string, storage: () => Storage = () => sessionStorage): Memory {
  return {
    read(key) {
      try {
        return storage().getItem(prefix + key);
      } catch {
        return null;
      }
    },
    write(key, text) {
      try {
        if (text) storage().setItem(prefix + key, text);
        else storage().removeItem(prefix + key);
        return true;
      } catch {
        return false;
      }
    },
  };
}
