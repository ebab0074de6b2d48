import { useTexts } from "@portico/app-shell";
import { Text } from "@portico/ui";
import type { CSSProperties, ReactNode } from "react";
import type { Stage } from "./service.ts";
import page from "@portico/ui/page.module.css";
import classes from "./page.module.css";

/** Tags as chips. */
export function Tags({ tags, most = 50 }: { tags: readonly string[]; most?: number }) {
  const { number } = useTexts();
  return (
    <span className={classes["tags"]}>
      {tags.slice(0, most).map((each) => (
        <bdi key={each} className={classes["tag"]}>
          {each}
        </bdi>
      ))}
      {tags.length > most && <span className={page["muted"]}>{`+${number(tags.length - most)}`}</span>}
    </span>
  );
}

/** A stage with its colour, which says nothing that the name does not say. */
export function StageName({ stage }: { stage: Pick<Stage, "name" | "color" | "kind"> | undefined }) {
  if (!stage) return null;
  return (
    <span className={classes["stage"]} data-kind={stage.kind} style={{ "--stage": stage.color } as CSSProperties}>
      <Text>{stage.name}</Text>
    </span>
  );
}

/** A text with what was searched for marked in it. */
export function Marked({ text, q }: { text: string; q: string }) {
  const words = q
    .toLocaleLowerCase()
    .split(/\s+/)
    .filter((word) => word.length > 1);
  const parts: ReactNode[] = [];
  const lower = text.toLocaleLowerCase();
  // Where lower case has another length (İ), places cannot be told.
  if (words.length === 0 || lower.length !== text.length) return <Text>{text}</Text>;
  for (let at = 0; at < text.length;) {
    const next = words
      .map((word) => [lower.indexOf(word, at), word.length] as const)
      .filter(([found]) => found >= 0)
      .sort((a, b) => a[0] - b[0] || b[1] - a[1])[0];
    if (!next) {
      parts.push(text.slice(at));
      break;
    }
    parts.push(
      text.slice(at, next[0]),
      <mark key={next[0]} className={classes["mark"]}>
        {text.slice(next[0], next[0] + next[1])}
      </mark>,
    );
    at = next[0] + next[1];
  }
  return (
    <bdi className={classes["clip"]} title={text.length > 20 ? text : undefined}>
      {parts}
    </bdi>
  );
}

/** What is refused of a field, below it, told at once. */
export const Fault = ({ id, text }: { id: string; text: string | undefined }) =>
  text ? (
    <span id={id} role="alert" className={classes["fault"]}>
      {text}
    </span>
  ) : null;

/** How a field is marked whose `Fault` stands below it. */
export const faulty = (id: string, text: string | undefined) => (text ? { "aria-invalid": true, "aria-describedby": id } : {});
