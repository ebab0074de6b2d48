import type { ReactNode } from "react";
import { useUi } from "./ui.tsx";
import classes from "./page.module.css";

/**
 * An instant: its date and time, and beside them how long ago it was or how far off it is.
 *
 * @example
 * const changed = <Instant at="2026-11-28T14:20:00Z" />;
 * console.log(changed.type);
 */
export function Instant({ at }: { at: string }): ReactNode {
  const { texts } = useUi();
  const exact = texts.dateTime(at);
  if (!exact) return at;
  return (
    <time dateTime={at} title={`${exact}, ${texts.relative(at)}`}>
      {exact} <span className={classes["more"]}>{texts.relative(at)}</span>
    </time>
  );
}
