import { isValidElement, type ReactNode } from "react";
import { Bones, Failed, Waiting } from "./states.tsx";
import { usePageName } from "./ui.tsx";
import classes from "./page.module.css";

/**
 * A page's head and body, in the width that is read well (`--ui-page`). `wide`: for what has many columns; `full`: for lists that end with the
 * window and scroll by themselves. `name` is the record's in breadcrumbs (default: the title; null: another part names it by `usePageName`).
 *
 * @example
 * const page = <Page title="Members" text="Who works here.">Ada</Page>;
 * console.log(page.type);
 */
export function Page({
  title,
  name,
  text,
  tools,
  wide = false,
  full = false,
  children,
}: {
  title: ReactNode;
  name?: string | null;
  text?: ReactNode;
  tools?: ReactNode;
  wide?: boolean;
  full?: boolean;
  children: ReactNode;
}): ReactNode {
  usePageName(name === null ? undefined : (name ?? wordsOf(title)));
  return (
    <div className={classes["page"]} data-width={full ? "full" : wide ? "wide" : "text"}>
      <header className={classes["head"]}>
        <h1>{title}</h1>
        {tools && <div className={classes["end"]}>{tools}</div>}
        {text && <p className={classes["lead"]}>{text}</p>}
      </header>
      {children}
    </div>
  );
}

/** The text of a title, also within `<bdi>`. */
function wordsOf(title: ReactNode): string | undefined {
  if (isValidElement<{ children?: ReactNode }>(title)) return wordsOf(title.props.children);
  return typeof title === "string" ? title : undefined;
}

/**
 * A part of a page with a name. `danger`: what is in it takes something away for good.
 *
 * @example
 * const card = <Card title="Delete the account" danger>Gone after 30 days.</Card>;
 * console.log(card.type);
 */
export function Card({
  title,
  text,
  tools,
  danger = false,
  children,
}: {
  title: string;
  text?: ReactNode;
  tools?: ReactNode;
  danger?: boolean;
  children?: ReactNode;
}): ReactNode {
  return (
    <section className={classes["card"]} aria-label={title} data-danger={danger || undefined}>
      <div className={classes["cardHead"]}>
        <h2>{title}</h2>
        {tools}
      </div>
      {text && <p className={classes["about"]}>{text}</p>}
      {children}
    </section>
  );
}

/**
 * What is read: while it is read, where it failed, and once it is here. `lines`: how much of the page it will take.
 *
 * @example
 * const names = <Loaded query={{ data: ["Ada"], error: null, refetch: () => undefined }}>{(all) => all.join()}</Loaded>;
 * console.log(names.type);
 */
export function Loaded<T>({
  query,
  lines = 4,
  children,
}: {
  query: { data: T | undefined; error: unknown; refetch: () => unknown };
  lines?: number;
  children: (data: T) => ReactNode;
}): ReactNode {
  const retry = () => void query.refetch();
  if (query.data === undefined)
    return query.error ? <Failed error={query.error} retry={retry} /> : <Waiting skeleton={<Bones lines={lines} />} retry={retry} />;
  return children(query.data);
}

/** How much something matters: `good`, to be looked at, or `bad`. */
type Kind = "plain" | "good" | "warn" | "bad";

/**
 * A state in a word, marked by form and colour beside it.
 *
 * @example
 * const chip = Chip({ kind: "good", children: "Verified" });
 * console.log(chip !== null);
 */
export const Chip = ({ kind = "plain", children }: { kind?: Kind; children: ReactNode }): ReactNode => (
  <span className={classes["chip"]} data-kind={kind}>
    {children}
  </span>
);

/**
 * A remark with a sign of its weight; `alert` is told at once.
 *
 * @example
 * const note = Note({ kind: "warn", children: "No second factor yet." });
 * console.log(note !== null);
 */
export const Note = ({ kind = "plain", alert = false, children }: { kind?: Kind; alert?: boolean; children: ReactNode }): ReactNode => (
  <div className={classes["note"]} data-kind={kind} role={alert ? "alert" : undefined}>
    {children}
  </div>
);

/**
 * Names and values; what has no value is left out.
 *
 * @example
 * const facts = Facts({ list: [["Company", "Acme"], ["Phone", null]] });
 * console.log(facts !== null);
 */
export const Facts = ({ list }: { list: readonly (readonly [string, ReactNode])[] }): ReactNode => (
  <dl className={classes["facts"]}>
    {list
      .filter(([, value]) => value !== null && value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0))
      .map(([name, value], at) => (
        <div key={at}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
