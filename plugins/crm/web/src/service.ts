import { useApi, useSession, useTexts } from "@portico/app-shell";
import type { Api } from "@portico/api";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { components, paths } from "./api.d.ts";

type Schemas = components["schemas"];

/** An answer of the service: it holds every member; the schemas say what may be left out of what is sent. */
export type Whole<T> = T extends readonly (infer E)[]
  ? Whole<E>[]
  : T extends object
    ? { [K in keyof T]-?: Whole<Exclude<T[K], undefined>> }
    : T;

export type Attachment = Whole<Schemas["Attachment"]>;
export type Board = Whole<Schemas["Board"]>;
export type Card = Whole<Schemas["PipelineCard"]>;
export type Contact = Whole<Schemas["Contact"]>;
export type CustomField = Whole<Schemas["CustomField"]>;
export type HistoryEntry = Whole<Schemas["HistoryEntry"]>;
export type ImportReport = Whole<Schemas["ImportReport"]>;
export type Merge = Whole<Schemas["MergeView"]>;
export type Note = Whole<Schemas["Note"]>;
export type Pipeline = Whole<Schemas["Pipeline"]>;
export type Stage = Whole<Schemas["Stage"]>;
export type Tag = Whole<Schemas["Tag"]>;
export type Place = Whole<Schemas["PipelinePlace"]>;

export const lifecycles: readonly Schemas["Lifecycle"][] = ["lead", "prospect", "customer", "former", "other"];
export const sources: readonly Schemas["ContactSource"][] = ["manual", "import", "api", "booking", "form", "social"];

/** The calls of the CRM. */
export const useCrm = (): Api<paths> => useApi<paths>();

/** An answer as what it is; see `Whole`. */
export const whole = <T>(answer: Promise<T>): Promise<Whole<T>> => answer as Promise<Whole<T>>;

const minute = 60_000;
const mostTags = 5_000;

/** The pipelines of the workspace as they are read, for a page that is of them; the default one first. */
export function useReadPipelines() {
  const api = useCrm();
  return useQuery({
    queryKey: ["/api/pipeline"],
    staleTime: 5 * minute,
    queryFn: async ({ signal }) =>
      (await whole(api.get("/api/pipeline", { query: { limit: 50 }, signal }))).items.sort(
        (a, b) => Number(b.isDefault) - Number(a.isDefault),
      ) as Pipeline[],
  });
}

/** The pipelines where they are said beside something else. Undefined while they are read. */
export const usePipelines = (): readonly Pipeline[] | undefined => useReadPipelines().data;

/** Stages in their order. */
export const stagesOf = (pipeline: Pipeline): Stage[] => [...pipeline.stages].sort((a, b) => (a.order ?? 0) - (b.order ?? 0));

/** The stage of any pipeline by its id. */
export function stageOf(pipelines: readonly Pipeline[] | undefined, stageId: string | null | undefined): Stage | undefined {
  return pipelines?.flatMap((each) => each.stages).find((each) => each.stageId === stageId);
}

const tagsOf = (api: Api<paths>) => ({
  queryKey: ["/api/tags"],
  staleTime: minute,
  queryFn: ({ signal }: { signal: AbortSignal }) => allTags(api, signal),
});

async function allTags(api: Api<paths>, signal: AbortSignal): Promise<Tag[]> {
  const tags: Tag[] = [];
  for (let cursor: string | null | undefined; tags.length < mostTags && cursor !== null;) {
    const { items, nextCursor } = await whole(api.get("/api/tags", { query: { limit: 200, ...(cursor && { cursor }) }, signal }));
    tags.push(...(items as Tag[]));
    // A page without any is the end, whatever it says.
    cursor = (items.length && nextCursor) || null;
  }
  return tags;
}

/** The tags of the workspace as they are read, most used first. */
export const useReadTags = () => useQuery(tagsOf(useCrm()));
export const useTags = (): readonly Tag[] | undefined => useReadTags().data;

/** Their names as choices, read when somebody is about to choose. */
export function useTagChoices(): () => Promise<{ value: string; label: string }[]> {
  const api = useCrm();
  const client = useQueryClient();
  return useCallback(async () => (await client.fetchQuery(tagsOf(api))).map(({ name }) => ({ value: name, label: name })), [api, client]);
}

/** The custom fields as they are read, in their order. */
export function useReadCustomFields() {
  const api = useCrm();
  return useQuery({
    queryKey: ["/api/custom-fields"],
    staleTime: 5 * minute,
    queryFn: async ({ signal }) =>
      ((await whole(api.get("/api/custom-fields", { query: { limit: 200 }, signal }))).items as CustomField[]).sort(
        (a, b) => (a.order ?? 0) - (b.order ?? 0),
      ),
  });
}
export const useCustomFields = (): readonly CustomField[] | undefined => useReadCustomFields().data;

/** Who can own a contact, by id: the members of the workspace where they may be read, else oneself. */
export interface People {
  readonly list: readonly { readonly value: string; readonly label: string }[];
  name(userId: string | null | undefined): string;
}

interface Members {
  readonly items?: readonly { readonly userId?: string; readonly user?: { readonly displayName?: string } }[];
}

/** @see People */
export function usePeople(): People {
  const api = useCrm();
  const { t } = useTexts();
  const session = useSession();
  const me = session.status === "signedIn" ? session.me : null;
  const organization = me?.organizationId ?? "";
  const members = useQuery({
    queryKey: ["members", organization],
    enabled: organization !== "",
    staleTime: 5 * minute,
    retry: false,
    queryFn: async ({ signal }) => {
      // Where the person may not read them, or identity does not give them here, one's own name is enough.
      const answer = await api
        .raw(`/api/auth/organizations/${encodeURIComponent(organization)}/members?limit=200`, { signal })
        .catch(() => null);
      return ((await answer?.json().catch(() => null)) as Members | null)?.items ?? [];
    },
  }).data;
  return useMemo(() => {
    const names = new Map<string, string>();
    for (const each of members ?? []) if (each.userId && each.user?.displayName) names.set(each.userId, each.user.displayName);
    if (me) names.set(me.user.id, me.user.displayName || me.user.email);
    return {
      list: [...names].map(([value, label]) => ({ value, label })),
      name: (userId) => (userId ? (names.get(userId) ?? t("people.other")) : ""),
    };
  }, [members, me, t]);
}

/** What a contact is reached by first. */
export const primaryOf = <T extends { primary: boolean }>(list: readonly T[]): T | undefined =>
  list.find((each) => each.primary) ?? list[0];
