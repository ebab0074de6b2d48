import { Link, navigate, useCan, useTexts, type PageProps } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Act, Card, Confirm, Copied, Facts, type Field, Form, Loaded, Note, useDeed, useSchema, useUi } from "@portico/ui";
import { useMemo, useState } from "react";
import { HostPage } from "../HostPage.tsx";
import { linkOf, useAnew, useCalendar, useContext, useEventTypes, useSchedules, whole, type EventType, type Host } from "../service.ts";
import { meetingKinds, visibilities } from "./kinds.ts";
import { BesidePage } from "../embed/PageFrame.tsx";
import { Questions } from "./Questions.tsx";
import classes from "../page.module.css";

/** What guests of an event type see, and by which rules it is offered. */
export default function TypePage({ params }: PageProps) {
  const { t } = useTexts();
  const mayEmbed = useCan("embed:issue");
  const types = useEventTypes();
  const type = types.data?.find(({ eventTypeId }) => eventTypeId === params["id"]);
  return (
    <HostPage
      wide
      title={type?.title ?? t("types.one")}
      tools={(host) =>
        type && (
          <>
            <Copied link text={linkOf(host.handle, type.slug)} label={t("type.linkOf", { title: type.title })} />
            {mayEmbed && (
              <Button
                component={Link}
                to={`/app/event-types/${type.eventTypeId}/embed`}
                aria-label={t("embed.openWhat", { title: type.title })}
              >
                {t("embed.open")}
              </Button>
            )}
          </>
        )
      }
    >
      {(host) => (
        <Loaded query={types} lines={10}>
          {() =>
            type ? (
              <BesidePage
                src={`/${host.handle}/${type.slug}`}
                title={t("preview.of", { title: type.title })}
                version={`${type.version} ${host.version}`}
              >
                <Parts type={type} host={host} />
              </BesidePage>
            ) : (
              <p>
                {t("type.gone")} <Link to="/app/event-types">{t("types.title")}</Link>
              </p>
            )
          }
        </Loaded>
      )}
    </HostPage>
  );
}

type Patch = Partial<Omit<EventType, "eventTypeId" | "hostId" | "version" | "createdAt" | "updatedAt">>;

