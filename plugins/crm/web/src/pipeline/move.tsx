import { useTexts } from "@portico/app-shell";
import { Problem } from "@portico/api";
import { Button } from "@mantine/core";
import { Dialog, problemOf, readDraft, useUi, writeDraft } from "@portico/ui";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type ReactNode } from "react";
import { stageOf, useCrm, whole, type Pipeline, type Stage } from "../service.ts";

/** Where a contact goes on a board. `stageId` null: off it. */
export interface Move {
  readonly contactId: string;
  readonly name: string;
  readonly pipeline: Pipeline;
  readonly from: string | null;
  readonly stageId: string | null;
  readonly beforeContactId?: string;
  readonly afterContactId?: string;
  readonly value?: number | null;
  /** History entry of the move that this one undoes. */
  readonly undoHistoryId?: string | null;
}

/** A move with its history entry. */
type Done = Move & { readonly historyId: string | null };

/** Why a card may not go from a stage to another; undefined: it may. */
export function closedBetween(
  pipeline: Pipeline,
  from: string | null,
  to: string,
  t: (key: string, values?: Record<string, string>) => string,
): string | undefined {
  if (from === null || from === to || !pipeline.transitions || pipeline.transitions.some((each) => each.from === from && each.to === to))
    return undefined;
  return t("pipeline.closed", { from: stageOf([pipeline], from)?.name ?? "" });
}

/**
 * Moves contacts on boards, with the stage in which they were seen: who was faster is told, not overwritten. Asks for the reason where one is lost. What it
 * throws has not happened. `dialog` stands in the page. `onUndone` gets the first contact of an undone move, and the stage to which it returned, once the
 * board was read again.
 */
export function useMove(onUndone?: (contactId: string, stageId: string) => void): {
  move: (moves: readonly Move[]) => Promise<boolean>;
  dialog: ReactNode;
} {
  const { t } = useTexts();
  const { undo } = useUi();
  const api = useCrm();
  const client = useQueryClient();
  const turn = useRef<Promise<unknown>>(Promise.resolve());
  const [asked, setAsked] = useState<{ stage: Stage; name: string; required: boolean; answer: (reason: string | null) => void } | null>(
    null,
  );

  const reread = () =>
    Promise.all([["/api/pipeline"], ["/api/contacts"], ["board"]].map((queryKey) => client.invalidateQueries({ queryKey })));
  const send = ({ contactId, pipeline, from, stageId, beforeContactId, afterContactId, value, undoHistoryId }: Move, lostReason: string) =>
    api.put("/api/pipeline/{contactId}/move", {
      path: { contactId },
      body: {
        pipelineId: pipeline.pipelineId,
        stageId,
        ...(from !== null && { expectedStageId: from }),
        ...(beforeContactId ? { beforeContactId } : afterContactId ? { afterContactId } : {}),
        ...(value !== undefined && { value }),
        ...(lostReason && { lostReason }),
        ...(undoHistoryId && { undoHistoryId }),
      },
    });

  const nameOf = (moves: readonly Move[]): string =>
    moves.length > 1 ? t("contacts.count", { count: moves.length }) : (moves[0]?.name ?? "");
  const ask = async (stage: Stage, moves: readonly Move[]): Promise<string | null> => {
    const reason = await new Promise<string | null>((answer) =>
      setAsked({ stage, name: nameOf(moves), required: moves[0]?.pipeline.requireLostReason ?? false, answer }),
    );
    setAsked(null);
    return reason;
  };
  const move = async (moves: readonly Move[]): Promise<boolean> => {
    const [first] = moves;
    if (!first) return false;
    const stage = stageOf([first.pipeline], first.stageId);
    const reason = stage?.kind === "lost" && first.from !== first.stageId ? await ask(stage, moves) : "";
    if (reason === null) return false;
    const done: Done[] = [];
    // In the order in which they were made: one that overtakes another of the same card would seem to be somebody else's.
    const sent = turn.current.then(async () => {
      for (const each of moves) await whole(send(each, reason)).then(({ historyId }) => done.push({ ...each, historyId }));
    });
    turn.current = sent.catch(() => undefined);
    try {
      await sent;
      writeDraft(lostDraft(nameOf(moves)), undefined);
    } catch (error) {
      const problem = problemOf(error);
      const current =
        problem.code === "stage_changed" ? stageOf([first.pipeline], String(problem.details["currentStageId"] ?? "")) : undefined;
      if (current)
        throw new Problem("stage_is", problem.status, {
          detail: t("pipeline.stageChanged", { stage: current.name }),
          requestId: problem.requestId,
        });
      throw error;
    } finally {
      void reread();
      tell(done, stage);
    }
    return true;
  };
  /** What was moved can be taken back, also where others of the same move were refused. */
  const tell = (moves: readonly Done[], stage: Stage | undefined): void => {
    const [first] = moves;
    if (first && first.from !== first.stageId)
      undo.push({
        text: t(first.stageId === null ? "pipeline.takenOff" : "pipeline.moved", { name: nameOf(moves), stage: stage?.name ?? "" }),
        undo: async () => {
          const before = stageOf([first.pipeline], first.from);
          const why = before?.kind === "lost" && first.pipeline.requireLostReason ? await ask(before, moves) : "";
          if (why !== null)
            for (const { contactId, name, pipeline, from, stageId, historyId } of moves)
              await send({ contactId, name, pipeline, from: stageId, stageId: from, undoHistoryId: historyId }, why);
          void reread().then(() => why !== null && first.from !== null && onUndone?.(first.contactId, first.from));
        },
      });
  };

  return { move, dialog: asked && <LostDialog {...asked} /> };
}

/** What was typed as a reason, until a move with it has been made: Escape or a refusal must not take it. */
export const lostDraft = (name: string): string => `lost:${name}`;

/** Asks why somebody is lost; null: nothing is to happen. */
export function LostDialog({
  stage,
  name,
  required,
  answer,
}: {
  stage: Stage;
  name: string;
  required: boolean;
  answer: (reason: string | null) => void;
}) {
  const { t } = useTexts();
  const [reason, setReason] = useState(() => String(readDraft(lostDraft(name))?.["reason"] ?? ""));
  const type = (typed: string) => (setReason(typed), writeDraft(lostDraft(name), typed ? { reason: typed } : undefined));
  const ready = !required || reason.trim() !== "";
  return (
    <Dialog open title={t("pipeline.lostTitle", { stage: stage.name })} onClose={() => answer(null)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) answer(reason.trim());
        }}
      >
        <label style={{ display: "grid", gap: "0.25rem" }}>
          {t(required ? "pipeline.lostWhy" : "pipeline.lostWhyOptional", { name })}
          <textarea
            data-autofocus
            maxLength={300}
            rows={3}
            required={required}
            value={reason}
            onChange={(event) => type(event.currentTarget.value)}
            style={{
              padding: "0.5rem",
              borderRadius: "8px",
              background: "var(--portico-surface)",
              color: "inherit",
              border: "1px solid var(--portico-border-control)",
            }}
          />
        </label>
        <div style={{ display: "flex", justifyContent: "flex-end", gap: "0.5rem", marginTop: "1rem" }}>
          <Button onClick={() => answer(null)}>{t("act.cancel")}</Button>
          <Button type="submit" variant="filled" disabled={!ready}>
            {t("pipeline.moveAct")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
