import { setQuery, useCan, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { Button, Select, TextInput } from "@mantine/core";
import { Act, Card, Chip, Confirm, Dialog, Form, Loaded, Note, useDeed, useUi } from "@portico/ui";
import { Plus } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { HostPage } from "../HostPage.tsx";
import { goToWrong, ZoneSelect } from "../parts.tsx";
import { useAnew, useCalendar, useSchedules, whole, type Host, type Schedule } from "../service.ts";
import { BookingLink, useBooking, useWhen } from "../bookings/BookingView.tsx";
import { Overrides } from "./Overrides.tsx";
import { Elsewhere } from "./Elsewhere.tsx";
import { WhyCard } from "./Why.tsx";
import { wallOf } from "../week/zone.ts";
import { WeekEditor } from "./WeekEditor.tsx";
import classes from "../page.module.css";

/** When a host can be booked: the hours of a week, and of single dates. */
export default function AvailabilityPage() {
  const { t } = useTexts();
  const api = useCalendar();
  const anew = useAnew();
  const schedules = useSchedules();
  const mayWrite = useCan("availability:write");
  const [wanted] = useAddressQuery("schedule");
  const [making, setMaking] = useState(false);
  return (
    <HostPage
      title={t("availability.title")}
      text={t("availability.text")}
      tools={() =>
        mayWrite && (
          <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setMaking(true)}>
            {t("availability.new")}
          </Button>
        )
      }
    >
      {(host) => (
        <Loaded query={schedules} lines={12}>
          {(list) => {
            const schedule =
              list.find(({ scheduleId }) => scheduleId === wanted) ??
              list.find(({ scheduleId }) => scheduleId === host.defaultScheduleId) ??
              list[0];
            return (
              <>
                {list.length > 1 && (
                  <Select
                    className={classes["limit"] ?? ""}
                    label={t("availability.schedule")}
                    data={list.map(({ scheduleId, name }) => ({ value: scheduleId, label: name }))}
                    value={schedule?.scheduleId ?? null}
                    allowDeselect={false}
                    onChange={(value) => setQuery({ schedule: value })}
                  />
                )}
                {schedule && <One key={schedule.scheduleId} schedule={schedule} host={host} mayWrite={mayWrite} />}
                <Dialog open={making} title={t("availability.new")} onClose={() => setMaking(false)}>
                  <Form
                    initial={{ name: "" }}
                    first="name"
                    schema={{ required: ["name"], properties: { name: { maxLength: 120 } } }}
                    fields={[{ name: "name", label: t("availability.name"), hint: t("availability.nameHint") }]}
                    act={t("availability.make")}
                    onCancel={() => setMaking(false)}
                    submit={async ({ name }, key) => {
                      // It begins as a copy: most schedules differ in little.
                      const made = await whole(
                        api.post("/api/admin/schedules", {
                          body: { name, timeZone: schedule?.timeZone ?? host.timeZone, weeklyRules: schedule?.weeklyRules ?? [] },
                          idempotencyKey: key,
                        }),
                      );
                      await anew();
                      setMaking(false);
                      setQuery({ schedule: made.scheduleId });
                    }}
                  />
                </Dialog>
              </>
            );
          }}
        </Loaded>
      )}
    </HostPage>
  );
}

type Draft = Pick<Schedule, "name" | "timeZone" | "weeklyRules" | "dateOverrides">;
const draftOf = ({ name, timeZone, weeklyRules, dateOverrides }: Draft): Draft => ({ name, timeZone, weeklyRules, dateOverrides });
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
/** Returns the saved schedule with the user's changes since `before` applied. */
const over = (after: Draft, mine: Draft, before: Draft): Draft => ({
  ...after,
  ...Object.fromEntries(Object.entries(mine).filter(([name, value]) => !same(value, before[name as keyof Draft]))),
});

