import type { QueryClient, QueryKey } from "@tanstack/react-query";

/** Stores a value in the cache for as long as the workspace is open. Other values are dropped after five minutes without a reader. */
export function keep<T>(client: QueryClient, key: QueryKey, value: T): void {
  client.setQueryDefaults(key, { gcTime: Infinity });
  client.setQueryData(key, value);
}
