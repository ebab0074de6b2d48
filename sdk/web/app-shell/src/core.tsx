import { createContext, useContext, useSyncExternalStore, type ComponentType } from "react";
import { createApi, type Api } from "@portico/api";
import { allows, type Auth, type AuthState, type Me } from "@portico/auth-client";
import type { LucideIcon } from "lucide-react";
import type { Catalogs, Texts } from "./i18n.ts";
import type { Send } from "@portico/ui";
import type { Sender } from "./sender.ts";

/**
 * What a page gets: the members of its path.
 *
 * @example
 * const Contact = ({ params }: PageProps) => <bdi>{params["id"]}</bdi>;
 * console.log(typeof Contact);
 */
export interface PageProps {
  readonly params: Readonly<Record<string, string>>;
}

/**
 * A page of an app, each its own chunk.
 *
 * @example
 * const section: Section = { path: "/notes", label: "notes.title", permission: "notes:read", page: () => Promise.resolve({ default: () => null }) };
 * console.log(section.path);
 */
export interface Section {
  /** `/contacts`, `/contacts/:id`, `/settings/*`. The first that fits is taken. */
  readonly path: string;
  /** Key of its name, in the sidebar, the title, the breadcrumbs and the palette. */
  readonly label: string;
  /** One of lucide's; sections without one are not in the sidebar. */
  readonly icon?: LucideIcon;
  /** Who lacks it does not see the section. `contacts:read` of this service, `identity.members:read` of another. */
  readonly permission?: string;
  readonly page: () => Promise<{ default: ComponentType<PageProps> }>;
  /** Shows the page without sidebar and header: a step that comes before all others. */
  readonly bare?: boolean;
}

/**
 * Records that the palette finds while somebody types: at least two characters, 150 ms after the last one, and never the answer to older ones.
 *
 * @example
 * const notes: Search = {
 *   label: "notes.title",
 *   permission: "notes:read",
 *   find: async (q, send, signal) => (await send<{ items: { id: string; title: string }[] }>({ method: "GET", path: "/api/notes", query: { q, limit: 8 }, signal })).items.map(({ id, title }) => ({ label: title, path: `/notes/${id}` })),
 * };
 * console.log(notes.label);
 */
export interface Search {
  /** Key of what they are together. */
  readonly label: string;
  readonly icon?: LucideIcon;
  /** Who lacks it is found nothing. */
  readonly permission?: string;
  /** The best ones, few; where it fails, nothing is found. */
  find(text: string, send: Send, signal: AbortSignal): Promise<readonly { readonly label: string; readonly path: string }[]>;
}

/**
 * A native app that shows the pages in a web view. It opens apps and ends the sign-in in the place of the pages.
 *
 * @example
 * const native: NativeApp = { launch: (service, returnTo) => console.log(service, returnTo), signedOut: (scope) => console.log(scope) };
 * console.log(typeof native.launch);
 */
export interface NativeApp {
  /** Opens an app of the switcher, a tile or a link; `returnTo` is a path of that app or empty. */
  launch(service: string, returnTo: string): void;
  /** Reports that the user has signed out. A session that has ended leads to `/login` instead, where the native app signs the web view in again. */
  signedOut(scope: "browser" | "everywhere"): void;
}

/**
 * An app: which service it belongs to, its texts and its pages. The first section of the sidebar is its home.
 *
 * @example
 * const app: AppOptions = { service: "notes", title: "Notes", catalog: { en: {} }, sections: [] };
 * console.log(app.service);
 */
export interface AppOptions {
  readonly service: string;
  /** As people call it. */
  readonly title: string;
  readonly catalog: Catalogs;
  readonly sections: readonly Section[];
  /** Ask identity once without a page before asking for a password; true. */
  readonly silent?: boolean;
  /** Whether it works without an organization, too; false. */
  readonly personal?: boolean;
  /** Returns the address that opens another app signed in, with a one-time code; without it, identity issues the code. */
  readonly launch?: (service: string, returnTo: string, send: Sender["fetch"]) => Promise<string>;
  /** The native app around the pages, if there is one. */
  readonly native?: NativeApp | undefined;
  /** The service's stream of changes (`/api/changes`): what is on the page is read again when something changes. */
  readonly changes?: string;
  /** What the palette finds beside pages and actions. */
  readonly search?: Search;
  /** Where whoever has the permission finds what the log says of a request: its id in messages leads there. */
  readonly log?: { readonly permission: string; path(requestId: string): string };
}

/** Where an app begins. */
export const homeOf = ({ sections }: AppOptions): string => sections.find((each) => each.icon)?.path ?? "/";

export interface Shell {
  readonly app: AppOptions;
  readonly auth: Auth;
  readonly sender: Sender;
  readonly api: Api<never>;
  readonly texts: Texts;
  /** The origin where people sign in. */
  readonly identity: string;
  /** Other texts for other locales or zones, without a reload. */
  setLocale(locale: string, zone: string): void;
}

export const ShellContext = createContext<Shell | null>(null);

export function useShell(): Shell {
  const shell = useContext(ShellContext);
  if (!shell) throw new Error("outside of startApp");
  return shell;
}

/**
 * The sign-in of this app.
 *
 * @example
 * const Leave = () => <button type="button" onClick={() => void useAuth().signOut()} />;
 * console.log(typeof Leave);
 */
export const useAuth = (): Auth => useShell().auth;

/** Whether and as whom somebody is signed in; the component follows. */
export function useSession(): AuthState {
  const { auth } = useShell();
  return useSyncExternalStore(auth.subscribe, () => auth.state);
}

/** Who the pages are for. While a session that is over is renewed, it stays who it was: nothing on the page goes away. */
export const MeContext = createContext<Me | null>(null);

/**
 * The person that the page is for, and what they may here; the component follows.
 *
 * @example
 * const Hello = () => <bdi>{useMe().user.displayName}</bdi>;
 * console.log(typeof Hello);
 */
export function useMe(): Me {
  const me = useContext(MeContext);
  if (!me) throw new Error("useMe: only within a page of a section");
  return me;
}

/** Whether somebody holds a permission: `crm.contacts:write`, or `contacts:write` of this service. */
export const mayOf = (me: Me, service: string, permission: string): boolean =>
  allows(me.permissions, permission.includes(".") ? permission : `${service}.${permission}`);

/**
 * Whether the person holds a permission, `contacts:write` of this service; the component follows.
 *
 * @example
 * const Export = () => (useCan("contacts:export") ? <button type="button" /> : null);
 * console.log(typeof Export);
 */
export function useCan(permission: string | undefined): boolean {
  const { app } = useShell();
  const me = useMe();
  return permission === undefined || mayOf(me, app.service, permission);
}

/**
 * The calls of the service by its types (`api.d.ts`). What every call has in common when something goes wrong (no network, an ended session, a second
 * factor, a server that restarts) is done here already: the promise is settled when that is over. What is the call's own is a `Problem`.
 *
 * @example
 * interface paths { "/api/notes": { get: { responses: { 200: { content: { "application/json": { items: string[] } } } } } } }
 * const useNotes = () => useApi<paths>().get("/api/notes");
 * console.log(typeof useNotes);
 */
export function useApi<Paths>(): Api<Paths> {
  return useShell().api as unknown as Api<Paths>;
}

/** The texts and formats of the person's language; the component follows. */
export const useTexts = (): Texts => useShell().texts;

export const apiOf = (sender: Sender): Api<never> => createApi<never>(sender.fetch);
