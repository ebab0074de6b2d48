/**
 * Something that was done and can be taken back.
 *
 * @example
 * const newest = (undo: Undo): Done | undefined => undo.current()[0];
 * console.log(newest(createUndo()));
 */
export interface Done {
  readonly id: number;
  /** What was done, in a sentence: "Ada Lovelace moved to Proposal". */
  readonly text: string;
  /** Takes it back; what it throws is told as a refusal. */
  readonly undo: () => Promise<unknown>;
  /** Milliseconds of the epoch until which the server allows it. */
  readonly until: number;
}

/**
 * What can be taken back, newest first. The shell shows the first as a toast, all as "Recent", and key `Z` takes the first back.
 *
 * @example
 * const undo: Undo = createUndo();
 * undo.push({ text: "Ada moved to Won", undo: () => Promise.resolve() });
 * console.log(undo.current().length);
 */
export interface Undo {
  readonly current: () => readonly Done[];
  readonly subscribe: (told: () => void) => () => void;
  readonly push: (done: Omit<Done, "id" | "until"> & { readonly until?: number }) => void;
  /** Takes one back, the newest where no id is given; false: there was none. Twice does it once. */
  readonly take: (id?: number) => Promise<boolean>;
}

const DAY_MS = 86_400_000;

/**
 * A list of what can be taken back. `now` is for tests.
 *
 * @example
 * const undo = createUndo();
 * undo.push({ text: "Deal deleted", undo: () => Promise.resolve() });
 * await undo.take();
 */
export function createUndo(now: () => number = Date.now): Undo {
  let list: readonly Done[] = [];
  let next = 1;
  const told = new Set<() => void>();
  const set = (to: readonly Done[]): void => {
    list = to;
    for (const each of [...told]) each();
  };
  return {
    current: () => list,
    subscribe: (each) => (told.add(each), () => void told.delete(each)),
    push: (done) => set([{ until: now() + DAY_MS, ...done, id: next++ }, ...list.filter(({ until }) => until > now())].slice(0, 50)),
    take: async (id) => {
      const found = list.find((each) => (id === undefined || each.id === id) && each.until > now());
      if (!found) return false;
      set(list.filter((each) => each !== found));
      try {
        await found.undo();
      } catch (error) {
        set([found, ...list]);
        throw error;
      }
      return true;
    },
  };
}
