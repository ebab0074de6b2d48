import { useTexts } from "@portico/app-shell";
import { problemOf, useUi, type Job, type List } from "@portico/ui";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { components } from "../api.d.ts";
import { stageOf, useCrm, usePeople, usePipelines, whole, type Contact, type Whole } from "../service.ts";

type Schemas = components["schemas"];
export type BulkReport = Whole<Schemas["BulkReport"]>;
/** What is done to each contact; a member that is absent is left as it is. */
export type Change = Schemas["BulkChange"];
/** Which contacts: these, or all that match now. */
export type Which = { readonly ids: string[] } | { readonly filter: Schemas["BulkFilter"] };

/** Where the dialog for changes of many begins. */
export type BulkPart = "addTags" | "ownerUserId" | "stageId";

export const bulkPath = "/api/contacts/bulk";
/** What a change of contacts makes old. */
const changed = [bulkPath, "/api/contacts", "/api/pipeline", "/api/tags", "board"];
const mostIds = 10_000;
const firstLookMs = 300;
const slowestLookMs = 5_000;
/** So many looks may fail in a row: the report has its own page. */
const mostFailures = 20;

/** The selection of a list as the service takes it; else why it cannot, as a text of the catalog. */
export function whichOf({ selection, view, options }: List<Contact>): Which | "bulk.tooMany" | "bulk.without" | "bulk.ofDeleted" {
  if (view.filters["archived"]?.includes("true")) return "bulk.ofDeleted";
  if (!selection.all) return selection.ids.size > mostIds ? "bulk.tooMany" : { ids: [...selection.ids] };
  if (selection.except.size > 0) return "bulk.without";
  // A list has its filters as texts; those that are no list of values have one.
  const members = (options.filters ?? []).flatMap(({ key, kind }): [string, unknown][] => {
    const values = view.filters[key] ?? [];
    if (values.length === 0 || key === "archived") return [];
    return [[key, kind === "yes" ? values[0] === "true" : kind === "date" ? values[0] : values]];
  });
  return { filter: { ...Object.fromEntries(members), ...(view.q.trim() && { q: view.q.trim() }) } };
}

/** A change of many as the progress that it makes. */
export function jobOf({ status, selected, totals }: BulkReport): Job {
  return { state: status === "running" ? "running" : status === "failed" ? "failed" : "done", done: totals.contacts, total: selected };
}

/** Whether it can be taken back now, by somebody who may. */
export const isUndoable = ({ status, dryRun, undoneAt, undoUntil }: BulkReport): boolean =>
  status !== "running" && !dryRun && !undoneAt && undoUntil !== null && new Date(undoUntil) > new Date();

/** How it stands, as a text of the catalog. */
export const statusOf = ({ status, undoneAt }: BulkReport): string => `bulk.status.${undoneAt ? "undone" : status}`;

/** A change in words, one for each thing that is done. */
export function useWords(): (change: BulkReport["change"] | null) => string[] {
  const { t } = useTexts();
  const people = usePeople();
  const pipelines = usePipelines();
  return useCallback(
    (change) => {
      if (!change) return [];
      const { addTags, removeTags, ownerUserId, lifecycle, stageId, pipelineId, doNotContact } = change as Change;
      return [
        change.delete && t("bulk.did.delete"),
        addTags?.length && t("bulk.did.addTags", { tags: addTags.join(", ") }),
        removeTags?.length && t("bulk.did.removeTags", { tags: removeTags.join(", ") }),
        ownerUserId !== undefined && t("bulk.did.owner", { owner: ownerUserId === null ? t("imports.nobody") : people.name(ownerUserId) }),
        lifecycle && t("bulk.did.lifecycle", { lifecycle: t(`lifecycle.${lifecycle}`) }),
        stageId && t("bulk.did.stage", { stage: stageOf(pipelines, stageId)?.name ?? t("move.goneStage") }),
        stageId === null &&
          t("bulk.did.takeOff", { pipeline: pipelines?.find((each) => each.pipelineId === pipelineId)?.name ?? t("pipeline.one") }),
        ...Object.entries(doNotContact ?? {}).map(
          ([channel, off]) => typeof off === "boolean" && t(`doNotContact.${channel}${off ? "" : ".again"}`),
        ),
      ].filter((each): each is string => Boolean(each));
    },
    [t, people, pipelines],
  );
}

/**
 * Begins changes of many, and takes them back. What began goes on at the server, whatever becomes of this page; as long as the tab is open its end is told
 * with the way back.
 */
export function useBulk(): {
  begin: (which: Which, change: Change, key: string) => Promise<void>;
  undo: (bulkId: string) => Promise<Whole<Schemas["UndoneBulk"]>>;
} {
  const { t } = useTexts();
  const { undo: undos, notices } = useUi();
  const api = useCrm();
  const client = useQueryClient();
  const reread = () => void Promise.all(changed.map((key) => client.invalidateQueries({ queryKey: [key] })));

  const undo = async (bulkId: string) => {
    try {
      return await whole(api.post("/api/contacts/bulk/{bulkId}/undo", { path: { bulkId } }));
    } finally {
      await client.invalidateQueries({ queryKey: [`${bulkPath}/${bulkId}`] });
      reread();
    }
  };
  const follow = async (began: BulkReport): Promise<BulkReport> => {
    let report = began;
    for (let [wait, failures] = [firstLookMs, 0]; report.status === "running"; wait = Math.min(slowestLookMs, wait * 1.5)) {
      await new Promise((done) => setTimeout(done, wait));
      try {
        report = (await whole(api.get("/api/contacts/bulk/{bulkId}", { path: { bulkId: began.bulkId } }))) as BulkReport;
        failures = 0;
      } catch (error) {
        // Another workspace, another person, or no right any more: none of this page's business.
        if (++failures === mostFailures || [401, 403, 404, 409].includes(problemOf(error).status)) throw error;
      }
    }
    return report;
  };
  const tell = ({ bulkId, status, change, totals, undoUntil }: BulkReport) => {
    const text = t(change?.delete ? "bulk.deleted" : "bulk.changed", { count: totals.changed });
    if (totals.changed > 0 && undoUntil)
      undos.push({
        text,
        until: Date.parse(undoUntil),
        undo: async () => {
          const { kept } = await undo(bulkId);
          if (kept.length > 0) notices.tell({ kind: "info", text: t("bulk.kept", { count: kept.length }) });
        },
      });
    if (totals.failed > 0 || status === "failed")
      notices.tell({ kind: "refused", text: status === "failed" ? t("bulk.broke") : t("bulk.failed", { count: totals.failed }) });
    else if (totals.changed === 0) notices.tell({ kind: "info", text: t("bulk.unchanged") });
  };
  const begin = async (which: Which, change: Change, key: string) => {
    const began = (await whole(api.post("/api/contacts/bulk", { body: { ...which, change }, idempotencyKey: key }))) as BulkReport;
    void client.invalidateQueries({ queryKey: [bulkPath] });
    void follow(began)
      .then(tell, () => undefined)
      .finally(reread);
  };
  return { begin, undo };
}
