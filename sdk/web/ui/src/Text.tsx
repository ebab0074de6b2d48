import type { ReactNode } from "react";
import classes from "./Text.module.css";

/**
 * A text that others wrote: kept apart from the direction of what is around it, cut by style in one line (never by half a character), whole in its
 * title. `lines`: how many lines it may have; 0: all.
 *
 * @example
 * const name = Text({ children: "Ada Lovelace", lines: 1 });
 * console.log(name !== null);
 */
export function Text({ children, lines = 1, className = "" }: { children: string; lines?: 0 | 1 | 2 | 3; className?: string }): ReactNode {
  return (
    <bdi className={`${classes["text"]} ${className}`} data-lines={lines} title={lines > 0 && children.length > 20 ? children : undefined}>
      {children}
    </bdi>
  );
}
