import { Problem, problemOf } from "@portico/api";
import { useTexts } from "@portico/app-shell";
import { useQuery } from "@tanstack/react-query";
import type { components } from "../api.d.ts";
import { useCalendar, whole, type Whole } from "../service.ts";

type Schemas = components["schemas"];

/** A calendar elsewhere. */
export type Remote = Whole<Schemas["ExternalCalendar"]>;
/** One of an account's calendars. */
export type Collection = Whole<Schemas["RemoteCalendar"]>;
export type Kind = Remote["kind"];

/** Opened by consent at its provider, rather than by an address. */
export const isOfProvider = (kind: Kind): boolean => kind === "google" || kind === "microsoft";
export const remotePath = "/api/admin/external-calendars";

/** What is wrong with a calendar. */
export type Fault = Remote["lastFaults"][number];

/** Says what is wrong with a calendar, by the codes; nothing where the catalog lacks one. */
export function useFaultWords(): (faults: readonly Fault[]) => string {
  const { t, has } = useTexts();
  const words = ({ code, step, about, detail }: Fault): string => {
    const key = [`remote.${code}.${detail}`, `remote.${code}`].find(has);
    if (!key) return "";
    const what = t(key, { about, detail });
    return has(`remote.${step}`) ? t("remote.at", { step: t(`remote.${step}`), about, what }) : what;
  };
  return (faults) => {
    const all = faults.map(words);
    return all.every(Boolean) ? all.join(" ") : "";
  };
}

/** Asks with a calendar elsewhere; where that fails it is said in our words, at the field that it is about. */
export function useAsking(): <T>(asked: Promise<T>) => Promise<T> {
  const faultWords = useFaultWords();
  return (asked) =>
    asked.catch((error: unknown) => {
      const problem = problemOf(error);
      const message = faultWords([{ code: "", step: "", about: "", detail: "", ...problem.details }]);
      if (!message) throw problem;
      throw new Problem(problem.code, problem.status, {
        ...problem,
        detail: message,
        errors: [{ field: problem.errors[0]?.field ?? "url", code: problem.code, message }],
      });
    });
}

/** How a state is marked beside its word. */
export const markOf = { ok: "good", stale: "plain", auth_failed: "bad", unreachable: "warn" } as const satisfies Record<
  Remote["syncState"],
  string
>;

/** Not many: a host has twenty at most. What is still to be read is looked at again until it is. */
export function useRemotes(waits: boolean) {
  const api = useCalendar();
  return useQuery<{ items: Remote[]; connectableKinds: Kind[] }>({
    queryKey: [remotePath],
    refetchInterval: ({ state: { data } }) => (waits || data?.items.some(({ syncState }) => syncState === "stale") ? 2_000 : 60_000),
    queryFn: async ({ signal }) =>
      (await whole(api.get(remotePath, { query: { limit: 50 }, signal }))) as { items: Remote[]; connectableKinds: Kind[] },
  });
}

/** Leaves for the provider of a calendar, to allow us there; it comes back to the page of calendars. */
export function useConsent(): (calendarId: string) => Promise<void> {
  const api = useCalendar();
  return async (calendarId) =>
    location.assign((await whole(api.post(`${remotePath}/{calendarId}/authorize`, { path: { calendarId } }))).authorizeUrl);
}

/** Of an address, for people: its server. */
export const serverOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** Of a calendar whose name is not known: the end of its address. */
export function endOf(url: string): string {
  const parts = url.split("?")[0]?.split("/").filter(Boolean) ?? [];
  try {
    return decodeURIComponent(parts.at(-1) ?? url);
  } catch {
    return parts.at(-1) ?? url;
  }
}
