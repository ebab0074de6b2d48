import { useApi } from "@portico/app-shell";
import type { Api } from "@portico/api";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { components, paths } from "../api.d.ts";
import { useDeed } from "@portico/ui";
import { whole, type Whole } from "../service.ts";

type Schemas = components["schemas"];

export type Generation = Whole<Schemas["Generation"]>;
export type Job = Whole<Schemas["Job"]>;
export type Operation = Whole<Schemas["Operation"]>;
/** What came of it, or why nothing did, stands there once it has ended. */
export type Progress = Omit<Whole<Schemas["OperationProgress"]>, "result" | "error"> & {
  readonly result: { readonly operations: readonly Operation[] } | null;
  readonly error: { readonly message: string } | null;
};
export type ServiceStatus = Whole<Schemas["ServiceStatus"]>;

/** The calls of the console. */
export const useSystem = (): Api<paths> => useApi<paths>();

const lookMilliseconds = 5_000;
const progressMilliseconds = 500;

/** The host as it runs, looked at again every 5 s. */
export function useStatus() {
  const api = useSystem();
  return useQuery({
    queryKey: ["/api/system/status"],
    refetchInterval: lookMilliseconds,
    queryFn: ({ signal }) => whole(api.get("/api/system/status", { signal })),
  });
}

export function useServiceStatus() {
  const api = useSystem();
  return useQuery({
    queryKey: ["/api/system/services"],
    refetchInterval: lookMilliseconds,
    queryFn: async ({ signal }) => (await whole(api.get("/api/system/services", { signal }))).services as ServiceStatus[],
  });
}

/** How what is installed differs from what runs. The host reads the files for it. */
export function useInstalled() {
  const api = useSystem();
  return useQuery({
    queryKey: ["/api/system/installed"],
    refetchInterval: 60_000,
    queryFn: ({ signal }) => whole(api.get("/api/system/installed", { signal })),
  });
}

/** The newest backup that was made, and the newest try, as far as the list of operations goes; `undefined` until it is read. */
export function useBackups(): { readonly made: Operation | undefined; readonly tried: Operation | undefined } | undefined {
  const api = useSystem();
  const { data } = useQuery({
    queryKey: ["/api/system/operations", "backups"],
    refetchInterval: 60_000,
    queryFn: async ({ signal }) =>
      ((await whole(api.get("/api/system/operations", { query: { limit: 200 }, signal }))).operations as Operation[]).filter(
        ({ command }) => command === "backup",
      ),
  });
  return data && { made: data.find(({ status }) => status === "done"), tried: data[0] };
}

/** Something that is done to the host: begun, then followed until it has ended, also when it is this console that is reloaded. */
export function useOperation() {
  const api = useSystem();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const [begun, setBegun] = useState<Progress | null>(null);
  const followed = useQuery({
    queryKey: ["/api/system/operations", begun?.id],
    enabled: begun !== null,
    queryFn: ({ signal }) =>
      whole(api.get("/api/system/operations/{operationId}", { path: { operationId: begun?.id ?? "" }, signal })) as Promise<Progress>,
    refetchInterval: ({ state }) => (state.data && state.data.state !== "running" ? false : progressMilliseconds),
  }).data;
  const progress = begun && followed?.id === begun.id ? followed : begun;
  const ended = progress?.state === "running" ? "" : (progress?.id ?? "");
  useEffect(() => {
    if (ended) void client.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith("/api/system/") });
  }, [client, ended]);
  return {
    busy: busy || progress?.state === "running",
    progress,
    begin: (ask: () => Promise<unknown>) => run(async () => setBegun((await ask()) as Progress)),
    close: () => setBegun(null),
  };
}
