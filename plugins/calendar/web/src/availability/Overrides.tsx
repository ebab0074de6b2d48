import { useTexts } from "@portico/app-shell";
import { Card, Chip } from "@portico/ui";
import { Button, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { goToWrong } from "../parts.tsx";
import type { Schedule } from "../service.ts";
import { formatHours, type Interval } from "./hours.ts";
import { HoursInput } from "./WeekEditor.tsx";
import { Year } from "./Year.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

type Override = Schedule["dateOverrides"][number];

/** Dates with hours of their own, or none: holidays, a Saturday that is worked. */
export function Overrides({
  list,
  today,
  weekStart,
  mayWrite,
  onChange,
}: {
  list: readonly Override[];
  today: string;
  weekStart: number;
  mayWrite: boolean;
  onChange: (list: Override[]) => void;
}) {
  const { t, date: dateOf } = useTexts();
  const [date, setDate] = useState("");
  const [hours, setHours] = useState<readonly Interval[]>([]);
  const sorted = [...list].sort((a, b) => a.date.localeCompare(b.date));
  const choose = (to: string) => {
    setDate(to);
    setHours(list.find((each) => each.date === to)?.intervals ?? []);
  };
  const put = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!date || goToWrong(event.currentTarget)) return;
    onChange([...list.filter((each) => each.date !== date), { date, closed: hours.length === 0, intervals: [...hours] }]);
    setDate("");
    setHours([]);
  };
  return (
    <Card title={t("overrides.title")} text={t("overrides.text")}>
      <ul className={page["plain"]}>
        {sorted.map((each) => (
          <li key={each.date}>
            <span className={page["grow"]}>
              <time className={classes["strong"]} dateTime={each.date}>
                {dateOf(each.date, { weekday: "long", year: "numeric", month: "long", day: "numeric" })}
              </time>
              {!each.closed && <span className={page["more"]}>{formatHours(each.intervals)}</span>}
            </span>
            {each.closed && <Chip kind="bad">{t("overrides.closed")}</Chip>}
            {mayWrite && (
              <Button
                size="compact-sm"
                aria-label={t("act.removeWhat", { what: dateOf(each.date) })}
                onClick={() => onChange(list.filter(({ date: other }) => other !== each.date))}
              >
                {t("act.remove")}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <details className={classes["details"]}>
        <summary>{t("overrides.year")}</summary>
        <Year
          from={today}
          weekStart={weekStart}
          marks={new Map(list.map((each) => [each.date, each.closed ? "closed" : "hours"]))}
          chosen={date}
          onChoose={choose}
        />
      </details>
      {mayWrite && (
        <form className={classes["fields"]} onSubmit={put}>
          <TextInput type="date" label={t("overrides.date")} value={date} onChange={(event) => choose(event.currentTarget.value)} />
          <HoursInput label={t("overrides.hours")} value={hours} onChange={setHours} />
          <Button type="submit" disabled={!date}>
            {t("overrides.add")}
          </Button>
        </form>
      )}
    </Card>
  );
}
