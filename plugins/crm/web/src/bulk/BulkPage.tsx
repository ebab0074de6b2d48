import { Link, useCan, useTexts, type PageProps } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Bones, Card, Failed, JobView, Page, Text, useJob, Waiting } from "@portico/ui";
import { Undo2 } from "lucide-react";
import { Totals, TakenBack, useTakeBack } from "../report.tsx";
import { usePeople } from "../service.ts";
import { bulkPath, isUndoable, jobOf, statusOf, useBulk, useWords, type BulkReport } from "./bulk.ts";
import page from "@portico/ui/page.module.css";

/** The report of a change of many: its progress, numbers that add up, who could not be changed and why, and the way back. */
export default function BulkPage({ params }: PageProps) {
  const id = params["id"] ?? "";
  const { t, dateTime } = useTexts();
  const mayWrite = useCan("contacts:write");
  const mayMove = useCan("pipeline:move");
  const people = usePeople();
  const words = useWords();
  const bulk = useBulk();
  const { answer: report, job, error, retry } = useJob<BulkReport>(`${bulkPath}/${encodeURIComponent(id)}`, jobOf);
  const undone = useTakeBack(() => bulk.undo(id));

  if (!report || !job)
    return (
      <Page title={t("bulk.one")}>
        {error ? <Failed error={error} retry={retry} /> : <Waiting skeleton={<Bones lines={6} />} retry={retry} />}
      </Page>
    );
  const moves = report.change !== null && "stageId" in report.change;
  const errors = report.errors ?? [];
  const mayUndo = mayWrite && (mayMove || !moves) && isUndoable(report) && !undone.done;
  const { changed, unchanged, failed } = report.totals;
  return (
    <Page
      title={t("bulk.one")}
      name={words(report.change).join("; ")}
      tools={
        <>
          <Button component={Link} to="/contacts/bulk" variant="subtle">
            {t("bulk.list")}
          </Button>
          {mayUndo && (
            <Button leftSection={<Undo2 size={16} aria-hidden />} loading={undone.working} onClick={undone.take}>
              {t("bulk.undo")}
            </Button>
          )}
        </>
      }
    >
      <Card title={t(statusOf(report))}>
        <ul>
          {words(report.change).map((each) => (
            <li key={each}>
              <Text lines={0}>{each}</Text>
            </li>
          ))}
        </ul>
        {report.status === "running" ? (
          <JobView job={job} />
        ) : (
          <Totals prefix="bulk.totals" values={{ selected: report.selected, changed, unchanged, failed }} />
        )}
        <p className={`${page["muted"]} ${page["small"]}`}>
          {t("bulk.when", { who: people.name(report.createdBy), when: dateTime(report.startedAt) })}{" "}
          {mayUndo && t("bulk.undoUntil", { when: dateTime(report.undoUntil) })}
        </p>
      </Card>
      {undone.done && (
        <TakenBack
          words={t("bulk.undone", { count: undone.done.undone })}
          keptWords={t("bulk.kept", { count: undone.done.kept.length })}
          kept={undone.done.kept}
        />
      )}
      {errors.length > 0 && (
        <Card title={t("bulk.failed", { count: failed })}>
          <ul className={page["plain"]}>
            {errors.map(({ contactId, message }) => (
              <li key={contactId}>
                <Link to={`/contacts/${contactId}`}>
                  <Text>{contactId}</Text>
                </Link>
                <Text lines={2}>{message}</Text>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Page>
  );
}
