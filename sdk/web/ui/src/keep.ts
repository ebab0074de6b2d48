import type { QueryClient, QueryKey } from "@tanstack/react-query";

/** Stores a value in the cache for as long as the workspace is open. The cache drops other values that no component reads after five minutes. */
export function keep<T>(client: QueryClient, key: QueryKey, value: T): void {
  client.setQueryDefaults(key, { gcTime: Infinity });
  client.setQueryData(key, value);
}
