import { useTexts } from "@portico/app-shell";
import { Select } from "@mantine/core";
import { Form, Note, type Schema, SidePanel } from "@portico/ui";
import { useState } from "react";
import { zones } from "../parts.tsx";
import { useAnew, useCalendar, useEventTypes, whole, type Host } from "../service.ts";
import { FreeTimes } from "./FreeTimes.tsx";
import { useWhen } from "./BookingView.tsx";
import classes from "../page.module.css";

const schema: Schema = { required: ["name", "email", "timeZone"], properties: { name: { maxLength: 120 }, email: { format: "email", maxLength: 254 }, notes: { maxLength: 2000 } } };

/** What and when is known already. */
export interface Wanted {
  readonly eventTypeId?: string;
  readonly start?: string;
}

/** The host books for a guest: what, when, who. */
export function NewBooking({ host, wanted, onClose }: { host: Host; wanted: Wanted; onClose: () => void }) {
  const { t } = useTexts();
  const api = useCalendar();
  const anew = useAnew();
  const when = useWhen();
  const types = useEventTypes().data ?? [];
  const [chosen, setType] = useState(wanted.eventTypeId ?? "");
  const type = chosen || (types[0]?.eventTypeId ?? "");
  const [start, setStart] = useState(wanted.start ?? "");
  const minutes = types.find(({ eventTypeId }) => eventTypeId === type)?.durationMinutes ?? 0;
  return (
    <SidePanel open title={t("booking.new")} onClose={onClose}>
      <div className={classes["stack"]}>
        {types.length === 0 && <Note>{t("types.none")}</Note>}
        <Select label={t("types.one")} data={types.map(({ eventTypeId, title }) => ({ value: eventTypeId, label: title }))} value={type} allowDeselect={false} onChange={(value) => (setType(value ?? ""), setStart(""))} />
        {start ? (
          <>
            <Note>
              <p>{when({ start, end: new Date(Date.parse(start) + minutes * 60_000).toISOString() }, host.timeZone)}</p>
              <button type="button" className={classes["link"]} onClick={() => setStart("")}>
                {t("booking.otherTime")}
              </button>
            </Note>
            <Form
              draft="booking:new"
              initial={{ name: "", email: "", timeZone: host.timeZone, notes: "" }}
              schema={schema}
              first="name"
              fields={[
                { name: "name", label: t("booking.guest") },
                { name: "email", label: t("booking.email"), kind: "email" },
                { name: "timeZone", label: t("booking.guestZone"), kind: "choice", options: zones(host.timeZone) },
                { name: "notes", label: t("booking.notes"), kind: "multiline" },
              ]}
              act={t("booking.book")}
              onCancel={onClose}
              submit={async ({ notes, ...guest }, key) => {
                await whole(api.post("/api/admin/bookings", { body: { eventTypeId: type, start, notes, guest }, idempotencyKey: key }));
                onClose();
                await anew();
              }}
            />
          </>
        ) : (
          type && <FreeTimes key={type} host={host} eventTypeId={type} act={t("setup.next")} onChoose={setStart} />
        )}
      </div>
    </SidePanel>
  );
}
