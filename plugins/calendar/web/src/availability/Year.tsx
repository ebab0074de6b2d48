import { useTexts } from "@portico/app-shell";
import { useState, type KeyboardEvent } from "react";
import { dateName, plusDays } from "../week/zone.ts";
import { weekdayName, weekdays } from "./WeekEditor.tsx";
import classes from "./availability.module.css";

const months = 12;

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/** A year from a month on, with the dates that are marked; choosing one is the same as typing it. Arrows walk by days and weeks. */
export function Year({
  from,
  weekStart,
  marks,
  chosen,
  onChoose,
}: {
  from: string;
  weekStart: number;
  marks: ReadonlyMap<string, "closed" | "hours">;
  chosen: string;
  onChoose: (date: string) => void;
}) {
  const { locale, t } = useTexts();
  const first = `${from.slice(0, 7)}-01`;
  const starts = Array.from({ length: months }, (_, at) => {
    const month = new Date(Date.parse(first));
    month.setUTCMonth(month.getUTCMonth() + at);
    return month.toISOString().slice(0, 10);
  });
  const [here, setHere] = useState(from);
  const walk = (event: KeyboardEvent<HTMLElement>) => {
    const by = (steps[event.key] ?? 0) * (/Left|Right/.test(event.key) && document.documentElement.dir === "rtl" ? -1 : 1);
    const next = event.currentTarget.querySelector<HTMLElement>(`[data-date="${plusDays(here, by)}"]:enabled`);
    if (!by || !next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <div className={classes["year"]} onKeyDown={walk}>
      {starts.map((start) => (
        <section key={start} aria-label={dateName(start, locale, { month: "long", year: "numeric" })}>
          <h3>{dateName(start, locale, { month: "long", year: "numeric" })}</h3>
          <div className={classes["month"]}>
            {weekdays(weekStart).map((weekday) => (
              <span key={weekday} aria-hidden>
                {weekdayName(locale, weekday, "narrow")}
              </span>
            ))}
            {daysOf(start).map((date, at) => {
              const mark = marks.get(date);
              return (
                <button
                  key={date}
                  type="button"
                  tabIndex={date === here ? 0 : -1}
                  data-date={date}
                  onFocus={() => setHere(date)}
                  disabled={date < from}
                  data-mark={mark}
                  aria-pressed={date === chosen}
                  aria-label={`${dateName(date, locale, { day: "numeric", month: "long", weekday: "long" })}${mark ? `, ${t(`overrides.${mark}`)}` : ""}`}
                  style={
                    at === 0 ? { gridColumnStart: weekdays(weekStart).indexOf(new Date(Date.parse(date)).getUTCDay() || 7) + 1 } : undefined
                  }
                  onClick={() => onChoose(date)}
                >
                  {at + 1}
                </button>
              );
            })}
          </div>
        </section>
      ))}
    </div>
  );
}

/** The dates of a month, from its first one. */
function daysOf(first: string): string[] {
  const days: string[] = [];
  for (let date = first; date.slice(0, 7) === first.slice(0, 7); date = plusDays(date, 1)) days.push(date);
  return days;
}
