import { Link, useCan, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Chip, Dialog, Facts, Form, Loaded, useDeed, useUi } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAnew, useCalendar, useEventTypes, whole, type Host } from "../service.ts";
import { dateIn, timeIn } from "../week/zone.ts";
import { isOpen, kindOf, type Booking, type BookingDetails } from "./bookings.ts";
import { FreeTimes } from "./FreeTimes.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** A booking: who, what, when, what they said, what happened, and what can be done now. */
export function BookingView({ id, host }: { id: string; host: Host }) {
  return <Loaded query={useBooking(id)}>{(booking) => <One booking={booking} host={host} />}</Loaded>;
}

export function useBooking(id: string) {
  const api = useCalendar();
  return useQuery({
    queryKey: ["/api/admin/bookings", "one", id],
    queryFn: async ({ signal }) =>
      (await whole(
        api.get("/api/admin/bookings/{bookingId}", { path: { bookingId: id }, query: { include: ["history"] }, signal }),
      )) as BookingDetails,
  });
}

/** When it is, as a zone's clock shows it. */
export function useWhen(): (booking: { readonly start: string; readonly end: string }, zone: string) => string {
  const { locale } = useTexts();
  return ({ start, end }, zone) =>
    `${dateIn(start, zone, locale, { weekday: "long", day: "numeric", month: "long", year: "numeric" })}, ${timeIn(start, zone, locale)}–${timeIn(end, zone, locale, true)}`;
}

/** When it is for the guest, where their clock shows something else. */
export function useGuestTime(): (booking: Booking, zone: string) => string | null {
  const when = useWhen();
  return (booking, zone) => {
    const theirs = when(booking, booking.guest.timeZone || zone);
    return theirs === when(booking, zone) ? null : theirs;
  };
}

/** Where they meet: a kind of place, and what tells more; an address can be followed. */
function Where({ booking: { meetingKind, meetingProviderRef } }: { booking: Booking }) {
  const { t } = useTexts();
  if (!meetingProviderRef) return t(`meeting.${meetingKind}`);
  return (
    <>
      {t(`meeting.${meetingKind}`)}:{" "}
      {/^https?:\/\//.test(meetingProviderRef) ? (
        <a href={meetingProviderRef} target="_blank" rel="noopener noreferrer">
          {meetingProviderRef}
        </a>
      ) : (
        meetingProviderRef
      )}
    </>
  );
}

function One({ booking, host }: { booking: BookingDetails; host: Host }) {
  const { t, number, locale } = useTexts();
  // As the time of the booking above it.
  const at = (instant: string) =>
    `${dateIn(instant, host.timeZone, locale, { day: "numeric", month: "short", year: "numeric" })}, ${timeIn(instant, host.timeZone, locale)}`;
  const when = useWhen();
  const guestTime = useGuestTime();
  const answersOf = useAnswers();
  const { guest } = booking;
  return (
    <div className={classes["stack"]}>
      <div className={page["row"]}>
        <Chip kind={kindOf[booking.status]}>{t(`booking.${booking.status}`)}</Chip>
        {booking.previousStart.length > 0 && <Chip>{t("booking.moved")}</Chip>}
      </div>
      <div>
        <h3 className={classes["name"]}>
          <bdi>{booking.title}</bdi>
        </h3>
        <p className={page["muted"]}>{when(booking, host.timeZone)}</p>
      </div>
      <Facts
        list={[
          [t("booking.guest"), <bdi key="name">{guest.name}</bdi>],
          // Who is forgotten has none.
          [
            t("booking.email"),
            guest.email ? (
              <a key="mail" href={`mailto:${encodeURIComponent(guest.email)}`}>
                {guest.email}
              </a>
            ) : null,
          ],
          [
            t("booking.phone"),
            guest.phone ? (
              <a key="phone" href={`tel:${guest.phone.replace(/[^+\d]/g, "")}`}>
                {guest.phone}
              </a>
            ) : null,
          ],
          [t("booking.guestTime"), guestTime(booking, host.timeZone)],
          [t("booking.others"), booking.additionalGuests.map(({ name, email }) => (name ? `${name} <${email}>` : email)).join(", ")],
          [t("booking.seats"), booking.seats > 1 ? number(booking.seats) : null],
          ...answersOf(booking),
          [t("booking.notes"), booking.notes],
          [t("type.where"), <Where key="where" booking={booking} />],
          [t("booking.noMeeting"), booking.meetingReason ? t(`meetingReason.${booking.meetingReason}`) : null],
          [t("booking.reason"), booking.cancellation?.reason || booking.approval?.reason || null],
        ]}
      />
      <Acts booking={booking} host={host} />
      <HostNote booking={booking} />
      {booking.history && booking.history.length > 0 && (
        <div>
          <h3 className={classes["name"]}>{t("booking.history")}</h3>
          <ol className={page["plain"]}>
            {booking.history.map((each, place) => (
              <li key={place}>
                <span className={page["grow"]}>
                  {t(`history.${wordOf(each)}`, { by: t(`party.${each.by}`) })}
                  <span className={page["more"]}>
                    {[at(each.at), each.previousStart && t("history.before", { time: at(each.previousStart) }), each.reason]
                      .filter(Boolean)
                      .join(" · ")}
                  </span>
                </span>
              </li>
            ))}
          </ol>
        </div>
      )}
    </div>
  );
}

