import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { components } from "../api.d.ts";
import { useIdentity, whole, type Whole } from "../service.ts";
import { useSystem } from "./system.ts";

export type LogRecord = Whole<components["schemas"]["LogRecord"]>;

/** Which records are looked at, as the address says. */
export interface LogFilter {
  readonly service: string;
  readonly level: string;
  readonly requestId: string;
  /** Minutes back from now; 0: the newest records. */
  readonly minutes: number;
}

/** Time ranges of the page in minutes; the last one is everything that the host keeps. */
export const ranges = [0, 5, 15, 60, 1_440, Infinity] as const;

export interface Log {
  /** The oldest first. */
  readonly records: readonly LogRecord[];
  readonly next: number;
  /** Whether records came faster than they were read. */
  readonly gap: boolean;
}

const lookMilliseconds = 1_000;
const perRequest = 500;
/** What the page keeps; older ones make room. */
const shownRecords = 1_000;
/** With a time range it keeps what the host keeps. */
const keptRecords = 5_000;
const minuteMilliseconds = 60_000;

/** The log as it grows: the newest records first read, then what comes, each second while the page is looked at and `live`. */
export function useLog(filter: LogFilter, live: boolean) {
  const api = useSystem();
  const client = useQueryClient();
  const queryKey = ["/api/system/log", filter] as const;
  return useQuery({
    queryKey,
    // Others' filters are read anew when they are chosen again.
    gcTime: 0,
    structuralSharing: false,
    refetchInterval: live ? lookMilliseconds : false,
    refetchOnWindowFocus: live,
    queryFn: async ({ signal }): Promise<Log> => {
      const { service, level, requestId, minutes } = filter;
      const known = client.getQueryData<Log>(queryKey);
      const read = (after: number) =>
        whole(
          api.get("/api/system/log", {
            query: { ...(service && { service }), ...(level && { level }), ...(requestId && { requestId }), after, limit: perRequest },
            signal,
          }),
        );
      const cut = (records: readonly LogRecord[]): readonly LogRecord[] => {
        if (minutes === 0) return records.slice(-shownRecords);
        const since = Number.isFinite(minutes) ? Date.now() - minutes * minuteMilliseconds : 0;
        return records.filter(({ time }) => Date.parse(time) >= since).slice(-keptRecords);
      };
      if (!known && minutes > 0) return readAll(read, cut);
      const page = await read(known?.next ?? 0);
      if (known && page.records.length === 0 && page.next === known.next && minutes === 0) return known;
      return {
        records: cut([...(known?.records ?? []), ...page.records]),
        next: page.next,
        gap: (known?.gap ?? false) || page.missed > 0,
      };
    },
  });
}

interface LogPart {
  readonly records: readonly LogRecord[];
  readonly next: number;
}

/** Everything that the host keeps, from its first record on. */
async function readAll(
  read: (after: number) => Promise<LogPart>,
  cut: (records: readonly LogRecord[]) => readonly LogRecord[],
): Promise<Log> {
  const found: LogRecord[] = [];
  let after = 1;
  for (;;) {
    const page = await read(after);
    found.push(...page.records);
    if (page.records.length < perRequest || page.next <= after) return { records: cut(found), next: page.next, gap: false };
    after = page.next;
  }
}

/** The value of a field of a record; empty where it has none. */
export const fieldOf = ({ fields }: LogRecord, wanted: string): string => fields.find(({ name }) => name === wanted)?.value ?? "";

/** Names of the accounts that are in the records, by id. An account that is gone has none. */
export function useNames(records: readonly LogRecord[] | undefined): ReadonlyMap<string, string> {
  const api = useIdentity();
  const ids = useMemo(
    () => [...new Set((records ?? []).map((each) => fieldOf(each, "caller")).filter((id) => id.startsWith("usr_")))].slice(0, mostNames),
    [records],
  );
  return useQueries({
    queries: ids.map((userId) => ({
      queryKey: ["/api/auth/users", userId, "name"],
      staleTime: Infinity,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const { displayName, email } = await whole(api.get("/api/auth/users/{userId}", { path: { userId }, signal }));
        return displayName || email || userId;
      },
    })),
    combine: useMemo(() => namesOf(ids), [ids]),
  });
}

const mostNames = 50;

const namesOf =
  (ids: readonly string[]) =>
  (answers: readonly { data: string | undefined }[]): ReadonlyMap<string, string> =>
    new Map(ids.flatMap((id, at) => (answers[at]?.data ? [[id, answers[at].data] as const] : [])));
