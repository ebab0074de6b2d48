import { useApi } from "@portico/app-shell";
import type { Api } from "@portico/api";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { components, paths } from "./api.d.ts";

type Schemas = components["schemas"];

/** An answer of the service: it holds every member; the schemas say what may be left out of what is sent. */
export type Whole<T> = T extends readonly (infer E)[]
  ? Whole<E>[]
  : T extends object
    ? { [K in keyof T]-?: Whole<Exclude<T[K], undefined>> }
    : T;

export type EventType = Whole<Schemas["EventType"]>;
export type Host = Whole<Schemas["Host"]>;
export type Question = Whole<Schemas["Question"]>;
export type Schedule = Whole<Schemas["Schedule"]>;
export type WeeklyRule = Whole<Schemas["WeeklyRule"]>;

/** The calls of the service. */
export const useCalendar = (): Api<paths> => useApi<paths>();

/** An answer as what it is; see `Whole`. */
export const whole = <T>(answer: Promise<T>): Promise<Whole<T>> => answer as Promise<Whole<T>>;

const minute = 60_000;
const most = 100;

/** Who looks, and their host. */
export function useContext() {
  const api = useCalendar();
  return useQuery({
    queryKey: ["/api/admin/context"],
    staleTime: minute,
    queryFn: ({ signal }) => whole(api.get("/api/admin/context", { signal })),
  });
}

/** Whether there is a host to read anything of. */
const useHosted = (): boolean => useContext().data?.host != null;

export function useEventTypes() {
  const api = useCalendar();
  return useQuery({
    queryKey: ["/api/admin/event-types"],
    enabled: useHosted(),
    staleTime: minute,
    queryFn: async ({ signal }) =>
      (await whole(api.get("/api/admin/event-types", { query: { limit: most }, signal }))).items as EventType[],
  });
}

export function useSchedules() {
  const api = useCalendar();
  return useQuery({
    queryKey: ["/api/admin/schedules"],
    enabled: useHosted(),
    staleTime: minute,
    queryFn: async ({ signal }) => (await whole(api.get("/api/admin/schedules", { query: { limit: most }, signal }))).items as Schedule[],
  });
}

/** Reads again what the host has set up. */
export function useAnew(): () => Promise<unknown> {
  const client = useQueryClient();
  return useCallback(
    () => client.invalidateQueries({ predicate: ({ queryKey }) => /^\/api\/(admin|public)\//.test(String(queryKey[0])) }),
    [client],
  );
}

/** Where guests book. */
export const linkOf = (handle: string, slug = ""): string => `${location.origin}/${handle}${slug && `/${slug}`}`;

/** Letters that are not one of a to z with something added. */
const latin: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" };

/** A name as a part of an address: `Intro call!` is `intro-call`. */
export const slugOf = (name: string, most = 60): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => latin[letter] ?? "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, most)
    .replace(/^-+|-+$/g, "");
