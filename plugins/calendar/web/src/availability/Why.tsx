import { useTexts } from "@portico/app-shell";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { Card, Note } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useCalendar, useEventTypes, whole, type Host } from "../service.ts";
import { startOf } from "../week/zone.ts";
import classes from "../page.module.css";

/** A card that asks it. */
export function WhyCard({ host }: { host: Host }) {
  const { t } = useTexts();
  return (
    <Card title={t("why.title")} text={t("why.text")}>
      <Why host={host} />
    </Card>
  );
}

/** Why a time is not free, in words. `at`: the time that is asked for first, by the host's clock. `onBook` books one that is. */
export function Why({ host, at = "", onBook }: { host: Host; at?: string; onBook?: (eventTypeId: string, start: string) => void }) {
  const { t } = useTexts();
  const api = useCalendar();
  const types = (useEventTypes().data ?? []).filter(({ visibility }) => visibility !== "disabled");
  const [chosen, setChosen] = useState("");
  const [local, setLocal] = useState(at);
  const type = types.find(({ eventTypeId }) => eventTypeId === chosen) ?? types[0];
  const slug = type?.slug ?? "";
  const start = startOf(local, host.timeZone);
  const { data, error } = useQuery({
    queryKey: ["/api/public/explain", slug, start],
    enabled: slug !== "" && start !== "",
    queryFn: ({ signal }) =>
      whole(
        api.get("/api/public/{handle}/{eventType}/explain", { path: { handle: host.handle, eventType: slug }, query: { start }, signal }),
      ),
  });
  if (types.length === 0) return <Note>{t("types.none")}</Note>;
  return (
    <div className={classes["stack"]}>
      <div className={classes["fields"]}>
        <NativeSelect
          label={t("types.one")}
          data={types.map(({ eventTypeId: value, title: label }) => ({ value, label }))}
          value={type?.eventTypeId}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        <TextInput type="datetime-local" label={t("why.time")} value={local} onChange={(event) => setLocal(event.currentTarget.value)} />
      </div>
      <div role="status">
        {error ? (
          <Note kind="bad">{t("why.failed")}</Note>
        ) : (
          data &&
          (data.available ? (
            <Note kind="good">
              <p>{t("why.free")}</p>
              {onBook && type && <Button onClick={() => onBook(type.eventTypeId, start)}>{t("why.book")}</Button>}
            </Note>
          ) : (
            <Note kind="warn">
              {Date.parse(start) < Date.now() ? (
                <p>{t("why.past")}</p>
              ) : (
                data.reasons.map((each) => <p key={each}>{t(`reason.${each}`)}</p>)
              )}
            </Note>
          ))
        )}
      </div>
    </div>
  );
}
