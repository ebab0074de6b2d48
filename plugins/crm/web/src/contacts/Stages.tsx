import { Link, useCan, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, problemOf, useKeys, useUi } from "@portico/ui";
import { X } from "lucide-react";
import { useRef } from "react";
import { closedBetween, useMove } from "../pipeline/move.tsx";
import { stagesOf, usePipelines, type Contact, type Pipeline } from "../service.ts";
import classes from "./contact.module.css";
import page from "@portico/ui/page.module.css";

/** Where a contact stands on each board, and moves of it. */
export function Stages({ contact, onMoved }: { contact: Contact; onMoved: () => void }) {
  const { t, relative } = useTexts();
  const { notices, sentence } = useUi();
  const mayMove = useCan("pipeline:move");
  const maySee = useCan("pipeline:read");
  const pipelines = usePipelines();
  const { move, dialog } = useMove();
  const list = useRef<HTMLDivElement>(null);
  useKeys({ m: () => list.current?.querySelector("select")?.focus() }, mayMove && Boolean(pipelines?.length), { m: t("contact.stage") });
  if (!maySee || !pipelines) return null;
  const go = (pipeline: Pipeline, from: string | null, stageId: string | null) =>
    move([{ contactId: contact.id, name: contact.displayName, pipeline, from, stageId }]).then(
      (done) => done && onMoved(),
      (error: unknown) => {
        notices.tell({ kind: "refused", text: sentence(error), requestId: problemOf(error).requestId });
        onMoved();
      },
    );
  return (
    <Card title={t("contact.stage")}>
      <div ref={list} className={classes["stages"]}>
        {pipelines.map((pipeline) => {
          const place = contact.pipelines?.find(({ pipelineId }) => pipelineId === pipeline.pipelineId);
          const from = place?.stageId ?? null;
          return (
            <div key={pipeline.pipelineId}>
              <Link to={`/pipeline/${pipeline.pipelineId}`} className={`${page["small"]} ${page["muted"]}`}>
                <bdi>{pipeline.name}</bdi>
              </Link>
              <div className={page["row"]}>
                <select className={page["select"]} aria-label={t("contact.stageOn", { pipeline: pipeline.name })} disabled={!mayMove} value={from ?? ""} onChange={(event) => void go(pipeline, from, event.currentTarget.value || null)}>
                  {from === null && <option value="">{t("contact.noStage")}</option>}
                  {stagesOf(pipeline).map((stage) => {
                    const closed = closedBetween(pipeline, from, stage.stageId, t);
                    return (
                      <option key={stage.stageId} value={stage.stageId} disabled={closed !== undefined} title={closed}>
                        {stage.name}
                      </option>
                    );
                  })}
                </select>
                {place && <span className={`${page["muted"]} ${page["small"]}`}>{t("contact.stageSince", { when: relative(place.since) })}</span>}
                {place && mayMove && (
                  <Button size="compact-sm" variant="subtle" color="gray" leftSection={<X size={14} aria-hidden />} onClick={() => void go(pipeline, from, null)}>
                    {t("contact.stageOff")}
                  </Button>
                )}
              </div>
            </div>
          );
        })}
      </div>
      {dialog}
    </Card>
  );
}
