import { Link, useTexts } from "@portico/app-shell";
import { CircleCheck, CircleAlert } from "lucide-react";
import { useActions } from "../service.ts";
import classes from "./dashboard.module.css";

/** As the palette reads them, so that both are one request. */
const shown = 5;
const named = 2;

/** One line: how many decisions are open, and the first ones by name. */
export function OpenActions() {
  const { t } = useTexts();
  const { data } = useActions("open", shown);
  const [open, critical] = [data?.counts.open ?? 0, data?.counts.critical ?? 0];
  return (
    <p className={classes["open"]} data-critical={critical > 0 || undefined} data-none={open === 0 || undefined} aria-busy={!data}>
      {open === 0 ? <CircleCheck size={18} aria-hidden /> : <CircleAlert size={18} aria-hidden />}
      {data && open === 0 && <span>{t("actions.noneOpen")}</span>}
      {data && open > 0 && (
        <>
          <Link to="/actions">{t("actions.open", { count: open })}</Link>
          <span className={classes["openNames"]}>
            {data.items
              .slice(0, named)
              .map(({ title }) => title)
              .join(" · ")}
          </span>
        </>
      )}
    </p>
  );
}
