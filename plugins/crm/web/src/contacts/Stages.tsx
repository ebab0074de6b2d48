import { Link, useCan, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Menu, MenuItem, Text, useDeed, useKeys } from "@portico/ui";
import { ChevronDown, X } from "lucide-react";
import { useRef } from "react";
import { closedBetween, useMove } from "../pipeline/move.tsx";
import { stageOf, stagesOf, usePipelines, type Contact, type Pipeline } from "../service.ts";
import classes from "./contact.module.css";
import page from "@portico/ui/page.module.css";

/** Where a contact stands on each board, and moves of it. */
export function Stages({ contact, onMoved }: { contact: Contact; onMoved: () => void }) {
  const { t, relative } = useTexts();
  const { run } = useDeed();
  const mayMove = useCan("pipeline:move");
  const maySee = useCan("pipeline:read");
  const pipelines = usePipelines();
  const { move, dialog } = useMove();
  const list = useRef<HTMLDivElement>(null);
  useKeys({ m: () => list.current?.querySelector("button")?.focus() }, mayMove && Boolean(pipelines?.length), { m: t("contact.stage") });
  if (!maySee || !pipelines) return null;
  const go = (pipeline: Pipeline, from: string | null, stageId: string | null) =>
    run(() => move([{ contactId: contact.id, name: contact.displayName, pipeline, from, stageId }]).finally(onMoved));
  return (
    <Card title={t("contact.stage")}>
      <div ref={list} className={classes["stages"]}>
        {pipelines.map((pipeline) => {
          const place = contact.pipelines?.find(({ pipelineId }) => pipelineId === pipeline.pipelineId);
          const from = place?.stageId ?? null;
          const now = stageOf([pipeline], from);
          return (
            <div key={pipeline.pipelineId}>
              <Link to={`/pipeline/${pipeline.pipelineId}`} className={`${page["small"]} ${page["muted"]}`}>
                <bdi>{pipeline.name}</bdi>
              </Link>
              <div className={page["row"]}>
                <Menu
                  label={t("contact.stageOn", { pipeline: pipeline.name })}
                  opener={(props) => (
                    <Button
                      {...props}
                      disabled={!mayMove}
                      aria-label={t("contact.stageOnIs", { pipeline: pipeline.name, stage: now?.name ?? t("contact.noStage") })}
                      rightSection={<ChevronDown size={16} aria-hidden />}
                    >
                      <Text>{now?.name ?? t("contact.noStage")}</Text>
                    </Button>
                  )}
                >
                  {(close) =>
                    stagesOf(pipeline).map(({ stageId, name }) => (
                      <MenuItem
                        key={stageId}
                        checked={stageId === from}
                        off={closedBetween(pipeline, from, stageId, t)}
                        onClick={() => (close(), stageId !== from && void go(pipeline, from, stageId))}
                      >
                        <Text>{name}</Text>
                      </MenuItem>
                    ))
                  }
                </Menu>
                {place && (
                  <span className={`${page["muted"]} ${page["small"]}`}>{t("contact.stageSince", { when: relative(place.since) })}</span>
                )}
                {place && mayMove && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    color="gray"
                    leftSection={<X size={14} aria-hidden />}
                    onClick={() => void go(pipeline, from, null)}
                  >
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
