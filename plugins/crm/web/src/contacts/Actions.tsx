import { navigate, useCan, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import type { List } from "@portico/ui";
import { Merge } from "lucide-react";
import type { Contact } from "../service.ts";

/** How many contacts become one: the one that stays, and up to ten more. */
const mostMerged = 11;

/** What can be done with the selected contacts. */
export function Actions({ list }: { list: List<Contact> }) {
  const { t } = useTexts();
  const mayWrite = useCan("contacts:write");
  const { selection } = list;
  if (!mayWrite || selection.all) return null;
  const ids = [...selection.ids];
  const few = ids.length >= 2 && ids.length <= mostMerged;
  return (
    <Button size="compact-sm" leftSection={<Merge size={14} aria-hidden />} disabled={!few} title={few ? undefined : t("merge.howMany")} onClick={() => navigate(`/contacts/merge?ids=${ids.join(",")}`)}>
      {t("merge.merge")}
    </Button>
  );
}
