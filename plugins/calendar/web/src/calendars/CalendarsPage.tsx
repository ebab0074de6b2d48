import { setQuery, useCan, useCommands, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Act, Card, Chip, Confirm, Empty, Facts, Loaded, Note, useDeed } from "@portico/ui";
import { CalendarSync, Plus } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { HostPage } from "../HostPage.tsx";
import { useAnew, useCalendar, type Host } from "../service.ts";
import { isOfProvider, markOf, remotePath, serverOf, useConsent, useFaultWords, useRemotes, type Remote } from "./calendars.ts";
import { Change } from "./Change.tsx";
import { Connect } from "./Connect.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const most = 20;

/** Calendars elsewhere: when one of them is busy the host is, and bookings are written to one. */
export default function CalendarsPage() {
  const { t } = useTexts();
  const mayWrite = useCan("external_sync:write");
  const [connecting, setConnecting] = useState(false);
  const [refused] = useAddressQuery("connectError");
  const [asked, setAsked] = useState<Readonly<Record<string, string | null>>>({});
  const remotes = useRemotes(Object.keys(asked).length > 0);
  useCommands(
    useMemo(
      () =>
        mayWrite ? [{ id: "calendar.connect", label: t("calendars.connect"), key: "c", icon: Plus, run: () => setConnecting(true) }] : [],
      [mayWrite, t],
    ),
  );
  // What was asked to be read has been once its next time is another one.
  useEffect(() => {
    const still = Object.entries(asked).filter(([id, next]) =>
      remotes.data?.items.some(({ calendarId, nextSyncAt }) => calendarId === id && nextSyncAt === next),
    );
    if (still.length < Object.keys(asked).length) setAsked(Object.fromEntries(still));
  }, [asked, remotes.data]);
  const full = remotes.data && remotes.data.items.length >= most ? t("calendars.most", { count: most }) : undefined;
  const connect = mayWrite && (
    <Act variant="filled" off={full} leftSection={<Plus size={16} aria-hidden />} onClick={() => setConnecting(true)}>
      {t("calendars.connect")}
    </Act>
  );
  return (
    <HostPage title={t("calendars.title")} text={t("calendars.text")} tools={() => connect}>
      {(host) => (
        <>
          {refused && (
            <Note kind="warn" alert>
              {t(`connectError.${refused === "denied" || refused === "expired" ? refused : "failed"}`)}
            </Note>
          )}
          <Loaded query={remotes} lines={8}>
            {({ items: list }) =>
              list.length === 0 ? (
                <Empty icon={CalendarSync} title={t("calendars.none")} text={t("calendars.noneText")} action={connect} />
              ) : (
                list.map((each) => (
                  <Row
                    key={each.calendarId}
                    remote={each}
                    mayWrite={mayWrite}
                    reading={each.calendarId in asked}
                    onAsked={() => setAsked((before) => ({ ...before, [each.calendarId]: each.nextSyncAt }))}
                  />
                ))
              )
            }
          </Loaded>
          {remotes.data && remotes.data.items.length > 0 && <Policy host={host} />}
          {connecting && remotes.data && <Connect kinds={remotes.data.connectableKinds} onClose={() => setConnecting(false)} />}
        </>
      )}
    </HostPage>
  );
}

