import { Fragment } from "react";
import classes from "../page.module.css";

/** A run of a text that the network shows as a link, a mention or a tag, in bytes of UTF-8. */
export interface Mark {
  readonly kind: string;
  readonly begin: number;
  readonly end: number;
  readonly value: string;
}

/** A text with its marked runs. */
export function Marked({ text, marks }: { text: string; marks: readonly Mark[] }) {
  return (
    <>
      {runsOf(text, marks).map(({ text: run, mark }, at) =>
        mark ? <Run key={at} text={run} mark={mark} /> : <Fragment key={at}>{run}</Fragment>,
      )}
    </>
  );
}

const Run = ({ text, mark }: { text: string; mark: Mark }) => (
  <span className={classes["mark"]} {...(mark.kind === "link" && { title: mark.value })}>
    {text}
  </span>
);

/** The runs of a text in order. Marks that do not fit the text are left out. */
export function runsOf(text: string, marks: readonly Mark[]): readonly { readonly text: string; readonly mark?: Mark }[] {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const runs: { text: string; mark?: Mark }[] = [];
  let at = 0;
  for (const mark of [...marks].sort((one, other) => one.begin - other.begin)) {
    if (mark.begin < at || mark.end <= mark.begin || mark.end > bytes.length) continue;
    if (mark.begin > at) runs.push({ text: decoder.decode(bytes.subarray(at, mark.begin)) });
    runs.push({ text: decoder.decode(bytes.subarray(mark.begin, mark.end)), mark });
    at = mark.end;
  }
  if (at < bytes.length) runs.push({ text: decoder.decode(bytes.subarray(at)) });
  return runs;
}