/** What happened, as the texts name it. */
function wordOf({ kind, by, absent }: NonNullable<BookingDetails["history"]>[number]): string {
  if (kind === "no_show") return `no_show.${absent?.guest && absent.host ? "both" : absent?.host ? "host" : "guest"}`;
  return kind === "confirmed" && by === "guest" ? "booked" : kind;
}

/** What the host writes for themselves. */
function HostNote({ booking }: { booking: Booking }) {
  const { t } = useTexts();
  const api = useCalendar();
  const anew = useAnew();
  const { notices } = useUi();
  const mayWrite = useCan("bookings:write");
  if (!mayWrite) return booking.hostNote ? <Facts list={[[t("booking.hostNote"), booking.hostNote]]} /> : null;
  return (
    <Form
      stays
      initial={{ text: booking.hostNote }}
      draft={`note:${booking.bookingId}`}
      schema={{ properties: { text: { type: "string", maxLength: 2000 } } }}
      fields={[{ name: "text", label: t("booking.hostNote"), hint: t("booking.hostNoteHint"), kind: "multiline" }]}
      act={t("booking.hostNoteSave")}
      submit={async ({ text }) => {
        await api
          .post("/api/admin/bookings/{bookingId}/note", {
            path: { bookingId: booking.bookingId },
            body: { text },
            version: booking.version,
          })
          .finally(anew);
        notices.tell({ kind: "done", text: t("booking.hostNoteSaved") });
      }}
    />
  );
}

/** What a guest answered, by the questions as they read now. */
export function useAnswers(): (booking: Booking) => (readonly [string, string])[] {
  const { t } = useTexts();
  const types = useEventTypes().data ?? [];
  return ({ eventTypeId, answers }) => {
    const questions = types.find((each) => each.eventTypeId === eventTypeId)?.questions ?? [];
    return answers.map(
      ({ questionId, value }) =>
        [questions.find((each) => each.questionId === questionId)?.label ?? questionId, answerText(value, t)] as const,
    );
  };
}

const answerText = (value: unknown, t: (key: string) => string): string =>
  Array.isArray(value) ? value.join(", ") : typeof value === "boolean" ? t(value ? "yes" : "no") : String(value ?? "");