function Parts({ type, host }: { type: EventType; host: Host }) {
  const { t } = useTexts();
  const api = useCalendar();
  const anew = useAnew();
  const mayWrite = useCan("event_types:write");
  const schedules = useSchedules().data;
  const context = useContext().data;
  const { run } = useDeed();
  const inWords = useMinutes();
  const [deleting, setDeleting] = useState(false);
  const schema = useSchema("/api/admin/event-types/{eventTypeId}", "put");
  const save = async (body: Patch) => {
    await whole(
      api.put("/api/admin/event-types/{eventTypeId}", { path: { eventTypeId: type.eventTypeId }, body, version: type.version }),
    ).finally(anew);
  };
  const part = { save, schema, off: mayWrite ? undefined : t("type.mayNot") };
  return (
    <>
      <Part<Pick<EventType, "title" | "slug" | "description" | "visibility" | "color">>
        {...part}
        title={t("type.basics")}
        initial={{ title: type.title, slug: type.slug, description: type.description, visibility: type.visibility, color: type.color }}
        required={["title", "slug", "visibility"]}
        fields={[
          { name: "title", label: t("type.title") },
          { name: "slug", label: t("type.slug"), hint: t("type.slugHint", { link: linkOf(host.handle, "…") }) },
          { name: "description", label: t("type.description"), kind: "multiline" },
          {
            name: "visibility",
            label: t("type.visibility"),
            kind: "choice",
            options: visibilities.map((value) => ({ value, label: t(`visibility.${value}`) })),
          },
          { name: "color", label: t("type.color"), kind: "color", hint: t("type.colorHint") },
        ]}
      />
      {type.meetingKind === "chat_meeting" && context && !context.outside.chat && <Note kind="warn">{t("type.noChat")}</Note>}
      <Part<Pick<EventType, "meetingKind" | "meetingDetails" | "redirectUrl">>
        {...part}
        title={t("type.where")}
        initial={{ meetingKind: type.meetingKind, meetingDetails: type.meetingDetails, redirectUrl: type.redirectUrl }}
        required={["meetingKind"]}
        fields={[
          {
            name: "meetingKind",
            label: t("type.where"),
            kind: "choice",
            options: meetingKinds.map((value) => ({ value, label: t(`meeting.${value}`) })),
          },
          { name: "meetingDetails", label: t("type.details"), hint: t("type.detailsHint"), kind: "multiline" },
          { name: "redirectUrl", label: t("type.redirect"), hint: t("type.redirectHint"), kind: "url" },
        ]}
      />
      <Part<Times>
        {...part}
        title={t("type.times")}
        initial={timesOf(type)}
        save={(values) => save(fromTimes(values))}
        required={["durationMinutes", "kind"]}
        fields={[
          { name: "durationMinutes", label: t("type.duration") },
          { name: "durationOptions", label: t("type.durationOptions"), kind: "tags", hint: t("type.durationOptionsHint") },
          { name: "slotIntervalMinutes", label: t("type.interval"), hint: t("type.intervalHint"), kind: "number" },
          { name: "bufferBeforeMinutes", label: t("type.bufferBefore") },
          { name: "bufferAfterMinutes", label: t("type.bufferAfter") },
          {
            name: "minimumNoticeMinutes",
            label: t("type.notice"),
            hint: (value) => `${t("type.noticeHint")}${inWords(value) && ` (${inWords(value)})`}`,
          },
          {
            name: "scheduleId",
            label: t("type.schedule"),
            kind: "choice",
            hint: t("type.scheduleHint"),
            options: (schedules ?? []).map(({ scheduleId, name }) => ({ value: scheduleId, label: name })),
          },
          {
            name: "kind",
            label: t("type.window"),
            kind: "choice",
            options: (["unlimited", "rollingDays", "dateRange"] as const).map((value) => ({ value, label: t(`window.${value}`) })),
          },
          { name: "days", label: t("window.days"), kind: "number", hint: t("window.with", { window: t("window.rollingDays") }) },
          { name: "from", label: t("window.from"), kind: "date", hint: t("window.with", { window: t("window.dateRange") }) },
          { name: "to", label: t("window.to"), kind: "date", hint: t("window.with", { window: t("window.dateRange") }) },
        ]}
      />
      <Part<
        Pick<
          EventType,
          "dailyLimit" | "weeklyLimit" | "seatsPerSlot" | "allowAdditionalGuests" | "requiresApproval" | "approvalExpiryHours"
        >
      >
        {...part}
        title={t("type.limits")}
        initial={{
          requiresApproval: type.requiresApproval,
          approvalExpiryHours: type.approvalExpiryHours,
          dailyLimit: type.dailyLimit,
          weeklyLimit: type.weeklyLimit,
          seatsPerSlot: type.seatsPerSlot,
          allowAdditionalGuests: type.allowAdditionalGuests,
        }}
        required={["approvalExpiryHours", "seatsPerSlot", "allowAdditionalGuests"]}
        fields={[
          { name: "requiresApproval", label: t("type.requiresApproval"), kind: "yes" },
          { name: "approvalExpiryHours", label: t("type.approvalExpiry"), hint: t("type.approvalExpiryHint") },
          { name: "dailyLimit", label: t("type.daily"), kind: "number", hint: t("type.noLimit") },
          { name: "weeklyLimit", label: t("type.weekly"), kind: "number", hint: t("type.noLimit") },
          { name: "seatsPerSlot", label: t("type.seats"), hint: t("type.seatsHint") },
          { name: "allowAdditionalGuests", label: t("type.guests"), hint: t("type.guestsHint") },
        ]}
      />
      <Part<Policies>
        {...part}
        title={t("type.policies")}
        initial={{
          mayCancel: type.cancelPolicy.guestMayCancel,
          cancelUntil: type.cancelPolicy.untilMinutesBefore,
          mayMove: type.reschedulePolicy.guestMayReschedule,
          moveUntil: type.reschedulePolicy.untilMinutesBefore,
        }}
        save={({ mayCancel, cancelUntil, mayMove, moveUntil }) =>
          save({
            cancelPolicy: { guestMayCancel: mayCancel, untilMinutesBefore: Number(cancelUntil) },
            reschedulePolicy: { guestMayReschedule: mayMove, untilMinutesBefore: Number(moveUntil) },
          })
        }
        fields={[
          { name: "mayCancel", label: t("type.mayCancel"), kind: "yes" },
          { name: "cancelUntil", label: t("type.cancelUntil"), kind: "number", hint: inWords },
          { name: "mayMove", label: t("type.mayMove"), kind: "yes" },
          { name: "moveUntil", label: t("type.moveUntil"), kind: "number", hint: inWords },
        ]}
      />
      <Questions of={type.eventTypeId} questions={type.questions} off={part.off} onChange={(questions) => save({ questions })} />
      {mayWrite && (
        <Card danger title={t("type.deleteTitle")} text={t("type.deleteText")}>
          <Button color="red" onClick={() => setDeleting(true)}>
            {t("type.delete")}
          </Button>
        </Card>
      )}
      <Confirm
        open={deleting}
        title={t("type.deleteWhat", { title: type.title })}
        text={t("type.deleteText")}
        act={t("type.delete")}
        onClose={() => setDeleting(false)}
        onConfirm={() =>
          void run(
            async () => {
              try {
                await api.delete("/api/admin/event-types/{eventTypeId}", {
                  path: { eventTypeId: type.eventTypeId },
                  version: type.version,
                });
                navigate("/app/event-types", { replace: true, force: true });
              } finally {
                await anew();
              }
            },
            t("type.deleted", { title: type.title }),
          )
        }
      />
    </>
  );
}

