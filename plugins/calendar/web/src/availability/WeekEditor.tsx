import { useTexts } from "@portico/app-shell";
import { Button, TextInput } from "@mantine/core";
import { Menu, MenuItem } from "@portico/ui";
import { CopyPlus } from "lucide-react";
import { useEffect, useRef, useState, type PointerEvent } from "react";
import type { WeeklyRule } from "../service.ts";
import { draw, formatHours, parseHours, spansOf, type Interval } from "./hours.ts";
import classes from "./availability.module.css";

/** ISO weekdays from the first one of a week. */
export const weekdays = (first: number): number[] => Array.from({ length: 7 }, (_, at) => ((first - 1 + at) % 7) + 1);

/** The name of an ISO weekday; the 5th of January 1970 was a Monday. */
export const weekdayName = (locale: string, weekday: number, style: "long" | "short" | "narrow" = "long"): string =>
  new Intl.DateTimeFormat(locale, { weekday: style, timeZone: "UTC" }).format(new Date(Date.UTC(1970, 0, 4 + weekday)));

/** The hours of a week: typed (`9-12, 13-17`), drawn, or copied from another day. */
export function WeekEditor({
  rules,
  weekStart,
  onChange,
}: {
  rules: readonly WeeklyRule[];
  weekStart: number;
  onChange: (rules: WeeklyRule[]) => void;
}) {
  const { locale, t } = useTexts();
  const of = (weekday: number): Interval[] => rules.filter((each) => each.weekday === weekday).map(({ start, end }) => ({ start, end }));
  const set = (days: readonly number[], hours: readonly Interval[]) =>
    onChange(
      [
        ...rules.filter(({ weekday }) => !days.includes(weekday)),
        ...days.flatMap((weekday) => hours.map((each) => ({ weekday, ...each }))),
      ].sort((a, b) => a.weekday - b.weekday || a.start.localeCompare(b.start)),
    );
  const copies = [
    { label: t("week.copyWork"), days: [1, 2, 3, 4, 5] },
    { label: t("week.copyAll"), days: [1, 2, 3, 4, 5, 6, 7] },
  ];
  return (
    <div className={classes["week"]}>
      {weekdays(weekStart).map((weekday) => {
        const name = weekdayName(locale, weekday);
        return (
          <div key={weekday} className={classes["day"]}>
            <HoursInput label={name} value={of(weekday)} onChange={(hours) => set([weekday], hours)} />
            <DayBar hours={of(weekday)} onDraw={(span, adds) => set([weekday], draw(of(weekday), span, adds))} />
            <Menu
              end
              label={t("week.copyWhat", { day: name })}
              opener={(props) => (
                <Button {...props} size="compact-sm" variant="subtle" aria-label={t("week.copyWhat", { day: name })}>
                  <CopyPlus size={16} aria-hidden />
                </Button>
              )}
            >
              {(close) =>
                copies.map(({ label, days }) => (
                  <MenuItem key={label} onClick={() => (close(), set(days, of(weekday)))}>
                    {label}
                  </MenuItem>
                ))
              }
            </Menu>
          </div>
        );
      })}
      <div className={classes["scale"]} aria-hidden>
        {[0, 6, 12, 18, 24].map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </div>
    </div>
  );
}

/** Hours that are typed. They are taken when the field is left, or with Enter; what is not understood stays and is said. */
export function HoursInput({
  label,
  value,
  onChange,
}: {
  label: string;
  value: readonly Interval[];
  onChange: (hours: Interval[]) => void;
}) {
  const { t } = useTexts();
  const shown = formatHours(value);
  const [text, setText] = useState(shown);
  const [wrong, setWrong] = useState("");
  useEffect(() => {
    setText(shown);
    setWrong("");
  }, [shown]);
  const take = () => {
    const hours = parseHours(text);
    if (typeof hours === "string") return setWrong(t("hours.wrong", { part: hours }));
    setWrong("");
    setText(formatHours(hours));
    if (formatHours(hours) !== shown) onChange(hours);
  };
  return (
    <TextInput
      label={label}
      value={text}
      error={wrong || undefined}
      placeholder={t("hours.closed")}
      autoComplete="off"
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={(event) => event.key === "Enter" && (event.preventDefault(), take())}
    />
  );
}

const grain = 30;

/** The day as a bar to draw on: from free time it adds, from hours it takes away. Who does not use a pointer types. */
function DayBar({ hours, onDraw }: { hours: readonly Interval[]; onDraw: (span: readonly [number, number], adds: boolean) => void }) {
  const bar = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState<{ readonly from: number; readonly to: number; readonly adds: boolean } | null>(null);
  const spans = spansOf(hours);
  const minuteAt = ({ clientX }: PointerEvent): number => {
    const { left, width } = (bar.current as HTMLDivElement).getBoundingClientRect();
    const part = document.documentElement.dir === "rtl" ? (left + width - clientX) / width : (clientX - left) / width;
    return Math.min(1440, Math.max(0, part * 1440));
  };
  const down = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const at = minuteAt(event);
    const from = Math.min(1440 - grain, Math.floor(at / grain) * grain);
    setDrawn({ from, to: from + grain, adds: !spans.some(([start, end]) => at >= start && at < end) });
  };
  const move = (event: PointerEvent) => drawn && setDrawn({ ...drawn, to: Math.round(minuteAt(event) / grain) * grain });
  const up = () => {
    if (!drawn) return;
    setDrawn(null);
    const [from, to] = [Math.min(drawn.from, drawn.to), Math.max(drawn.from, drawn.to)];
    if (to > from) onDraw([from, to], drawn.adds);
  };
  return (
    <div
      ref={bar}
      className={classes["bar"]}
      aria-hidden
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={() => setDrawn(null)}
    >
      {spans.map(([from, to]) => (
        <i key={from} style={{ insetInlineStart: `${from / 14.4}%`, inlineSize: `${(to - from) / 14.4}%` }} />
      ))}
      {drawn && (
        <b
          data-takes={!drawn.adds || undefined}
          style={{
            insetInlineStart: `${Math.min(drawn.from, drawn.to) / 14.4}%`,
            inlineSize: `${Math.abs(drawn.to - drawn.from) / 14.4}%`,
          }}
        />
      )}
    </div>
  );
}
