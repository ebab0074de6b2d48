import type { MouseEvent } from "react";

/**
 * A plain click goes within the app; middle, Ctrl and the rest are the browser's.
 *
 * @example
 * const Link = () => <a href="/contacts" onClick={(event) => followLink(event, () => console.log("within the app"))} aria-label="Contacts" />;
 * console.log(Link.name);
 */
export function followLink(event: MouseEvent, act: () => void): void {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  act();
}