/** What the state of a booking lets the host do. */
export function Acts({ booking, host }: { booking: Booking; host: Host }) {
  const { t } = useTexts();
  const api = useCalendar();
  const anew = useAnew();
  const mayWrite = useCan("bookings:write");
  const { busy, run } = useDeed();
  const [asks, setAsks] = useState<"decline" | "cancel" | "move" | null>(null);
  // What is decided is what was seen: a guest may have moved it meanwhile.
  const seen = { path: { bookingId: booking.bookingId }, version: booking.version };
  const guest = booking.guest.name;
  const begun = Date.parse(booking.start) <= Date.now();
  const absent = booking.status === "no_show";
  const mark = (who: { guest: boolean; host: boolean }) =>
    void run(
      () => api.post("/api/admin/bookings/{bookingId}/no-show", { ...seen, body: who }).finally(anew),
      t(who.guest ? "booking.noShowDone" : "booking.cameDone", { guest }),
    );
  if (!mayWrite) return null;
  return (
    <div className={page["row"]}>
      {booking.status === "pending" && (
        <>
          <Button
            variant="filled"
            disabled={busy}
            aria-label={t("booking.approveWhat", { guest })}
            onClick={() =>
              void run(() => api.post("/api/admin/bookings/{bookingId}/approve", seen).finally(anew), t("booking.approved", { guest }))
            }
          >
            {t("booking.approve")}
          </Button>
          <Button color="red" disabled={busy} aria-label={t("booking.declineWhat", { guest })} onClick={() => setAsks("decline")}>
            {t("booking.decline")}
          </Button>
        </>
      )}
      {booking.status === "confirmed" && <Button onClick={() => setAsks("move")}>{t("booking.move")}</Button>}
      {isOpen(booking) && booking.status !== "pending" && (
        <Button color="red" onClick={() => setAsks("cancel")}>
          {t("booking.cancel")}
        </Button>
      )}
      {begun && (booking.status === "confirmed" || booking.status === "completed") && (
        <Button disabled={busy} onClick={() => mark({ guest: true, host: false })}>
          {t("booking.noShow")}
        </Button>
      )}
      {absent && (
        <Button disabled={busy} onClick={() => mark({ guest: false, host: false })}>
          {t("booking.cameAfterAll")}
        </Button>
      )}
      <Dialog
        open={asks === "decline" || asks === "cancel"}
        title={t(asks === "decline" ? "booking.declineWhat" : "booking.cancelWhat", { guest })}
        onClose={() => setAsks(null)}
      >
        <Form
          initial={{ reason: "" }}
          draft={`reason:${booking.bookingId}`}
          schema={{ properties: { reason: { type: "string", maxLength: 500 } } }}
          fields={[{ name: "reason", label: t("booking.reason"), hint: t("booking.reasonHint"), kind: "multiline" }]}
          first="reason"
          act={t(asks === "decline" ? "booking.decline" : "booking.cancel")}
          // "Cancel" beside "Cancel the booking" would be anybody's guess.
          {...(asks === "decline" && { onCancel: () => setAsks(null) })}
          submit={async ({ reason }) => {
            await api
              .post(
                `/api/admin/bookings/{bookingId}/${asks === "decline" ? "decline" : "cancel"}` as "/api/admin/bookings/{bookingId}/cancel",
                { ...seen, body: { reason } },
              )
              .finally(anew);
            setAsks(null);
          }}
        />
      </Dialog>
      <Dialog wide open={asks === "move"} title={t("booking.moveWhat", { guest })} onClose={() => setAsks(null)}>
        {asks === "move" && (
          <FreeTimes
            host={host}
            eventTypeId={booking.eventTypeId}
            moves={booking.bookingId}
            act={t("booking.moveHere")}
            onChoose={(start) =>
              void run(
                () =>
                  api
                    .post("/api/admin/bookings/{bookingId}/reschedule", { ...seen, body: { start } })
                    .then(() => setAsks(null))
                    .finally(anew),
                t("booking.movedDone", { guest }),
              )
            }
          />
        )}
      </Dialog>
    </div>
  );
}

/** A line that leads to a booking. */
export const BookingLink = ({ booking }: { booking: Booking }) => (
  <Link to={`/app/bookings/${booking.bookingId}`}>
    <bdi>{booking.guest.name}</bdi>
  </Link>
);
