import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failed } from "./states.tsx";
import { useUi } from "./ui.tsx";
import classes from "./parts.module.css";

/**
 * Work that goes on without anybody waiting: an import, an export, a change of many.
 *
 * @example
 * const job: Job = { state: "running", done: 120, total: 200 };
 * console.log(job.done);
 */
export interface Job {
  readonly state: "waiting" | "running" | "done" | "failed" | "cancelled";
  readonly done: number;
  /** Absent while nobody knows. */
  readonly total?: number | undefined;
}

const SLOWEST_MS = 5_000;

/**
 * Follows work at the server by its address until it has ended, also after a reload and from another tab; `read` finds the job in the answer. Asked every
 * second at first, then more rarely; a failed look is repeated and does not end anything.
 *
 * @example
 * const Import = () => {
 *   const job = useJob<{ status: string; rows: number }>("/api/contacts/imports/imp_1", (answer) => ({ state: answer.status === "done" ? "done" : "running", done: answer.rows }));
 *   return job.job ? <JobView job={job.job} /> : null;
 * };
 * console.log(Import.name);
 */
export function useJob<Answer>(
  path: string,
  read: (answer: Answer) => Job,
): { answer: Answer | undefined; job: Job | undefined; error: unknown; retry: () => void } {
  const { send } = useUi();
  const query = useQuery({
    queryKey: [path, "job"],
    queryFn: ({ signal }) => send<Answer>({ method: "GET", path, signal }),
    refetchInterval: ({ state }) =>
      state.data !== undefined && hasEnded(read(state.data)) ? false : Math.min(SLOWEST_MS, 1_000 + 250 * state.dataUpdateCount),
  });
  return {
    answer: query.data,
    job: query.data === undefined ? undefined : read(query.data),
    error: query.data === undefined ? query.error : null,
    retry: () => void query.refetch(),
  };
}

/** Whether a job does nothing more. */
const hasEnded = ({ state }: Job): boolean => state === "done" || state === "failed" || state === "cancelled";

/**
 * How far a job is, that one may leave, and, below it, what can be done: cancel while it runs, its result and undo afterwards.
 *
 * @example
 * const progress = <JobView job={{ state: "running", done: 120, total: 200 }} />;
 * console.log(progress.type);
 */
export function JobView({ job, error, children }: { job: Job; error?: unknown; children?: ReactNode }): ReactNode {
  const { say, texts } = useUi();
  const { state, done, total } = job;
  const words =
    state === "running"
      ? total === undefined
        ? done
          ? texts.number(done)
          : say("job.started")
        : say("job.running", { done, total })
      : say(`job.${state}`);
  return (
    <div className={classes["job"]} data-state={state}>
      <p role="status">
        <strong>{words}</strong> {!hasEnded(job) && <span>{say("job.leave")}</span>}
      </p>
      {!hasEnded(job) && <progress aria-label={words} {...(total ? { value: Math.min(done, total), max: total } : {})} />}
      {error !== undefined && error !== null && <Failed error={error} />}
      {children}
    </div>
  );
}
