import { Link, useCan, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Empty, type ListOptions, ListView, Page, useList } from "@portico/ui";
import { Upload } from "lucide-react";
import { useMemo } from "react";
import type { ImportReport } from "../service.ts";
import { samplePath } from "./options.ts";
import { statusOf } from "./Report.tsx";
import page from "@portico/ui/page.module.css";

const states = ["running", "completed", "completed_with_errors", "failed"];

export default function ImportsPage() {
  const texts = useTexts();
  const mayImport = useCan("contacts:import");
  const { t, number } = texts;
  const options = useMemo<ListOptions<ImportReport>>(
    () => ({
      label: t("imports.title"),
      path: "/api/contacts/imports",
      search: false,
      id: (report) => report.importId,
      name: (report) => report.fileName || t("imports.unnamed"),
      href: (report) => `/imports/${report.importId}`,
      filters: [
        {
          key: "status",
          label: t("imports.statusLabel"),
          kind: "choice",
          options: states.map((value) => ({ value, label: t(`imports.status.${value}`) })),
        },
      ],
      columns: [
        { key: "fileName", label: t("imports.file"), width: 200 },
        { key: "status", label: t("imports.statusLabel"), width: 170, cell: (report) => statusOf(report, t) },
        {
          key: "startedAt",
          label: t("imports.startedAt"),
          width: 125,
          sort: "startedAt",
          cell: (report) => texts.relative(report.startedAt),
        },
        ...(["rows", "created", "updated", "failed"] as const).map((each) => ({
          key: each,
          label: t(`imports.totals.${each}`),
          width: 110,
          end: true,
          cell: (report: ImportReport) => number(report.totals[each]),
        })),
      ],
    }),
    [t, texts, number],
  );
  const list = useList(options);
  const start = mayImport && (
    <Button component={Link} to="/imports/new" variant="filled" leftSection={<Upload size={16} aria-hidden />}>
      {t("imports.new")}
    </Button>
  );
  return (
    <Page full title={t("imports.title")} tools={start}>
      <ListView
        list={list}
        empty={
          <Empty
            icon={Upload}
            title={t("imports.empty")}
            text={t("imports.emptyText")}
            action={
              mayImport && (
                <div className={page["row"]}>
                  <Button component={Link} to={samplePath}>
                    {t("imports.sample")}
                  </Button>
                  {start}
                </div>
              )
            }
          />
        }
      />
    </Page>
  );
}
