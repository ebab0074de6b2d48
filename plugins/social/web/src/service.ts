import { setQuery, useApi, useCan, usePreference, useQuery as useAddressQuery } from "@portico/app-shell";
import type { Api } from "@portico/api";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { components, paths } from "./api.d.ts";

type Schemas = components["schemas"];

/** A response of the service: it has every member. The schemas say which members a request may omit. */
export type Whole<T> = T extends readonly (infer E)[]
  ? Whole<E>[]
  : T extends object
    ? { [K in keyof T]-?: Whole<Exclude<T[K], undefined>> }
    : T;

export type Brand = Whole<Schemas["Brand"]>;
export type Post = Whole<Schemas["Post"]>;
export type Item = Whole<Schemas["ItemView"]>;
export type Target = Whole<Schemas["Target"]>;
export type SafeAction = Whole<Schemas["SafeAction"]>;
export type Integration = Whole<Schemas["Integration"]>;
export type Platform = Item["platform"];

/** The calls of the service. */
export const useSocial = (): Api<paths> => useApi<paths>();

/** A response with all of its members; see `Whole`. */
export const whole = <T>(answer: Promise<T>): Promise<Whole<T>> => answer as Promise<Whole<T>>;

/** The records of a list, page after page: at most ten pages. */
export async function allPages<T>(
  page: (cursor: string | undefined) => Promise<{ readonly items: readonly T[]; readonly nextCursor?: string | null }>,
): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  for (let turn = 0; turn < maxPages; ++turn) {
    const { items, nextCursor } = await page(cursor);
    found.push(...items);
    if (!nextCursor) break;
    cursor = nextCursor;
  }
  return found;
}
const maxPages = 10;

const minute = 60_000;
const maxBrands = 200;

export function useBrands() {
  const api = useSocial();
  return useQuery({
    queryKey: ["/api/brands"],
    staleTime: minute,
    queryFn: async ({ signal }) => (await whole(api.get("/api/brands", { query: { limit: maxBrands }, signal }))).items as Brand[],
  });
}

/** `brand` of an address that asks for all brands. */
export const allBrands = "all";

/** The brand that the address names, else the one that the user selected last, on every device; else the first one. */
export function useBrand(): {
  brand: Brand | undefined;
  brands: ReturnType<typeof useBrands>;
  all: boolean;
  choose: (brandId: string) => void;
} {
  const brands = useBrands();
  const [chosen, prefer] = usePreference("brand", "");
  const [asked] = useAddressQuery("brand");
  const find = (id: string | null) => brands.data?.find(({ brandId }) => brandId === id);
  return {
    brand: find(asked) ?? find(chosen) ?? brands.data?.[0],
    brands,
    all: asked === allBrands,
    choose: (brandId) => {
      if (brandId !== allBrands) prefer(brandId);
      if (asked !== null || brandId === allBrands) setQuery({ brand: brandId === allBrands ? allBrands : null });
    },
  };
}

/** Accounts of a brand, and which networks the server offers. */
export function useAccounts(brandId: string) {
  const api = useSocial();
  return useQuery({
    queryKey: ["/api/integrations", brandId],
    staleTime: minute,
    queryFn: ({ signal }) => whole(api.get("/api/integrations", { query: { brandId }, signal })),
  });
}

/** Names of accounts, by their ids; empty where the user may not read them. */
export function useAccountNames(brandId: string): ReadonlyMap<string, string> {
  const api = useSocial();
  const { data } = useQuery({
    queryKey: ["/api/integrations", brandId],
    staleTime: minute,
    enabled: useCan("accounts:read"),
    queryFn: ({ signal }) => whole(api.get("/api/integrations", { query: { brandId }, signal })),
  });
  const items = (data?.items ?? []) as unknown as readonly Integration[];
  return new Map(items.map(({ integrationId, displayName, handle }) => [integrationId, displayName || handle]));
}

const maxAuthors = 200;

/** Names of the authors of the brand's newest items, by the ids of the items. */
export function useAuthors(brandId: string): ReadonlyMap<string, string> {
  const api = useSocial();
  const { data } = useQuery({
    queryKey: ["/api/content-ops/events", "authors", brandId],
    staleTime: minute,
    queryFn: async ({ signal }) =>
      (
        await whole(
          api.get("/api/content-ops/events", {
            query: { brandId, kind: ["content.created", "suggestion.generated"], limit: maxAuthors } as never,
            signal,
          }),
        )
      ).items as unknown as readonly { contentId: string | null; actor: { displayName: string } }[],
  });
  return new Map((data ?? []).flatMap(({ contentId, actor }) => (contentId && actor.displayName ? [[contentId, actor.displayName]] : [])));
}

export function useReadiness(brandId: string) {
  const api = useSocial();
  return useQuery({
    queryKey: ["/api/brands", brandId, "publishing-readiness"],
    staleTime: minute,
    queryFn: ({ signal }) => whole(api.get("/api/brands/{brandId}/publishing-readiness", { path: { brandId }, signal })),
  });
}

/** Reads again all records of the service. */
export function useReload(): () => Promise<unknown> {
  const client = useQueryClient();
  return useCallback(
    () =>
      client.invalidateQueries({
        predicate: ({ queryKey }) =>
          /^\/api\/(posts|content-ops|brands|integrations|media|trends|seeds|trend-sources|analytics)\b/.test(String(queryKey[0])),
      }),
    [client],
  );
}
