import { useQueryClient, type Query, type QueryClient } from "@tanstack/react-query";
import { Button } from "@mantine/core";
import { CircleAlert, Lock, SearchX, type LucideIcon } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { problemOf, type Problem } from "@portico/api";
import { useUi } from "./ui.tsx";
import { useWaited } from "./waited.ts";
import classes from "./states.module.css";

/** A place where nothing is to be seen, and what to do about it. */
export interface EmptyProps {
  readonly title: string;
  /** What this place is for. */
  readonly text?: ReactNode;
  readonly icon?: LucideIcon;
  /** The one thing to do first, as a button. */
  readonly action?: ReactNode;
}

/**
 * Nothing there: what this place is for and the one thing to do first.
 *
 * @example
 * const place = Empty({ title: "No contacts yet", text: "People and companies you work with." });
 * console.log(place !== null);
 */
export function Empty({ title, text, icon: Icon, action }: EmptyProps): ReactNode {
  return (
    <div className={classes["state"]}>
      {Icon && (
        <span className={classes["icon"]}>
          <Icon size={22} aria-hidden />
        </span>
      )}
      <p className={classes["title"]}>{title}</p>
      {text && <p className={classes["text"]}>{text}</p>}
      {action}
    </div>
  );
}

/**
 * Nothing matches the search and the filters, which is another thing than nothing being there.
 *
 * @example
 * const none = <NoMatch clear={() => console.log("all filters off")} />;
 * console.log(none.type);
 */
export function NoMatch({ clear }: { clear: () => void }): ReactNode {
  const { say } = useUi();
  return (
    <Empty
      icon={SearchX}
      title={say("state.noMatch")}
      text={say("state.noMatch.text")}
      action={<Button onClick={clear}>{say("state.noMatch.clear")}</Button>}
    />
  );
}

/**
 * There may be something, but not for this person. `permission` is its title in words.
 *
 * @example
 * const closed = <MayNotSee permission="See contacts" />;
 * console.log(closed.type);
 */
export function MayNotSee({ permission, action }: { permission: string; action?: ReactNode }): ReactNode {
  const { say } = useUi();
  return <Empty icon={Lock} title={say("state.mayNot")} text={say("state.mayNot.text", { permission })} action={action} />;
}

/**
 * Repeats the page's queries that have failed or are still waiting. Answers to their earlier requests are ignored: a service that fails slowly would
 * otherwise show its error after the click. `retry` repeats requests that are not queries.
 */
export function readAgain(client: QueryClient, retry?: () => void): void {
  const active = client.getQueryCache().findAll({ type: "active" });
  const late = active.filter(({ state }) => state.fetchStatus === "fetching" && state.data === undefined);
  for (const query of late) void query.cancel({ silent: true });
  retry?.();
  const predicate = (query: Query) => query.state.status === "error" || late.includes(query);
  void client.refetchQueries({ type: "active", predicate }, { cancelRefetch: false });
}

/**
 * Something went wrong where a part of the page should be: a sentence, the request to quote, and a way on. What may pass by itself counts down the
 * server's `Retry-After` and asks again. "Try again" also repeats the other queries of the page that have failed or are still waiting.
 *
 * @example
 * const failed = <Failed error={{ status: 500, code: "internal" }} retry={() => console.log("again")} />;
 * console.log(failed.type);
 */
export function Failed({ error, retry }: { error: unknown; retry?: () => void }): ReactNode {
  const { say, sentence } = useUi();
  const problem = problemOf(error);
  const client = useQueryClient();
  const [left, setLeft] = useState(problem.retryAfter);
  const counts = retry !== undefined && mayPass(problem) && left > 0;
  useEffect(() => {
    if (!counts) return;
    const timer = setTimeout(() => (left <= 1 ? retry() : setLeft(left - 1)), 1000);
    return () => clearTimeout(timer);
  }, [counts, left, retry]);
  if (problem.status === 404) return <Empty icon={SearchX} title={say("state.gone")} />;
  return (
    <div className={classes["state"]} role="alert">
      <span className={classes["icon"]} data-kind="danger">
        <CircleAlert size={22} aria-hidden />
      </span>
      <p className={classes["title"]}>{sentence(error)}</p>
      {problem.requestId && (
        <p className={classes["text"]}>
          <code>{say("state.request", { id: problem.requestId })}</code>
        </p>
      )}
      {counts && <p className={classes["text"]}>{say("state.again", { count: left })}</p>}
      {retry && <Button onClick={() => readAgain(client, retry)}>{say("act.retry")}</Button>}
    </div>
  );
}

/**
 * Waits without jumping: nothing for 150 ms, then `skeleton` in the size of what comes, after 10 s a sentence and "Try again": by `retry`, else by
 * reading again what the page has not got.
 *
 * @example
 * const page = <Waiting skeleton={<Bones lines={3} />} retry={() => console.log("again")} />;
 * console.log(page.type);
 */
export function Waiting({ skeleton, retry }: { skeleton: ReactNode; retry?: () => void }): ReactNode {
  const { say } = useUi();
  const client = useQueryClient();
  const stage = useWaited();
  return (
    <div aria-busy="true" className={stage === "short" ? classes["unseen"] : undefined}>
      <div aria-hidden="true">{skeleton}</div>
      <div role="status">
        {stage !== "short" && <span className="ui-hidden">{say("state.waiting")}</span>}
        {stage === "long" && (
          <p className={classes["slow"]}>
            {say("state.slow")}{" "}
            <Button size="compact-sm" onClick={() => readAgain(client, retry)}>
              {say("act.retry")}
            </Button>
          </p>
        )}
      </div>
    </div>
  );
}

/** True where the same request may succeed later without anybody doing something else. */
export const mayPass = ({ status }: Problem): boolean => status === 0 || status === 429 || status >= 500;

/**
 * Bars in the place of lines of text.
 *
 * @example
 * const bones = Bones({ lines: 3 });
 * console.log(bones !== null);
 */
export function Bones({ lines }: { lines: number }): ReactNode {
  return (
    <div className={classes["bones"]}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className={classes["bone"]} />
      ))}
    </div>
  );
}
