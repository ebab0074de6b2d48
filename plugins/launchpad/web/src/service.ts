import { useApi, useCan, useMe } from "@portico/app-shell";
import { problemOf } from "@portico/ui";
import type { Api } from "@portico/api";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { Action, CatalogEntry, paths, Preferences, PreferencesPatch } from "./types.ts";

export type * from "./types.ts";

/** The calls of the service. */
export const useLaunchpad = (): Api<paths> => useApi<paths>();

const minute = 60_000;
/** The most rows that a list returns at once. */
export const most = 200;
const maxPages = 5;
const attempts = 4;

interface ListPage<T> {
  items: readonly T[];
  nextCursor: string | null;
}

/** Reads a list to its end, at most 1,000 items. */
export async function wholeList<T>(read: (query: { limit: number; cursor?: string }) => Promise<ListPage<T>>): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < maxPages && (page === 0 || cursor); ++page) {
    const answer: ListPage<T> = await read({ limit: most, ...(cursor && { cursor }) });
    all.push(...answer.items);
    cursor = answer.nextCursor;
  }
  return all;
}

/** The apps of the active context. */
export function useCatalog() {
  const api = useLaunchpad();
  return useQuery({
    queryKey: ["/api/catalog"],
    staleTime: minute,
    queryFn: ({ signal }) => wholeList<CatalogEntry>((query) => api.get("/api/catalog", { query, signal })),
  });
}

export const isInstalled = ({ availability }: CatalogEntry): boolean => availability === "installed";
export const isLaunchable = (app: CatalogEntry): boolean => app.launchable && isInstalled(app);

/** Apps in the order of the user: the ordered ones first, then by name. */
export function ordered<T extends Pick<CatalogEntry, "service_id" | "name">>(apps: readonly T[], order: readonly string[]): T[] {
  const place = ({ service_id }: T) => (order.includes(service_id) ? order.indexOf(service_id) : order.length);
  return [...apps].sort((a, b) => place(a) - place(b) || a.name.localeCompare(b.name));
}

export const onboardingKey = ["/api/onboarding"];
const preferencesKey = ["/api/preferences"];

/** A response has the organization's pins and order in place of what the user has not set. */
const effective = (answer: Promise<unknown>): Promise<Preferences> => answer as Promise<Preferences>;

/** The preferences of the user in the active context. */
export function usePreferences() {
  const api = useLaunchpad();
  const { context } = useMe();
  return useQuery({
    queryKey: preferencesKey,
    staleTime: minute,
    queryFn: ({ signal }) => effective(api.get("/api/preferences", { query: { context }, signal })),
  });
}

/**
 * Changes preferences: at once on the page, then at the server. `change` gets the newest preferences and is applied again where another tab was first; a
 * rejected change is taken back.
 */
export function useChangePreferences(): (change: (now: Preferences) => PreferencesPatch) => Promise<void> {
  const api = useLaunchpad();
  const client = useQueryClient();
  const { context } = useMe();
  return useCallback(
    async (change) => {
      const query = { context };
      await client.cancelQueries({ queryKey: preferencesKey });
      for (let attempt = 1; ; ++attempt) {
        const before = client.getQueryData<Preferences>(preferencesKey) ?? (await effective(api.get("/api/preferences", { query })));
        const part = change(before);
        const { pinned, order, ...rest } = part;
        client.setQueryData<Preferences>(preferencesKey, { ...before, ...rest, ...(pinned && { pinned }), ...(order && { order }) });
        try {
          client.setQueryData(
            preferencesKey,
            await effective(api.patch("/api/preferences", { query, body: part, version: before.version })),
          );
          void client.invalidateQueries({ queryKey: ["/api/catalog"] });
          return;
        } catch (error) {
          client.setQueryData(preferencesKey, before);
          if (problemOf(error).code !== "version_conflict" || attempt === attempts) {
            void client.invalidateQueries({ queryKey: preferencesKey });
            throw error;
          }
          client.setQueryData(preferencesKey, await effective(api.get("/api/preferences", { query })));
        }
      }
    },
    [api, client, context],
  );
}

const actionsKey = ["/api/actions"];

/** What the tabs of actions show. */
const statusesOf: Readonly<Record<"open" | "snoozed" | "resolved", Action["status"][]>> = {
  open: ["open"],
  snoozed: ["snoozed"],
  resolved: ["resolved", "dismissed", "expired"],
};

/** The actions with a status that the user may decide, with their counts; none without the right to read them. */
export function useActions(shown: keyof typeof statusesOf, limit: number) {
  const api = useLaunchpad();
  const enabled = useCan("actions:read");
  const decidesAll = useCan("actions:resolve");
  return useQuery({
    queryKey: [...actionsKey, shown, limit, decidesAll],
    enabled,
    staleTime: minute / 2,
    queryFn: ({ signal }) =>
      api.get("/api/actions", { query: { status: statusesOf[shown], limit, ...(!decidesAll && { assignee: "me" }) }, signal }),
  });
}

/** The notifications of the user in the active context, and how many are unread. */
export function useNotifications(unread: boolean, limit: number, enabled = true) {
  const api = useLaunchpad();
  return useQuery({
    queryKey: ["/api/notifications", unread, limit],
    enabled,
    staleTime: minute / 2,
    queryFn: ({ signal }) => api.get("/api/notifications", { query: { limit, ...(unread && { unread }) }, signal }),
  });
}

/** Reads again what an install, an assignment or a decision may have changed. */
export function useReload(): () => Promise<unknown> {
  const client = useQueryClient();
  return useCallback(
    () =>
      client.invalidateQueries({
        predicate: ({ queryKey }) =>
          /^\/api\/(catalog|actions|assignments|notifications|widgets|org-settings|launches|store)\b/.test(String(queryKey[0])),
      }),
    [client],
  );
}

/** The path that opens an app signed in, optionally on one of its pages. */
export const launchPath = (service: string, returnTo?: string | null): string =>
  `/auth/launch/${encodeURIComponent(service)}${returnTo ? `?return_to=${encodeURIComponent(returnTo)}` : ""}`;
