import { Link, useCan, useTexts, type PageProps } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Bones, Card, Failed, type Job, JobView, Page, useJob, Waiting } from "@portico/ui";
import { useQueryClient } from "@tanstack/react-query";
import { Download, Undo2 } from "lucide-react";
import { download } from "../download.ts";
import { TakenBack, Totals, useTakeBack } from "../report.tsx";
import { useCrm, whole, type ImportReport } from "../service.ts";
import { Errors, Sample, statusOf, totalsOf } from "./Report.tsx";
import page from "@portico/ui/page.module.css";

/** An import as the progress that it makes. */
export function jobOf({ status, totals, progress }: ImportReport): Job {
  const done = totals.created + totals.updated + totals.skipped + totals.failed;
  if (status !== "running") return { state: status === "failed" ? "failed" : "done", done, total: totals.rows };
  // The service knows how much of the file it has read, and not yet how many rows that has.
  return progress > 0 ? { state: "running", done: progress, total: 100 } : { state: "running", done };
}

/** The report of an import: its progress, what became of the rows, the error file, and the way back. */
export default function ImportPage({ params }: PageProps) {
  const id = params["id"] ?? "";
  const { t, dateTime } = useTexts();
  const mayImport = useCan("contacts:import");
  const api = useCrm();
  const client = useQueryClient();
  const path = `/api/contacts/imports/${encodeURIComponent(id)}`;
  const { answer: report, job, error, retry } = useJob<ImportReport>(path, jobOf);
  const undone = useTakeBack(async () => {
    const { undone: counts, kept } = await whole(api.post("/api/contacts/imports/{importId}/undo", { path: { importId: id } }));
    for (const key of [path, "/api/contacts", "/api/contacts/imports", "/api/tags"]) void client.invalidateQueries({ queryKey: [key] });
    return { ...counts, kept };
  });

  if (!report || !job)
    return (
      <Page title={t("imports.one")}>
        {error ? <Failed error={error} retry={retry} /> : <Waiting skeleton={<Bones lines={6} />} retry={retry} />}
      </Page>
    );
  const over = report.status !== "running";
  const mayUndo =
    mayImport &&
    over &&
    !report.dryRun &&
    !report.undoneAt &&
    !undone.done &&
    report.undoUntil !== null &&
    new Date(report.undoUntil) > new Date();
  return (
    <Page
      title={<bdi>{report.fileName || t("imports.unnamed")}</bdi>}
      tools={
        <>
          {over && report.errorFileUrl && (
            <Button
              leftSection={<Download size={16} aria-hidden />}
              onClick={() => void download(api, `${path}/errors.csv`, "errors.csv").catch(undone.refused)}
            >
              {t("imports.errorFile")}
            </Button>
          )}
          {mayImport && report.dryRun && report.fileUntil !== null && new Date(report.fileUntil) > new Date() && (
            <Button component={Link} to={`/imports/new?import=${report.importId}&step=preview`} variant="filled">
              {t("imports.goOn")}
            </Button>
          )}
          {mayUndo && (
            <Button leftSection={<Undo2 size={16} aria-hidden />} loading={undone.working} onClick={undone.take}>
              {t("imports.undo")}
            </Button>
          )}
        </>
      }
    >
      <Card title={statusOf(report, t)}>
        {!over && <JobView job={job} />}
        <Totals prefix="imports.totals" values={totalsOf(report)} />
        <p className={`${page["muted"]} ${page["small"]}`}>
          {t("imports.when", { when: dateTime(report.startedAt) })}{" "}
          {mayUndo && t("imports.undoUntil", { when: dateTime(report.undoUntil) })}
        </p>
        {over && !report.undoneAt && !report.dryRun && report.totals.created > 0 && (
          <Link to="/contacts?sort=-createdAt&source=import">{t("imports.look")}</Link>
        )}
      </Card>
      {report.dryRun && <Sample report={report} />}
      {undone.done && (
        <TakenBack
          words={t("imports.undone", { deleted: undone.done.deleted, restored: undone.done.restored })}
          keptWords={t("imports.kept", { count: undone.done.kept.length })}
          kept={undone.done.kept}
        />
      )}
      <Errors report={report} />
    </Page>
  );
}
