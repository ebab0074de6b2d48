import { Link, navigate, setQuery, useCan, useCommands, usePreference, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { ActionIcon, Button, NativeSelect } from "@mantine/core";
import { Chip, Confirm, Empty, later, Loaded, Note, SidePanel, useDeed, useUi } from "@portico/ui";
import { CalendarDays, ChevronLeft, ChevronRight, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { BookingView, useWhen } from "../bookings/BookingView.tsx";
import {
  kindOf,
  useAvailability,
  useBookings,
  useHolds,
  useNextBooking,
  useRequests,
  type Booking,
  type Slot,
} from "../bookings/bookings.ts";
import { HostPage } from "../HostPage.tsx";
import { useMedia, ZoneSelect } from "../parts.tsx";
import { useAnew, useCalendar, useEventTypes, useSchedules, type Host } from "../service.ts";
import type { Wanted } from "../bookings/NewBooking.tsx";
import { Grid } from "./Grid.tsx";
import { outsideOf } from "./spans.ts";
import { dateIn, dateName, instantOf, plusDays, timeIn, wallOf, weekOf } from "./zone.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";
import week from "./week.module.css";

// The week is seen before they are.
const NewBooking = later(async () => ({ default: (await import("../bookings/NewBooking.tsx")).NewBooking }));
const Why = later(async () => ({ default: (await import("../availability/Why.tsx")).Why }));

/** The week of a host with its bookings, working hours and free times. */
export default function WeekPage() {
  const { t } = useTexts();
  const mayBook = useCan("bookings:write");
  const [booking, setBooking] = useState<Wanted | null>(null);
  useCommands(
    useMemo(
      () => (mayBook ? [{ id: "booking.new", label: t("booking.new"), key: "c", icon: Plus, run: () => setBooking({}) }] : []),
      [mayBook, t],
    ),
  );
  return (
    <HostPage
      wide
      title={t("week.title")}
      tools={() =>
        mayBook && (
          <Button variant="filled" leftSection={<Plus size={16} aria-hidden />} onClick={() => setBooking({})}>
            {t("booking.new")}
          </Button>
        )
      }
    >
      {(host) => (
        <>
          <Week host={host} onBook={mayBook ? setBooking : undefined} />
          {booking && <NewBooking host={host} wanted={booking} onClose={() => setBooking(null)} />}
        </>
      )}
    </HostPage>
  );
}

function Week({ host, onBook }: { host: Host; onBook: ((wanted: Wanted) => void) | undefined }) {
  const { t, locale } = useTexts();
  const zone = host.timeZone;
  const [wanted] = useAddressQuery("week");
  const [selected] = useAddressQuery("booking");
  const narrow = useMedia("(max-width: 48rem)");
  const [form, setForm] = usePreference("weekForm", "grid");
  const [second, setSecond] = usePreference("secondZone", "");
  const today = wallOf(Date.now(), zone).date;
  const first = weekOf(
    /^\d{4}-\d\d-\d\d$/.test(wanted ?? "") && !Number.isNaN(Date.parse(wanted ?? "")) ? (wanted as string) : today,
    host.weekStart,
  );
  const days = Array.from({ length: 7 }, (_, at) => plusDays(first, at));
  const [from, to] = [instantOf(first, 0, zone), instantOf(plusDays(first, 7), 0, zone)];
  const types = useEventTypes().data;
  const bookable = (types ?? []).filter(({ visibility }) => visibility !== "disabled");
  const [ofType, setOfType] = useState("");
  const offer = bookable.find(({ eventTypeId }) => eventTypeId === ofType) ?? bookable[0];
  const offered = offer?.eventTypeId ?? "";
  const list = narrow || form === "list";
  // What began on the day before may go over midnight.
  const bookings = useBookings(list ? from : instantOf(plusDays(first, -1), 0, zone), to, ["pending", "confirmed", "completed", "no_show"]);
  const availability = useAvailability(offered, from, to);
  const { slots: free = [], busy = [] } = availability.data ?? {};
  const requests = useRequests().data?.length ?? 0;
  const { sentence } = useUi();
  const [asked, setAsked] = useState("");
  const held = useHolds().data ?? [];
  const schedules = useSchedules().data;
  const schedule = schedules?.find(({ scheduleId }) => scheduleId === offer?.scheduleId) ?? schedules?.[0];
  const shownDays = days.join();
  const outside = useMemo(
    () => (schedule ? shownDays.split(",").flatMap((day) => outsideOf(day, schedule, zone)) : []),
    [schedule, shownDays, zone],
  );
  const next = useNextBooking();
  const nextDay = next && wallOf(next.start, zone).date;
  const mayMove = useCan("bookings:write");
  const api = useCalendar();
  const anew = useAnew();
  const when = useWhen();
  const { run } = useDeed();
  const [moved, setMoved] = useState<{ readonly booking: Booking; readonly to: Slot } | null>(null);
  const move = () => {
    if (moved)
      void run(
        () =>
          api
            .post("/api/admin/bookings/{bookingId}/reschedule", {
              path: { bookingId: moved.booking.bookingId },
              body: { start: moved.to.start },
              version: moved.booking.version,
            })
            .finally(anew),
        t("booking.movedDone", { guest: moved.booking.guest.name }),
      );
    setMoved(null);
  };
  const go = (date: string) => setQuery({ week: weekOf(date, host.weekStart) === weekOf(today, host.weekStart) ? null : date });
  useCommands(
    useMemo(() => [{ id: "week.today", label: t("week.today"), key: "t", icon: CalendarDays, run: () => setQuery({ week: null }) }], [t]),
  );
  return (
    <>
      {requests > 0 && (
        <Note kind="warn">
          <Link to="/app/requests">{t("week.requests", { count: requests })}</Link>
        </Note>
      )}
      {types?.length === 0 && (
        <Note>
          {t("types.none")}. <Link to="/app?setup=type">{t("week.firstType")}</Link>
        </Note>
      )}
      {next && nextDay && !days.includes(nextDay) && (
        <Note>
          <Link to={`/app?week=${nextDay}`}>
            {t("week.next", {
              time: `${dateIn(next.start, zone, locale, { weekday: "long", day: "numeric", month: "long" })}, ${timeIn(next.start, zone, locale)}`,
            })}
          </Link>
        </Note>
      )}
      <div className={week["bar"]}>
        <ActionIcon aria-label={t("week.before")} onClick={() => go(plusDays(first, -7))}>
          <ChevronLeft size={18} aria-hidden />
        </ActionIcon>
        <ActionIcon aria-label={t("week.after")} onClick={() => go(plusDays(first, 7))}>
          <ChevronRight size={18} aria-hidden />
        </ActionIcon>
        <Button onClick={() => go(today)}>{t("week.today")}</Button>
        <h2 aria-live="polite">
          {new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" }).formatRange(
            new Date(first),
            new Date(plusDays(first, 6)),
          )}
        </h2>
        <span className={page["more"]}>{zone.replaceAll("_", " ")}</span>
        {!list && (
          <ZoneSelect
            className={week["zone"]}
            bare
            label={t("week.second")}
            placeholder={t("week.second")}
            value={second}
            onChange={setSecond}
          />
        )}
        {!narrow && (
          <span className={page["end"]} role="group" aria-label={t("week.form")}>
            {(["grid", "list"] as const).map((each) => (
              <Button
                key={each}
                size="compact-md"
                variant={each === form ? "default" : "subtle"}
                aria-pressed={each === form}
                onClick={() => setForm(each)}
              >
                {t(`week.${each}`)}
              </Button>
            ))}
          </span>
        )}
      </div>
      <Loaded query={bookings} lines={12}>
        {(found) =>
          list ? (
            <List days={days} bookings={found} zone={zone} today={today} />
          ) : (
            <Grid
              days={days}
              bookings={found}
              free={free}
              busy={busy}
              held={held}
              zone={zone}
              second={second === zone ? "" : second}
              today={today}
              hrefOf={hrefOf}
              outside={outside}
              onAsk={setAsked}
              onBook={onBook && offered ? (start, drawn) => onBook({ eventTypeId: offered, start, outside: drawn }) : undefined}
              onMove={mayMove ? (booking, to) => setMoved({ booking, to }) : undefined}
            />
          )
        }
      </Loaded>
      {!list && bookings.data && bookable.length > 0 && (
        <div className={week["legend"]}>
          <i aria-hidden />
          <NativeSelect
            label={t("week.freeFor")}
            data={bookable.map(({ eventTypeId: value, title: label }) => ({ value, label }))}
            value={offered}
            onChange={(event) => setOfType(event.currentTarget.value)}
          />
          <span className={page["more"]}>
            {availability.error ? t("week.noFree", { why: sentence(availability.error) }) : t(onBook ? "week.bookHint" : "week.askHint")}
          </span>
        </div>
      )}
      <Confirm
        open={moved !== null}
        title={t("booking.moveWhat", { guest: moved?.booking.guest.name ?? "" })}
        text={moved && t("booking.moveTo", { time: when(moved.to, zone) })}
        act={t("booking.moveHere")}
        onClose={() => setMoved(null)}
        onConfirm={move}
      />
      <SidePanel open={selected !== null} title={t("booking.one")} onClose={() => setQuery({ booking: null })}>
        {selected && <BookingView id={selected} host={host} />}
      </SidePanel>
      <SidePanel open={asked !== ""} title={t("why.ask")} onClose={() => setAsked("")}>
        {asked && (
          <Why
            key={asked}
            host={host}
            at={asked}
            {...(onBook && { onBook: (eventTypeId, start) => (setAsked(""), onBook({ eventTypeId, start })) })}
          />
        )}
      </SidePanel>
    </>
  );
}

/** The week that is shown, with a booking opened beside it. */
function hrefOf({ bookingId }: Booking): string {
  const query = new URLSearchParams(location.search);
  query.set("booking", bookingId);
  return `/app?${query}`;
}

/** The same as lines, by day; days without bookings are left out. */
function List({ days, bookings, zone, today }: { days: readonly string[]; bookings: readonly Booking[]; zone: string; today: string }) {
  const { t, locale } = useTexts();
  if (bookings.length === 0)
    return (
      <Empty
        icon={CalendarDays}
        title={t("week.none")}
        text={t("week.noneText")}
        action={<Button onClick={() => navigate("/app/event-types")}>{t("week.share")}</Button>}
      />
    );
  return days.map((day) => {
    const found = bookings.filter(({ start }) => wallOf(start, zone).date === day);
    if (found.length === 0) return null;
    const name = dateName(day, locale, { weekday: "long", day: "numeric", month: "long" });
    return (
      <section key={day} className={page["card"]} aria-label={name}>
        <div className={page["cardHead"]}>
          <h2>{name}</h2>
          {day === today && <Chip kind="good">{t("week.today")}</Chip>}
        </div>
        <ul className={week["plain"]}>
          {found.map((each) => (
            <li key={each.bookingId}>
              <span className={week["time"]}>{timeIn(each.start, zone, locale)}</span>
              <span className={page["grow"]}>
                <Link to={hrefOf(each)} className={classes["strong"]}>
                  <bdi>{each.guest.name}</bdi>
                </Link>
                <bdi className={page["more"]}>{each.title}</bdi>
              </span>
              <Chip kind={kindOf[each.status]}>{t(`booking.${each.status}`)}</Chip>
            </li>
          ))}
        </ul>
      </section>
    );
  });
}
