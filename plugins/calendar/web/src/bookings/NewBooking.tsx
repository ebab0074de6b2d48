import { useTexts } from "@portico/app-shell";
import { Button, Select, TextInput } from "@mantine/core";
import { type Field, type FieldKind, Form, Note, type Schema, SidePanel } from "@portico/ui";
import { useState } from "react";
import { zones } from "../parts.tsx";
import { useAnew, useCalendar, useEventTypes, whole, type Host, type Question } from "../service.ts";
import { FreeTimes } from "./FreeTimes.tsx";
import { startOf } from "../week/zone.ts";
import { useWhen } from "./BookingView.tsx";
import classes from "../page.module.css";

const properties: Schema["properties"] = {
  name: { maxLength: 120 },
  email: { format: "email", maxLength: 254 },
  phone: { maxLength: 40 },
  notes: { maxLength: 2000 },
};
const kinds: Record<Question["type"], FieldKind> = {
  text: "text",
  textarea: "multiline",
  select: "choice",
  multi_select: "tags",
  checkbox: "yes",
  phone: "tel",
  email: "email",
  number: "number",
};
/** As the service calls an answer that it refuses. */
const nameOf = ({ questionId }: Question): string => `answers.${questionId}`;
const blankOf = ({ type }: Question): unknown => (type === "checkbox" ? false : type === "multi_select" ? [] : "");
const isSaid = (value: unknown): boolean => value !== null && value !== false && String(value) !== "";

/** What a guest said, as a form has it: who they are, and their answers by the questions' names. */
interface Said {
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly timeZone: string;
  readonly notes: string;
  readonly [answer: string]: unknown;
}

/** What and when is known already. */
export interface Wanted {
  readonly eventTypeId?: string;
  readonly start?: string;
  /** The start may be outside of what guests can book. */
  readonly outside?: boolean;
}

/** The host books for a guest: what, when, who. */
export function NewBooking({ host, wanted, onClose }: { host: Host; wanted: Wanted; onClose: () => void }) {
  const { t, number } = useTexts();
  const api = useCalendar();
  const anew = useAnew();
  const when = useWhen();
  const types = useEventTypes().data ?? [];
  const [chosen, setType] = useState(wanted.eventTypeId ?? "");
  const type = chosen || (types[0]?.eventTypeId ?? "");
  const [start, setStart] = useState(wanted.start ?? "");
  const [length, setLength] = useState<number>();
  const [outside, setOutside] = useState(wanted.outside ?? false);
  const kind = types.find(({ eventTypeId }) => eventTypeId === type);
  const minutes = length ?? kind?.durationMinutes ?? 0;
  const lengths = kind?.durationOptions.length ? [kind.durationMinutes, ...kind.durationOptions].sort((a, b) => a - b) : [];
  const choose = (at: string, byHand = false) => (setStart(at), setOutside(byHand));
  const questions = kind?.questions ?? [];
  return (
    <SidePanel open title={t("booking.new")} onClose={onClose}>
      <div className={classes["stack"]}>
        {types.length === 0 && <Note>{t("types.none")}</Note>}
        <Select
          label={t("types.one")}
          data={types.map(({ eventTypeId, title }) => ({ value: eventTypeId, label: title }))}
          value={type}
          allowDeselect={false}
          onChange={(value) => (setType(value ?? ""), setLength(undefined), choose(""))}
        />
        {lengths.length > 0 && (
          <Select
            label={t("type.duration")}
            data={lengths.map((each) => ({ value: String(each), label: number(each) }))}
            value={String(minutes)}
            allowDeselect={false}
            onChange={(value) => (setLength(Number(value)), choose(""))}
          />
        )}
        {start ? (
          <>
            <Note>
              <p>{when({ start, end: new Date(Date.parse(start) + minutes * 60_000).toISOString() }, host.timeZone)}</p>
              <button type="button" className={classes["link"]} onClick={() => choose("")}>
                {t("booking.otherTime")}
              </button>
            </Note>
            <Form<Said>
              draft="booking:new"
              initial={{
                name: "",
                email: "",
                phone: "",
                timeZone: host.timeZone,
                notes: "",
                ...Object.fromEntries(questions.map((each) => [nameOf(each), blankOf(each)])),
              }}
              schema={{
                required: ["name", "email", "timeZone", ...questions.filter(({ required }) => required).map(nameOf)],
                properties: {
                  ...properties,
                  ...Object.fromEntries(questions.map((each) => [nameOf(each), each.maxLength ? { maxLength: each.maxLength } : {}])),
                },
              }}
              first="name"
              fields={[
                { name: "name", label: t("booking.guest") },
                { name: "email", label: t("booking.email"), kind: "email" },
                ...(kind?.meetingKind === "phone" ? ([{ name: "phone", label: t("booking.phone"), kind: "tel" }] as const) : []),
                { name: "timeZone", label: t("booking.guestZone"), kind: "choice", options: zones(host.timeZone) },
                ...questions.map((each): Field => ({
                  name: nameOf(each),
                  label: each.label,
                  kind: kinds[each.type],
                  options: each.options.map((value) => ({ value, label: value })),
                })),
                { name: "notes", label: t("booking.notes"), kind: "multiline" },
              ]}
              act={t("booking.book")}
              onCancel={onClose}
              submit={async ({ name, email, phone, timeZone, notes, ...said }, key) => {
                const answers = questions
                  .map((each) => ({ questionId: each.questionId, value: said[nameOf(each)] }))
                  .filter(({ value }) => isSaid(value));
                await whole(
                  api.post("/api/admin/bookings", {
                    body: {
                      eventTypeId: type,
                      start,
                      ...(length && { durationMinutes: length }),
                      ...(outside && { override: true }),
                      notes,
                      answers,
                      guest: { name, email, timeZone, ...(phone && { phone }) },
                    },
                    idempotencyKey: key,
                  }),
                );
                onClose();
                await anew();
              }}
            />
          </>
        ) : (
          type && (
            <>
              <Outside host={host} onChoose={(at) => choose(at, true)} />
              <FreeTimes
                key={`${type} ${minutes}`}
                host={host}
                eventTypeId={type}
                {...(length && { minutes: length })}
                act={t("setup.next")}
                onChoose={choose}
              />
            </>
          )
        )}
      </div>
    </SidePanel>
  );
}

/** A time that guests cannot choose: the host's own hours, notice and limits do not hold for the host. */
function Outside({ host, onChoose }: { host: Host; onChoose: (start: string) => void }) {
  const { t } = useTexts();
  const [local, setLocal] = useState("");
  const start = startOf(local, host.timeZone);
  return (
    <details>
      <summary>{t("booking.outside")}</summary>
      <div className={classes["stack"]}>
        <p>{t("booking.outsideHint")}</p>
        <TextInput type="datetime-local" label={t("why.time")} value={local} onChange={(event) => setLocal(event.currentTarget.value)} />
        <div className={classes["ends"]}>
          <Button disabled={!start} onClick={() => onChoose(start)}>
            {t("booking.outsideAct")}
          </Button>
        </div>
      </div>
    </details>
  );
}
