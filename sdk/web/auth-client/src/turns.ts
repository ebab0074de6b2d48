import { pause } from "./waits.ts";

/** How `navigator.locks.request` is called here. */
export type Turns = (name: string, options: LockOptions, keep: (turn: object | null) => Promise<void>) => Promise<unknown>;

/** Longer than a turn takes; a tab that was closed in its turn holds the others up no longer. */
const leaseMilliseconds = 12_000;

/**
 * One tab of this origin at a time: by Web Locks, else (pages on plain http have none) by a record of a database, whose writes come one after the other.
 * Undefined where there is neither.
 */
export function findTurns(): Turns | undefined {
  if (typeof navigator !== "undefined" && navigator.locks) return (name, options, keep) => navigator.locks.request(name, options, keep);
  // Not read here: some browsers throw then, where they may keep nothing. That is met where a turn is taken.
  return "indexedDB" in globalThis ? byRecord : undefined;
}

async function byRecord(name: string, { ifAvailable, signal }: LockOptions, keep: (turn: object | null) => Promise<void>): Promise<void> {
  const database = await opened();
  try {
    while (!(await take(database, name))) {
      if (ifAvailable) return await keep(null);
      await pause(50);
      signal?.throwIfAborted();
    }
    await keep({}).finally(() => change(database, (turns) => turns.delete(name)));
  } finally {
    database.close();
  }
}

function opened(): Promise<IDBDatabase> {
  return new Promise((done, fail) => {
    const opening = indexedDB.open("portico-turns", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("turns");
    opening.onsuccess = () => done(opening.result);
    opening.onerror = () => fail(opening.error);
  });
}

async function take(database: IDBDatabase, name: string): Promise<boolean> {
  let isFree = false;
  await change(database, (turns) => {
    const found: IDBRequest<number | undefined> = turns.get(name);
    found.onsuccess = () => {
      const left = (found.result ?? 0) - Date.now();
      // A clock that was set back must not keep everybody out.
      isFree = left <= 0 || left > leaseMilliseconds;
      if (isFree) turns.put(Date.now() + leaseMilliseconds, name);
    };
  });
  return isFree;
}

function change(database: IDBDatabase, work: (turns: IDBObjectStore) => void): Promise<void> {
  return new Promise((done, fail) => {
    const transaction = database.transaction("turns", "readwrite");
    transaction.oncomplete = () => done();
    transaction.onabort = () => fail(transaction.error);
    work(transaction.objectStore("turns"));
  });
}
