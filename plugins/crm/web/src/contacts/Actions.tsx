import { navigate, useCan, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Act, NONE, countSelected, later, makeRequestKey, useUi, type List } from "@portico/ui";
import { Download, Merge, Pencil, Trash2 } from "lucide-react";
import { useRef } from "react";
import { useBulk, whichOf, type BulkPart } from "../bulk/bulk.ts";
import type { Contact } from "../service.ts";

const BulkDialog = later(() => import("../bulk/BulkDialog.tsx"));

/** How many contacts become one: the one that stays, and up to ten more. */
const mostMerged = 11;

/** How many an export takes one by one; more are those of a filter. */
const mostExported = 200;

/** What can be done with the selected contacts. */
export function Actions({
  list,
  part,
  onPart,
  onExport,
}: {
  list: List<Contact>;
  part: BulkPart | null;
  onPart: (part: BulkPart | null) => void;
  onExport: (ids: readonly string[]) => void;
}) {
  const { t } = useTexts();
  const { notices, sentence } = useUi();
  const mayWrite = useCan("contacts:write");
  const { begin } = useBulk();
  const busy = useRef(false);
  const { selection } = list;
  const which = whichOf(list);
  const off = typeof which === "string" ? t(which) : undefined;
  const ids = selection.all ? [] : [...selection.ids];
  const toFile = (
    <Act
      permission="contacts:export"
      size="compact-sm"
      leftSection={<Download size={14} aria-hidden />}
      off={ids.length > mostExported ? t("export.tooMany", { count: mostExported }) : undefined}
      onClick={() => onExport(ids)}
    >
      {t("export.export")}
    </Act>
  );
  if (!mayWrite) return toFile;
  const few = ids.length >= 2 && ids.length <= mostMerged;

  const remove = async () => {
    if (typeof which === "string" || busy.current) return;
    busy.current = true;
    try {
      await begin(which, { delete: true }, makeRequestKey().of("delete"));
      list.select(NONE);
    } catch (error) {
      notices.tell({ kind: "refused", text: sentence(error) });
    } finally {
      busy.current = false;
    }
  };
  return (
    <>
      <Act size="compact-sm" leftSection={<Pencil size={14} aria-hidden />} off={off} onClick={() => onPart("addTags")}>
        {t("act.edit")}
      </Act>
      <Act size="compact-sm" leftSection={<Trash2 size={14} aria-hidden />} off={off} onClick={() => void remove()}>
        {t("act.delete")}
      </Act>
      {toFile}
      {!selection.all && (
        <Button
          size="compact-sm"
          leftSection={<Merge size={14} aria-hidden />}
          disabled={!few}
          title={few ? undefined : t("merge.howMany")}
          onClick={() => navigate(`/contacts/merge?ids=${ids.join(",")}`)}
        >
          {t("merge.merge")}
        </Button>
      )}
      {part && typeof which !== "string" && (
        <BulkDialog
          which={which}
          part={part}
          count={countSelected(selection, list.state.total)}
          onClose={() => onPart(null)}
          onBegun={() => {
            onPart(null);
            list.select(NONE);
          }}
        />
      )}
    </>
  );
}
