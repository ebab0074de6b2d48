import { Link, useCan, useTexts, type PageProps } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Bones, Failed, JobView, Text, Waiting, problemOf, useJob, useUi } from "@portico/ui";
import { Undo2 } from "lucide-react";
import { useState } from "react";
import { Card, Page } from "../parts.tsx";
import { usePeople } from "../service.ts";
import { bulkPath, isUndoable, jobOf, statusOf, useBulk, useWords, type BulkReport } from "./bulk.ts";
import classes from "../imports/imports.module.css";
import page from "../page.module.css";

const shown = 20;

/** The report of a change of many: its progress, numbers that add up, who could not be changed and why, and the way back. */
export default function BulkPage({ params }: PageProps) {
  const id = params["id"] ?? "";
  const { t, number, dateTime } = useTexts();
  const { notices, sentence } = useUi();
  const mayWrite = useCan("contacts:write");
  const mayMove = useCan("pipeline:move");
  const people = usePeople();
  const words = useWords();
  const bulk = useBulk();
  const { answer: report, job, error, retry } = useJob<BulkReport>(`${bulkPath}/${encodeURIComponent(id)}`, jobOf);
  const [undone, setUndone] = useState<{ undone: number; kept: readonly string[] } | null>(null);
  const [working, setWorking] = useState(false);

  const undo = async () => {
    setWorking(true);
    try {
      setUndone(await bulk.undo(id));
    } catch (problem) {
      notices.tell({ kind: "refused", text: problemOf(problem).detail || sentence(problem), requestId: problemOf(problem).requestId });
    } finally {
      setWorking(false);
    }
  };

  if (!report || !job) return <Page title={t("bulk.one")}>{error ? <Failed error={error} retry={retry} /> : <Waiting skeleton={<Bones lines={6} />} retry={retry} />}</Page>;
  const moves = report.change !== null && "stageId" in report.change;
  const errors = report.errors ?? [];
  const mayUndo = mayWrite && (mayMove || !moves) && isUndoable(report);
  const { changed, unchanged, failed } = report.totals;
  return (
    <Page
      title={t("bulk.one")}
      tools={
        <>
          <Button component={Link} to="/contacts/bulk" variant="subtle">
            {t("bulk.list")}
          </Button>
          {mayUndo && (
            <Button leftSection={<Undo2 size={16} aria-hidden />} loading={working} onClick={() => void undo()}>
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
          <dl className={classes["totals"]}>
            {Object.entries({ selected: report.selected, changed, unchanged, failed }).map(([name, value]) => (
              <div key={name} data-bad={name === "failed" && value > 0}>
                <dt>{t(`bulk.totals.${name}`)}</dt>
                <dd>{number(value)}</dd>
              </div>
            ))}
          </dl>
        )}
        <p className={`${page["muted"]} ${page["small"]}`}>
          {t("bulk.when", { who: people.name(report.createdBy), when: dateTime(report.startedAt) })} {mayUndo && t("bulk.undoUntil", { when: dateTime(report.undoUntil) })}
        </p>
      </Card>
      {undone && (
        <div className={page["note"]} role="status">
          <p>{t("bulk.undone", { count: undone.undone })}</p>
          {undone.kept.length > 0 && <p>{t("bulk.kept", { count: undone.kept.length })}</p>}
          <Contacts ids={undone.kept} />
        </div>
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

function Contacts({ ids }: { ids: readonly string[] }) {
  return (
    <ul>
      {ids.slice(0, shown).map((each) => (
        <li key={each}>
          <Link to={`/contacts/${each}`}>
            <Text>{each}</Text>
          </Link>
        </li>
      ))}
    </ul>
  );
}
