import { useTexts } from "@portico/app-shell";
import { Empty, type ListOptions, ListView, Page, useList } from "@portico/ui";
import { Users } from "lucide-react";
import { useMemo } from "react";
import { bulkPath, statusOf, useWords, type BulkReport } from "./bulk.ts";

const states = ["running", "completed", "completed_with_errors", "failed"];

/** Changes of many contacts, newest first: each leads to its report and the way back. */
export default function BulksPage() {
  const texts = useTexts();
  const { t, number } = texts;
  const words = useWords();
  const options = useMemo<ListOptions<BulkReport>>(
    () => ({
      label: t("bulk.list"),
      path: bulkPath,
      search: false,
      id: (report) => report.bulkId,
      name: (report) => words(report.change).join("; ") || t("bulk.one"),
      href: (report) => `/contacts/bulk/${report.bulkId}`,
      filters: [
        {
          key: "status",
          label: t("imports.statusLabel"),
          kind: "choice",
          options: states.map((value) => ({ value, label: t(`bulk.status.${value}`) })),
        },
      ],
      columns: [
        { key: "change", label: t("bulk.one"), width: 320, cell: (report) => <bdi>{words(report.change).join("; ")}</bdi> },
        { key: "status", label: t("imports.statusLabel"), width: 190, cell: (report) => t(statusOf(report)) },
        {
          key: "startedAt",
          label: t("imports.startedAt"),
          width: 150,
          sort: "startedAt",
          cell: (report) => texts.relative(report.startedAt),
        },
        ...(["changed", "unchanged", "failed"] as const).map((each) => ({
          key: each,
          label: t(`bulk.totals.${each}`),
          width: 130,
          end: true,
          optional: each === "unchanged",
          cell: (report: BulkReport) => number(report.totals[each]),
        })),
      ],
    }),
    [t, texts, number, words],
  );
  const list = useList(options);
  return (
    <Page full title={t("bulk.list")}>
      <ListView list={list} empty={<Empty icon={Users} title={t("bulk.empty")} text={t("bulk.emptyText")} />} />
    </Page>
  );
}
