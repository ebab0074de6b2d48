import { useQuery } from "@tanstack/react-query";
import { useSocial, whole, type Platform } from "../service.ts";

/** An entry of a source, or a saved one. */
export interface Entry {
  readonly sourceItemId: string;
  readonly title: string;
  readonly summary: string;
  readonly url: string;
  readonly source: { readonly type: string; readonly name: string };
  readonly publishedAt: string | null;
  readonly observedAt: string;
  readonly score: number;
  readonly tags: readonly string[];
}

export interface Seed extends Entry {
  readonly seedId: string;
  readonly note: string;
  readonly useCount: number;
  readonly version: number;
}

export interface Source {
  readonly trendSourceId: string;
  readonly kind: "rss" | "mastodon_trends" | "bluesky_feed";
  readonly name: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly lastFetchedAt: string | null;
  readonly lastError: string | null;
  readonly itemCount: number;
  readonly version: number;
}

/** Networks for which the service writes suggestions. */
export const suggestible: readonly Platform[] = ["bluesky", "mastodon", "webhook", "linkedin", "facebook_page", "threads", "x"];

const max = 100;

export function useTrends(brandId: string, source: string) {
  const api = useSocial();
  return useQuery({
    queryKey: ["/api/trends", brandId, source],
    queryFn: async ({ signal }) =>
      (await whole(api.get("/api/trends", { query: { brandId, limit: max, ...(source && { source }) } as never, signal })))
        .items as unknown as readonly Entry[],
  });
}

export function useSeeds(brandId: string) {
  const api = useSocial();
  return useQuery({
    queryKey: ["/api/seeds", brandId],
    queryFn: async ({ signal }) =>
      (await whole(api.get("/api/seeds", { query: { brandId, limit: max }, signal }))).items as unknown as readonly Seed[],
  });
}

export function useSources(brandId: string) {
  const api = useSocial();
  return useQuery({
    queryKey: ["/api/trend-sources", brandId],
    queryFn: async ({ signal }) =>
      (await whole(api.get("/api/trend-sources", { query: { brandId, limit: max }, signal }))).items as unknown as readonly Source[],
  });
}
