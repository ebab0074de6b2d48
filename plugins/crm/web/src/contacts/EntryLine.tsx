import { useTexts } from "@portico/app-shell";
import type { ReactNode } from "react";
import classes from "./contact.module.css";
import page from "@portico/ui/page.module.css";

/** Shows one line of the timeline: icon, author, time and content. */
export function EntryLine({
  icon,
  at,
  by,
  acts,
  head,
  children,
}: {
  icon: ReactNode;
  at: string;
  by?: string | undefined;
  acts?: ReactNode;
  head: ReactNode;
  children?: ReactNode;
}) {
  const { relative, dateTime } = useTexts();
  return (
    <li className={classes["entry"]}>
      <span aria-hidden>{icon}</span>
      <div>
        <div className={classes["line"]}>
          {head}
          {by && <bdi className={page["muted"]}>{by}</bdi>}
          <time dateTime={at} title={dateTime(at)}>
            {relative(at)}
          </time>
          {acts && <span className={classes["acts"]}>{acts}</span>}
        </div>
        {children}
      </div>
    </li>
  );
}