/** A schedule. What is changed is kept here until it is saved as one; of what others change meanwhile, all else is taken over. */
function One({ schedule, host, mayWrite }: { schedule: Schedule; host: Host; mayWrite: boolean }) {
  const { t } = useTexts();
  const { address } = useUi();
  const api = useCalendar();
  const anew = useAnew();
  const { busy, run } = useDeed();
  const saved = draftOf(schedule);
  // Compared by version, because the answer to a save is newer than the list until the list is reloaded.
  const [known, setKnown] = useState(schedule);
  const [draft, setDraft] = useState<Draft>(saved);
  // Shown once no save is under way: a save that succeeds withdraws it.
  const [both, setBoth] = useState(false);
  const week = useRef<HTMLDivElement>(null);
  const [deleting, setDeleting] = useState(false);
  const [outside, setOutside] = useState<readonly string[]>([]);
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const dirty = !same(draft, saved);
  const isDefault = schedule.scheduleId === host.defaultScheduleId;
  /** Replaces the draft by the saved schedule. If `sent` is given, later changes are kept. */
  const settle = (as: Schedule, sent?: Draft) => {
    setKnown(as);
    setDraft((now) => (sent ? over(draftOf(as), now, sent) : draftOf(as)));
    setBoth(false);
  };
  if (schedule.version > known.version) {
    const mine = (Object.keys(saved) as (keyof Draft)[]).filter((name) => !same(draft[name], known[name]));
    setKnown(schedule);
    setDraft(over(saved, draft, known));
    if (mine.some((name) => !same(saved[name], known[name]) && !same(saved[name], draft[name]))) setBoth(true);
  }
  useEffect(() => (dirty ? address.guard((go) => (setLeave(() => go), true)) : undefined), [dirty, address]);
  const change = (part: Partial<Draft>) => mayWrite && setDraft((before) => ({ ...before, ...part }));
  const save = () => {
    if (goToWrong(week.current)) return;
    const put = async () => {
      const changed = await whole(
        api.put("/api/admin/schedules/{scheduleId}", { path: { scheduleId: schedule.scheduleId }, body: draft, version: schedule.version }),
      );
      setOutside(changed.bookingsOutsideHours);
      settle(changed as Schedule, draft);
    };
    void run(() => put().finally(anew), t("saved", { what: draft.name }));
  };
  return (
    <>
      <Card title={schedule.name} tools={isDefault && <Chip kind="good">{t("availability.default")}</Chip>}>
        <div className={classes["stack"]}>
          <div ref={week}>
            <WeekEditor rules={draft.weeklyRules} weekStart={host.weekStart} onChange={(weeklyRules) => change({ weeklyRules })} />
          </div>
          {draft.weeklyRules.length === 0 && <Note kind="warn">{t("availability.noHours")}</Note>}
          <div className={classes["form"]}>
            <TextInput
              label={t("availability.name")}
              value={draft.name}
              maxLength={120}
              onChange={({ currentTarget: { value } }) => change({ name: value })}
            />
            <ZoneSelect label={t("host.timeZone")} value={draft.timeZone} onChange={(timeZone) => change({ timeZone })} />
          </div>
        </div>
      </Card>
      <Overrides
        list={draft.dateOverrides}
        today={wallOf(Date.now(), draft.timeZone).date}
        weekStart={host.weekStart}
        mayWrite={mayWrite}
        onChange={(dateOverrides) => change({ dateOverrides })}
      />
      {both && !busy && (
        <Note kind="warn" alert>
          {t("availability.theirs")}
        </Note>
      )}
      {mayWrite && (
        <div className={`${classes["ends"]} ${classes["savebar"]}`} data-dirty={dirty || undefined}>
          {dirty && <span className={classes["strong"]}>{t("availability.unsaved")}</span>}
          {!isDefault && (
            <>
              <Button color="red" variant="subtle" disabled={busy} onClick={() => setDeleting(true)}>
                {t("availability.delete")}
              </Button>
              <Button
                disabled={busy}
                onClick={() => void run(() => api.put("/api/admin/host", { body: { defaultScheduleId: schedule.scheduleId } }).then(anew))}
              >
                {t("availability.makeDefault")}
              </Button>
            </>
          )}
          <Button disabled={!dirty || busy} onClick={() => settle(schedule)}>
            {t("act.back")}
          </Button>
          <Act variant="filled" off={dirty ? undefined : t("availability.nothing")} loading={busy} onClick={save}>
            {t("act.save")}
          </Act>
        </div>
      )}
      {outside.length > 0 && <Outside ids={outside} host={host} />}
      <Elsewhere host={host} version={schedule.version} />
      <WhyCard host={host} />
      <Confirm
        open={deleting}
        title={t("availability.deleteWhat", { name: schedule.name })}
        text={t("availability.deleteText")}
        act={t("availability.delete")}
        onClose={() => setDeleting(false)}
        onConfirm={() => (
          setDeleting(false),
          void run(() =>
            api
              .delete("/api/admin/schedules/{scheduleId}", { path: { scheduleId: schedule.scheduleId }, version: schedule.version })
              .then(() => setQuery({ schedule: null }))
              .finally(anew),
          )
        )}
      />
      <Confirm
        open={leave !== null}
        title={t("availability.leave")}
        text={t("availability.leaveText")}
        act={t("availability.discard")}
        onClose={() => setLeave(null)}
        onConfirm={() => (settle(schedule), setLeave(null), leave?.())}
      />
    </>
  );
}

const mostNamed = 10;

/** Bookings that new hours leave out: they stay, and the host is told of them. */
function Outside({ ids, host }: { ids: readonly string[]; host: Host }) {
  const { t } = useTexts();
  return (
    <Note kind="warn" alert>
      <p>{t("availability.outside", { count: ids.length })}</p>
      <ul className={classes["lines"]}>
        {ids.slice(0, mostNamed).map((id) => (
          <OutsideOne key={id} id={id} host={host} />
        ))}
      </ul>
    </Note>
  );
}

function OutsideOne({ id, host }: { id: string; host: Host }) {
  const when = useWhen();
  const { data } = useBooking(id);
  return (
    <li>
      {data && (
        <>
          <BookingLink booking={data} />, {when(data, host.timeZone)}
        </>
      )}
    </li>
  );
}
