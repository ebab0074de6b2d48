import { useSyncExternalStore, type ComponentProps } from "react";
import { followLink } from "@portico/ui";
import { newBuild } from "./build.ts";

/**
 * Where the page is.
 *
 * @example
 * const place: Place = { path: "/contacts", search: "?q=ada", hash: "" };
 * console.log(place.path);
 */
export interface Place {
  readonly path: string;
  readonly search: string;
  readonly hash: string;
}

const listeners = new Set<() => void>();
const guards = new Set<(leave: () => void) => boolean>();
let place = read();
const loadedAt = Date.now();
const loadedPath = place.path;

/**
 * Requests the address from the server, unless this page came from it: the service may render a path that is no page of the app.
 *
 * @example
 * loadElsewhere();
 */
export function loadElsewhere(): void {
  if (place.path !== loadedPath) location.replace(textOf(place));
}

function read(): Place {
  if (typeof location === "undefined") return { path: "/", search: "", hash: "" };
  return { path: location.pathname, search: location.search, hash: location.hash };
}

function publish(): void {
  const now = read();
  if (now.path === place.path && now.search === place.search && now.hash === place.hash) return;
  place = now;
  listeners.forEach((each) => each());
}

/** What the browser keeps of a page before which there is another one of this app. */
const INSIDE = "inside";

const textOf = ({ path, search, hash }: Place) => path + search + hash;
/** Whether a guard keeps the person here; it goes on by itself when they say so. */
const held = (leave: () => void): boolean => [...guards].some((asks) => asks(leave));

if (typeof addEventListener !== "undefined") {
  let left = false;
  const leave = () => ((left = true), history.back());
  addEventListener("popstate", () => {
    if (left || read().path === place.path || !held(leave)) {
      left = false;
      return publish();
    }
    // Back has already happened: the page that a guard keeps is put on top again.
    history.pushState(INSIDE, "", textOf(place));
  });
  addEventListener("beforeunload", (event) => {
    if (unsaved()) event.preventDefault();
  });
}

/**
 * Whether something on the page would be lost by leaving it.
 *
 * @example
 * if (!unsaved()) location.reload();
 */
export const unsaved = (): boolean => guards.size > 0;

/** From now on nobody is asked. */
export const giveUp = (): void => {
  guards.clear();
  addEventListener("beforeunload", (event) => event.stopImmediatePropagation(), { capture: true });
};

const subscribe = (listener: () => void) => (listeners.add(listener), () => void listeners.delete(listener));

/** The address as the patterns of `ui` take it. */
export const address = {
  current: () => textOf(place),
  subscribe,
  go: (to: string, how?: { readonly replace?: boolean }) => navigate(to, how),
  back: () => (history.state === INSIDE ? history.back() : false),
  guard: (asks: (leave: () => void) => boolean) => (guards.add(asks), () => void guards.delete(asks)),
  held,
};

/**
 * Goes to a path of this app. With `replace`, Back does not lead to where one was. Where something is unsaved and the path is another one, the person is
 * asked first. `keepScroll` for changes of the query.
 *
 * @example
 * navigate("/contacts?q=ada", { replace: true });
 */
export function navigate(
  to: string,
  { replace = false, force = false, keepScroll = false }: { replace?: boolean; force?: boolean; keepScroll?: boolean } = {},
): void {
  const target = new URL(to, location.href);
  if (target.origin !== location.origin) throw new TypeError(`${to} is not of this app`);
  const same = target.pathname === place.path;
  const go = () => {
    // A page that is younger than a minute was loaded for this already: the server may have two builds.
    if (newBuild.value && !same && !unsaved() && Date.now() - loadedAt > 60_000) return location.assign(target);
    if (replace) history.replaceState(history.state, "", target);
    else history.pushState(INSIDE, "", target);
    publish();
    if (!same && !keepScroll) scrollTo(0, 0);
  };
  if (same || force || !held(go)) go();
}

/**
 * Where the page is; the component follows.
 *
 * @example
 * const Here = () => <bdi>{usePlace().path}</bdi>;
 * console.log(typeof Here);
 */
export const usePlace = (): Place => useSyncExternalStore(subscribe, () => place);

/**
 * One member of the query, and how to change it (null removes). The address is replaced, so Back leaves the page and not the filter.
 *
 * @example
 * const Search = () => {
 *   const [q, setQ] = useQuery("q");
 *   return <input value={q ?? ""} onChange={(event) => setQ(event.target.value || null)} />;
 * };
 * console.log(typeof Search);
 */
export function useQuery(name: string): [string | null, (value: string | null) => void] {
  const { search } = usePlace();
  return [new URLSearchParams(search).get(name), (value) => setQuery({ [name]: value })];
}

/**
 * Changes members of the query together; null removes one.
 *
 * @example
 * setQuery({ q: "ada", sort: null });
 */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  navigate(place.path + (text ? `?${text}` : "") + place.hash, { replace: true, keepScroll: true });
}

/**
 * A link within the app: a true one, so a middle click and a copied address work.
 *
 * @example
 * const Back = () => <Link to="/contacts">…</Link>;
 * console.log(typeof Back);
 */
export function Link({ to, replace = false, onClick, ...rest }: { to: string; replace?: boolean } & Omit<ComponentProps<"a">, "href">) {
  return <a {...rest} href={to} onClick={(event) => (onClick?.(event), followLink(event, () => navigate(to, { replace })))} />;
}

/**
 * The members of a path where it fits a pattern (`/contacts/:id`), decoded; null where it does not. A `*` at the end takes the rest.
 *
 * @example
 * console.log(match("/contacts/:id", "/contacts/con_1")); // { id: "con_1" }
 * console.log(match("/contacts/:id", "/pipeline")); // null
 */
export function match(pattern: string, path: string): Record<string, string> | null {
  const [wanted, found] = [pattern, path].map((each) => each.replace(/\/+$/, "").split("/")) as [string[], string[]];
  const members: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    if (part === "*") return { ...members, "*": found.slice(at).join("/") };
    const value = found[at];
    if (value === undefined) return null;
    if (part.startsWith(":")) {
      if (!value) return null;
      members[part.slice(1)] = decoded(value);
    } else if (part !== value) return null;
  }
  return wanted.length === found.length ? members : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
