import { Link, useTexts } from "@portico/app-shell";
import { Text, problemOf, useUi } from "@portico/ui";
import { useState } from "react";
import classes from "./imports/imports.module.css";
import page from "@portico/ui/page.module.css";

const mostKept = 20;

/** What became of many: numbers that add up, each by its text `prefix.name`. */
export function Totals({ prefix, values }: { prefix: string; values: Readonly<Record<string, number>> }) {
  const { t, number } = useTexts();
  return (
    <dl className={classes["totals"]}>
      {Object.entries(values).map(([name, value]) => (
        <div key={name} data-bad={name === "failed" && value > 0}>
          <dt>{t(`${prefix}.${name}`)}</dt>
          <dd>{number(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Takes work back once, and keeps what became of that; refusals are told. */
export function useTakeBack<T>(act: () => Promise<T>): {
  done: T | null;
  working: boolean;
  take: () => void;
  refused: (error: unknown) => void;
} {
  const { notices, sentence } = useUi();
  const [done, setDone] = useState<T | null>(null);
  const [working, setWorking] = useState(false);
  const refused = (error: unknown) =>
    notices.tell({ kind: "refused", text: problemOf(error).detail || sentence(error), requestId: problemOf(error).requestId });
  const take = () => {
    setWorking(true);
    void act()
      .then(setDone, refused)
      .finally(() => setWorking(false));
  };
  return { done, working, take, refused };
}

/** What was taken back, in words, and the contacts that stay because somebody has changed them since. */
export function TakenBack({ words, keptWords, kept }: { words: string; keptWords: string; kept: readonly string[] }) {
  return (
    <div className={page["note"]} role="status">
      <p>{words}</p>
      {kept.length > 0 && <p>{keptWords}</p>}
      <ul>
        {kept.slice(0, mostKept).map((contact) => (
          <li key={contact}>
            <Link to={`/contacts/${contact}`}>
              <Text>{contact}</Text>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
