/** What a tab remembers over a reload of its page: `sessionStorage`, or nothing where the browser forbids it (it throws then). */
export interface TabMemory {
  read(key: string): string | null;
  /** Whether it will be there after a reload. An empty text removes. */
  write(key: string, text: string): boolean;
}

export function createMemory(prefix: string): TabMemory {
  return {
    read(key) {
      try {
        return sessionStorage.getItem(prefix + key);
      } catch {
        return null;
      }
    },
    write(key, text) {
      try {
        if (text) sessionStorage.setItem(prefix + key, text);
        else sessionStorage.removeItem(prefix + key);
        return true;
      } catch {
        return false;
      }
    },
  };
}
