import { MantineProvider } from "@mantine/core";
import { createContext, useContext, useEffect, useMemo, useSyncExternalStore, type ReactNode } from "react";
import type { Address } from "./address.ts";
import type { Say, UiTexts } from "./i18n.ts";
import { problemOf, type Problem } from "@portico/api";
import { noSchemeManager, theme } from "./theme.ts";
import type { Undo } from "./undo.ts";

/**
 * A request to the service of this origin.
 *
 * @example
 * const request: Request = { method: "PATCH", path: "/api/contacts/con_1", body: { company: "Acme" }, version: 3 };
 * console.log(request.path);
 */
export interface Request {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Becomes `If-Match`. */
  readonly version?: number;
  /** `Idempotency-Key`; the same one when the same creation is sent again. */
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/**
 * Sends a request and answers its JSON; throws what `problemOf` reads. Aborted ones throw an `AbortError`.
 *
 * @example
 * const send: Send = async ({ path, signal }) => (await fetch(path, signal ? { signal } : {})).json();
 * console.log(typeof send);
 */
export type Send = <T>(request: Request) => Promise<T>;

/**
 * What the shell does with messages: toasts that are a list as well, and words for screen readers.
 *
 * @example
 * const notices: Notices = { tell: ({ text, kind }) => console.log(kind, text) };
 * notices.tell({ kind: "done", text: "Saved" });
 */
export interface Notices {
  readonly tell: (notice: { readonly text: string; readonly kind: "done" | "refused" | "info"; readonly requestId?: string }) => void;
}

/**
 * What the patterns need of the page around them; the shell provides it.
 *
 * @example
 * const services = (texts: UiTexts, address: Address): UiServices => ({
 *   texts, address, undo: createUndo(), may: () => true,
 *   notices: { tell: ({ text }) => console.log(text) }, send: async ({ path }) => (await fetch(path)).json(),
 * });
 * console.log(services.name);
 */
export interface UiServices {
  readonly texts: UiTexts;
  readonly address: Address;
  readonly undo: Undo;
  readonly notices: Notices;
  readonly send: Send;
  /** Whether the person has a permission here, as `crm.contacts:write` or `contacts:write`. */
  readonly may: (permission: string) => boolean;
  /** Whether single keys act outside of fields; true unless the person has switched them off. */
  readonly keys?: boolean;
  /** Whether what is sent now waits until the server can be reached. */
  readonly waits?: boolean;
  /** Shows what keys do while a part is on the page, by key; answers how that ends. */
  readonly nameKeys?: (names: Readonly<Record<string, string>>) => () => void;
  /** Names the record that the page shows, for the title of the window and the breadcrumbs; returns what takes the name away. */
  readonly namePage?: (name: string) => () => void;
}

interface Ui extends UiServices {
  readonly say: Say;
  /** A text of the app's own catalog; undefined where it has none. */
  readonly word: (key: string) => string | undefined;
  readonly keys: boolean;
  /** A problem in a sentence: by its code, else the server's words. */
  readonly sentence: (error: unknown) => string;
  /** What is wrong with a field: by its code (`fault.…` of the app's catalog), else in the server's words. */
  readonly fault: (wrong: Problem["errors"][number]) => string;
}

const Context = createContext<Ui | null>(null);

/**
 * Gives the patterns their services and Mantine its theme; around the whole app, inside of a `QueryClientProvider`.
 *
 * @example
 * const app = (services: UiServices) => UiProvider({ services, children: "Hello" });
 * console.log(typeof app);
 */
export function UiProvider({ services, children }: { services: UiServices; children: ReactNode }): ReactNode {
  const ui = useMemo((): Ui => {
    const { texts } = services;
    const say: Say = (key, values) => texts.t(`ui.${key}`, values);
    return {
      keys: true,
      ...services,
      say,
      word: (key) => (texts.has(key) ? texts.t(key) : undefined),
      sentence: (error) => sentenceOf(problemOf(error), texts),
      fault: (wrong) => faultOf(wrong, texts),
    };
  }, [services]);
  return (
    <MantineProvider
      theme={theme}
      withCssVariables={false}
      withGlobalClasses={false}
      deduplicateCssVariables={false}
      forceColorScheme="light"
      colorSchemeManager={noSchemeManager}
    >
      <Context value={ui}>
        {children}
        {/* Where menus, popovers and dialogs go: Mantine takes this one, and a screen reader finds it as a place of its own. */}
        <div data-mantine-shared-portal-node="true" role="region" aria-label={ui.say("ui.layers")} />
      </Context>
    </MantineProvider>
  );
}

function faultOf({ code, message }: Problem["errors"][number], { t, has }: UiTexts): string {
  return has(`fault.${code}`) ? t(`fault.${code}`) : message;
}

/**
 * The permission that 403 `permission_denied` names in its details: the name under which the page of permissions explains it, and its title in a language.
 *
 * @example
 * console.log(permissionOf({ permission: "crm.contacts:export", titles: { en: "Export contacts" } }, "de")?.title); // Export contacts
 */
export function permissionOf({ permission, titles }: Problem["details"], locale: string): { name: string; title: string } | null {
  const words = (titles ?? {}) as Readonly<Record<string, string>>;
  return typeof permission === "string" ? { name: permission, title: words[locale.slice(0, 2)] ?? words["en"] ?? permission } : null;
}

/** The app's words for a code, then what the server says about a field or a state, which is more to the point than a general sentence; ours; the server's. */
export function sentenceOf({ code, detail, details, errors }: Problem, texts: UiTexts): string {
  const { t, has, locale } = texts;
  if (has(`problem.${code}`)) return t(`problem.${code}`);
  const general = (code === "validation_failed" || code === "conflict") && detail;
  // The server speaks English: in another language that goes after our words.
  const exact =
    (errors[0] && faultOf(errors[0], texts)) ||
    (general && (/^en\b/.test(locale) ? detail : t("ui.problem.said", { text: t(`ui.problem.${code}`), detail })));
  if (exact) return exact;
  return has(`ui.problem.${code}`)
    ? t(`ui.problem.${code}`, { permission: permissionOf(details, locale)?.title ?? "none" })
    : detail || t("ui.problem.internal");
}

/**
 * Services and texts of the page around; throws outside of a `UiProvider`.
 *
 * @example
 * const Save = () => <button type="button">{useUi().say("act.save")}</button>;
 * console.log(Save.name);
 */
export function useUi(): Ui {
  const ui = useContext(Context);
  if (!ui) throw new Error("useUi: there is no UiProvider around this");
  return ui;
}

/**
 * Names the record that the page shows: the title of the window and the last breadcrumb have its name. `Page` names a record by its title.
 *
 * @example
 * const Contact = () => {
 *   usePageName("Ada Lovelace");
 *   return null;
 * };
 * console.log(Contact.name);
 */
export function usePageName(name: string | undefined): void {
  const namePage = useContext(Context)?.namePage;
  useEffect(() => (name ? namePage?.(name) : undefined), [name, namePage]);
}

/**
 * Path and query of the page, as it changes.
 *
 * @example
 * const Here = () => {
 *   const [path, query] = useAddress();
 *   return <output>{`${path}?${query}`}</output>;
 * };
 * console.log(Here.name);
 */
export function useAddress(): readonly [path: string, query: string] {
  const { address } = useUi();
  const [path = "", query = ""] = useSyncExternalStore(address.subscribe, address.current).split(/\?(.*)/s);
  return [path, query];
}
