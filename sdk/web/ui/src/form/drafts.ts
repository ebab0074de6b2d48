const PREFIX = "portico.draft.";

/**
 * What was typed under a name in this tab and not saved yet; undefined: nothing, or storage is forbidden here.
 *
 * @example
 * writeDraft("note:con_1", { text: "Met at" });
 * console.log(readDraft("note:con_1"));
 */
export function readDraft(name: string): Record<string, unknown> | undefined {
  return withStorage((storage) => {
    const value: unknown = JSON.parse(storage.getItem(PREFIX + name) ?? "null");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  });
}

/**
 * Keeps a draft, or forgets it where there is none. Storage that is full or forbidden is done without.
 *
 * @example
 * writeDraft("note:con_1", { text: "Met at" });
 * writeDraft("note:con_1", undefined); // saved
 */
export function writeDraft(name: string, value: Readonly<Record<string, unknown>> | undefined): void {
  withStorage((storage) => (value ? storage.setItem(PREFIX + name, JSON.stringify(value)) : storage.removeItem(PREFIX + name)));
}

/**
 * Forgets all drafts of this tab, as at another workspace or person.
 *
 * @example
 * clearDrafts();
 */
export function clearDrafts(): void {
  withStorage((storage) => Object.keys(storage).forEach((key) => key.startsWith(PREFIX) && storage.removeItem(key)));
}

function withStorage<T>(act: (storage: Storage) => T): T | undefined {
  try {
    return act(sessionStorage);
  } catch {
    return undefined;
  }
}
