import { useEffect, useRef } from "react";
import { useUi } from "./ui.tsx";

/**
 * What keys do: by `event.key` (`j`, `/`, `ArrowDown`, `mod+Enter` with Ctrl or ⌘). A function that answers false leaves the key to others.
 *
 * @example
 * const keys: Keys = { c: () => console.log("create"), "mod+Enter": () => console.log("send") };
 * console.log(Object.keys(keys));
 */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void | false>>;

/**
 * Lets keys act while a part is on the page. Single keys act outside of fields only, never behind a dialog, and not at all where the person has switched
 * them off; those with Ctrl or ⌘ act everywhere. Those with a name stand among all keys (`?`).
 *
 * @example
 * function Searched() {
 *   useKeys({ c: () => console.log("create") });
 *   return null;
 * }
 * console.log(Searched.name);
 */
export function useKeys(keys: Keys, on = true, names: Readonly<Record<string, string>> = {}): void {
  const { keys: single, nameKeys } = useUi();
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    if (!on) return;
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.altKey) return;
      const mod = event.ctrlKey || event.metaKey;
      const act = latest.current[(mod ? "mod+" : "") + (event.key.length === 1 ? event.key.toLowerCase() : event.key)];
      if (!act || (!mod && (!single || isField(event.target) || document.querySelector("[aria-modal='true'], [role='menu']")))) return;
      if (act(event) !== false) event.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [on, single]);
  const named = JSON.stringify(names);
  useEffect(() => (on ? nameKeys?.(JSON.parse(named) as typeof names) : undefined), [on, named, nameKeys]);
}

/** Whether keys typed there are text. */
function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      /^(TEXTAREA|SELECT)$/.test(target.tagName) ||
      (target instanceof HTMLInputElement && !/^(checkbox|radio|button|submit|file)$/.test(target.type)))
  );
}