/** Many minutes as days and hours; few say it themselves. */
function useMinutes(): (minutes: unknown) => string {
  const { number, list } = useTexts();
  return (minutes) => {
    const all = Number(minutes);
    if (!(all >= 60)) return "";
    const parts = [
      ["day", Math.floor(all / 1440)],
      ["hour", Math.floor((all % 1440) / 60)],
      ["minute", all % 60],
    ] as const;
    return list(parts.flatMap(([unit, count]) => (count ? [number(count, { style: "unit", unit, unitDisplay: "long" })] : [])));
  };
}

interface Times extends Pick<
  EventType,
  "durationMinutes" | "slotIntervalMinutes" | "bufferBeforeMinutes" | "bufferAfterMinutes" | "minimumNoticeMinutes" | "scheduleId"
> {
  readonly durationOptions: readonly string[];
  readonly kind: EventType["bookingWindow"]["kind"];
  readonly days: number | null;
  readonly from: string | null;
  readonly to: string | null;
}

const timesOf = ({
  durationMinutes,
  durationOptions,
  slotIntervalMinutes,
  bufferBeforeMinutes,
  bufferAfterMinutes,
  minimumNoticeMinutes,
  scheduleId,
  bookingWindow,
}: EventType): Times => ({
  ...{ durationMinutes, slotIntervalMinutes, bufferBeforeMinutes, bufferAfterMinutes, minimumNoticeMinutes, scheduleId },
  durationOptions: durationOptions.map(String),
  kind: bookingWindow.kind,
  days: bookingWindow.days ?? null,
  from: bookingWindow.from ?? null,
  to: bookingWindow.to ?? null,
});

/** Only what belongs to the kind of window is sent; the rest may have been typed before another one was chosen. */
const fromTimes = ({ kind, days, from, to, durationOptions, ...times }: Times): Patch => ({
  ...times,
  scheduleId: times.scheduleId || (null as never),
  durationOptions: durationOptions.map(Number).filter((each) => Number.isInteger(each)),
  bookingWindow: {
    kind,
    ...(kind === "rollingDays" ? { days: Number(days ?? 60) } : { days: null }),
    ...(kind === "dateRange" ? { from, to } : { from: null, to: null }),
  } as EventType["bookingWindow"],
});

interface Policies {
  readonly mayCancel: boolean;
  readonly cancelUntil: number;
  readonly mayMove: boolean;
  readonly moveUntil: number;
}

interface PartProps<Values extends object> {
  readonly title: string;
  readonly initial: Values;
  readonly fields: readonly Field<keyof Values & string>[];
  readonly required?: readonly (keyof Values & string)[];
  readonly schema: ReturnType<typeof useSchema>;
  readonly off: string | undefined;
  readonly save: (values: Values) => Promise<unknown>;
}

/** Some of its members, saved together. */
function Part<Values extends object>({ title, initial, fields, required = [], schema, off, save }: PartProps<Values>) {
  const { t } = useTexts();
  const { notices } = useUi();
  const [open, setOpen] = useState(false);
  const shown = useMemo(() => fields.map((field) => (off ? { ...field, off } : field)), [fields, off]);
  const submit = async (values: Values) => {
    await save(values);
    notices.tell({ kind: "done", text: t("saved", { what: title }) });
    setOpen(false);
  };
  return (
    <Card
      title={title}
      tools={
        !open && (
          <Act off={off} aria-label={t("act.changeWhat", { what: title })} onClick={() => setOpen(true)}>
            {t("act.change")}
          </Act>
        )
      }
    >
      {open ? (
        <div className={classes["form"]}>
          <Form<Values>
            fields={shown}
            initial={initial}
            schema={schema && { ...schema, required }}
            submit={submit}
            onCancel={() => setOpen(false)}
          />
        </div>
      ) : (
        <Summary fields={fields} values={initial} />
      )}
    </Card>
  );
}

/** Fields as they are now. */
function Summary<Values extends object>({ fields, values }: { fields: readonly Field<keyof Values & string>[]; values: Values }) {
  const { t } = useTexts();
  const said = ({ name, kind, options }: Field<keyof Values & string>): string => {
    const value: unknown = values[name];
    if (kind === "yes") return t(value ? "yes" : "no");
    if (Array.isArray(value)) return value.join(", ");
    return value === null || value === undefined ? "" : (options?.find((each) => each.value === value)?.label ?? String(value));
  };
  return <Facts list={fields.map((field) => [field.label, said(field)] as const)} />;
}
