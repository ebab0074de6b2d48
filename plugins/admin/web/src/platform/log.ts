import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { components } from "../api.d.ts";
import { whole, type Whole } from "../service.ts";
import { useSystem } from "./system.ts";

export type LogRecord = Whole<components["schemas"]["LogRecord"]>;

/** Which records are looked at, as the address says. */
export interface LogFilter {
  readonly service: string;
  readonly level: string;
  readonly requestId: string;
}

export interface Log {
  /** The oldest first. */
  readonly records: readonly LogRecord[];
  readonly next: number;
  /** Whether records came faster than they were read. */
  readonly gap: boolean;
}

const lookMilliseconds = 1_000;
/** What the page keeps; older ones make room. */
const shownRecords = 1_000;

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
      const { service, level, requestId } = filter;
      const known = client.getQueryData<Log>(queryKey);
      const page = await whole(
        api.get("/api/system/log", {
          query: {
            ...(service && { service }),
            ...(level && { level }),
            ...(requestId && { requestId }),
            after: known?.next ?? 0,
            limit: 500,
          },
          signal,
        }),
      );
      if (known && page.records.length === 0 && page.next === known.next) return known;
      return {
        records: [...(known?.records ?? []), ...page.records].slice(-shownRecords),
        next: page.next,
        gap: (known?.gap ?? false) || page.missed > 0,
      };
    },
  });
}
