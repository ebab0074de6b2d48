import { useEffect } from "react";
import type { LucideIcon } from "lucide-react";
import { useKeys } from "@portico/ui";
import { createStore, useStore } from "./store.ts";

/**
 * Something that can be done here: an entry of the palette, and with a key, one that acts outside of fields and stands among the keys (`?`).
 *
 * @example
 * const create: Command = { id: "contact.create", label: "New contact", key: "c", run: () => undefined };
 * console.log(create.key);
 */
export interface Command {
  readonly id: string;
  /** As people read it, in their language. */
  readonly label: string;
  /** More words by which the palette finds it. */
  readonly words?: string;
  /** What of the palette it stands under; "Here" unless it is said. */
  readonly group?: string;
  readonly icon?: LucideIcon;
  /** `c`, `/`, `?`: a single key. */
  readonly key?: string;
  /** Stands among the keys and not in the palette. */
  readonly keyOnly?: boolean;
  run(): void;
}

export const commands = createStore<readonly (readonly Command[])[]>([]);
/** What keys of patterns do, which are no commands. */
export const named = createStore<readonly Readonly<Record<string, string>>[]>([]);
export const paletteOpen = createStore(false);
export const keysOpen = createStore(false);

/**
 * What can be done while a part is on the page. Give a list that changes only when what it says does (`useMemo`).
 *
 * @example
 * const list: readonly Command[] = [{ id: "note.create", label: "New note", key: "c", run: () => undefined }];
 * const Page = () => (useCommands(list), null);
 * console.log(typeof Page);
 */
export function useCommands(list: readonly Command[]): void {
  useEffect(() => {
    commands.set((all) => [...all, list]);
    return () => commands.set((all) => all.filter((each) => each !== list));
  }, [list]);
}

/** Shows what keys of patterns do; answers how that ends. */
export function nameKeys(names: Readonly<Record<string, string>>): () => void {
  named.set((all) => [...all, names]);
  return () => named.set((all) => all.filter((each) => each !== names));
}

/** Lets the keys of commands act, and Ctrl or ⌘ with K. The innermost part that says what a key does is asked. */
export function useCommandKeys(): void {
  const keyed = useStore(commands)
    .flat()
    .flatMap((each) => (each.key ? [[each.key.toLowerCase(), () => each.run()] as const] : []));
  useKeys({ ...Object.fromEntries(keyed), "mod+k": () => paletteOpen.set((open) => !open) });
}