function Row({ remote, mayWrite, reading, onAsked }: { remote: Remote; mayWrite: boolean; reading: boolean; onAsked: () => void }) {
  const { t, relative } = useTexts();
  const api = useCalendar();
  const anew = useAnew();
  const { busy, run } = useDeed();
  // Whoever comes back from a provider chooses next what of it counts.
  const [connected] = useAddressQuery("connected");
  const [open, setOpen] = useState<"change" | "remove" | null>(connected === remote.calendarId ? "change" : null);
  const consent = useConsent();
  const faultWords = useFaultWords();
  const {
    calendarId,
    name,
    kind,
    url,
    username,
    syncState,
    lastSyncAt,
    lastError,
    lastFaults,
    eventCount,
    selectedCollections,
    busyKinds,
    writeTarget,
  } = remote;
  const path = { calendarId };
  const isClosed = isOfProvider(kind) && syncState === "auth_failed";
  const left = [!busyKinds.tentative && t("calendars.notTentative"), !busyKinds.allDay && t("calendars.notAllDay")]
    .filter(Boolean)
    .join(", ");
  return (
    <Card title={name} tools={<Chip kind={markOf[syncState]}>{t(`sync.${syncState}`)}</Chip>}>
      <div className={classes["stack"]}>
        <Facts
          list={[
            [t("calendars.account"), [t(`kind.${kind}`), username, url && serverOf(url)].filter(Boolean).join(" · ")],
            [t("calendars.reads"), `${t("calendars.readsCount", { count: selectedCollections.length })}${left && ` (${left})`}`],
            [t("calendars.writes"), kind === "ics_feed" ? null : t(writeTarget === null ? "calendars.writesNot" : "calendars.writesYes")],
            [
              t("calendars.last"),
              lastSyncAt ? `${relative(lastSyncAt)}, ${t("calendars.events", { count: eventCount })}` : t("calendars.never"),
            ],
          ]}
        />
        {lastError && (
          <Note kind={syncState === "auth_failed" ? "bad" : "warn"}>
            <p>
              {t(isClosed ? "sync.consentText" : `sync.${syncState === "ok" || syncState === "stale" ? "unreachable" : syncState}Text`)}
            </p>
            <p className={page["small"]}>{faultWords(lastFaults) || lastError}</p>
          </Note>
        )}
        {mayWrite && (
          <div className={page["row"]}>
            {isClosed ? (
              <Button variant="filled" disabled={busy} onClick={() => void run(() => consent(calendarId))}>
                {t("connect.consent", { provider: t(`kind.${kind}`) })}
              </Button>
            ) : (
              <Button
                loading={reading}
                disabled={busy}
                aria-label={t("calendars.syncWhat", { name })}
                onClick={() => void run(() => api.post(`${remotePath}/{calendarId}/sync`, { path }).then(onAsked))}
              >
                {t("calendars.sync")}
              </Button>
            )}
            <Button aria-label={t("act.changeWhat", { what: name })} onClick={() => setOpen("change")}>
              {t("act.change")}
            </Button>
            <Button color="red" variant="subtle" aria-label={t("act.removeWhat", { what: name })} onClick={() => setOpen("remove")}>
              {t("act.remove")}
            </Button>
          </div>
        )}
      </div>
      {open === "change" && <Change remote={remote} onClose={() => (setOpen(null), setQuery({ connected: null }))} />}
      <Confirm
        open={open === "remove"}
        title={t("calendars.removeWhat", { name })}
        text={t("calendars.removeText")}
        act={t("act.remove")}
        onClose={() => setOpen(null)}
        onConfirm={() => (
          setOpen(null),
          void run(() => api.delete(`${remotePath}/{calendarId}`, { path }).finally(anew), t("calendars.removed", { name }))
        )}
      />
    </Card>
  );
}

const policies = ["lenient", "strict"] as const;

/** What happens to guests while a calendar cannot be read. */
function Policy({ host }: { host: Host }) {
  const { t } = useTexts();
  const api = useCalendar();
  const anew = useAnew();
  const mayWrite = useCan("host:write");
  const { busy, run } = useDeed();
  const [wanted, setWanted] = useState<Host["externalBusyPolicy"] | null>(null);
  const choose = (each: Host["externalBusyPolicy"]) => {
    setWanted(each);
    void run(() => api.put("/api/admin/host", { body: { externalBusyPolicy: each } }).finally(anew), t("settings.saved")).finally(() =>
      setWanted(null),
    );
  };
  return (
    <Card title={t("policy.title")} text={t("policy.text")}>
      <fieldset className={classes["choices"]} disabled={busy || !mayWrite}>
        <legend className="ui-hidden">{t("policy.title")}</legend>
        {policies.map((each) => (
          <label key={each} className={classes["choice"]}>
            <input type="radio" name="policy" checked={(wanted ?? host.externalBusyPolicy) === each} onChange={() => choose(each)} />
            <span className={page["grow"]}>
              <span className={classes["strong"]}>{t(`policy.${each}`)}</span>
              <span className={page["more"]}>{t(`policy.${each}Text`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </Card>
  );
}
