import { useTexts } from "@portico/app-shell";
import { Loaded, Note } from "@portico/ui";
import { Button } from "@mantine/core";
import { useState } from "react";
import type { Host } from "../service.ts";
import { dateName, instantOf, plusDays, timeIn, wallOf } from "../week/zone.ts";
import { useFree } from "./bookings.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** A free time of an event type to choose, two weeks at a time, by the host's clock; `moves` is a booking that it is for, `minutes` another length. */
export function FreeTimes({
  host,
  eventTypeId,
  moves = "",
  minutes,
  act,
  onChoose,
}: {
  host: Host;
  eventTypeId: string;
  moves?: string;
  minutes?: number;
  act: string;
  onChoose: (start: string) => void;
}) {
  const { t, locale } = useTexts();
  const zone = host.timeZone;
  const today = wallOf(Date.now(), zone).date;
  const [first, setFirst] = useState(today);
  const [chosen, setChosen] = useState("");
  const free = useFree(eventTypeId, instantOf(first, 0, zone), instantOf(plusDays(first, 14), 0, zone), moves, minutes);
  return (
    <div className={classes["stack"]}>
      <div className={page["row"]}>
        <Button size="compact-sm" disabled={first <= today} onClick={() => setFirst(plusDays(first, -14))}>
          {t("times.before")}
        </Button>
        <Button size="compact-sm" onClick={() => setFirst(plusDays(first, 14))}>
          {t("times.after")}
        </Button>
        <span className={page["more"]}>{zone.replaceAll("_", " ")}</span>
      </div>
      <Loaded query={free}>
        {(slots) => {
          const days = [...new Set(slots.map(({ start }) => wallOf(start, zone).date))];
          if (days.length === 0) return <Note>{t("times.none")}</Note>;
          return days.map((day) => (
            <fieldset key={day} className={classes["times"]}>
              <legend>{dateName(day, locale, { weekday: "long", day: "numeric", month: "long" })}</legend>
              {slots
                .filter(({ start }) => wallOf(start, zone).date === day)
                .map(({ start }) => (
                  <label key={start}>
                    <input type="radio" name="free" value={start} checked={chosen === start} onChange={() => setChosen(start)} />
                    <span>{timeIn(start, zone, locale)}</span>
                  </label>
                ))}
            </fieldset>
          ));
        }}
      </Loaded>
      <div className={`${classes["ends"]} ${classes["sticky"]}`}>
        <Button variant="filled" disabled={!chosen} onClick={() => onChoose(chosen)}>
          {act}
        </Button>
      </div>
    </div>
  );
}
