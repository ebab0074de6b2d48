import { useQuery } from "@tanstack/react-query";
import type { components } from "../api.d.ts";
import { useCalendar, whole, type Whole } from "../service.ts";

type Schemas = components["schemas"];
export type Booking = Whole<Schemas["Booking"]>;
export type BookingDetails = Whole<Schemas["BookingDetails"]>;
export type Hold = Whole<Schemas["HoldRecord"]>;
export type Slot = Whole<Schemas["FreeSlot"]>;
export type Busy = Whole<Schemas["BusySpan"]>;

/** How a status is marked beside its word. */
export const kindOf = {
  pending: "warn",
  confirmed: "good",
  declined: "plain",
  expired: "plain",
  cancelled: "bad",
  completed: "plain",
  no_show: "bad",
} as const satisfies Record<Booking["status"], string>;

/** It keeps the host's time. */
export const isOpen = ({ status }: Booking): boolean => status === "pending" || status === "confirmed";

const iso = (instant: number): string => new Date(instant).toISOString();

const mostBookings = 5_000;

/** All bookings that begin in a range of instants; of a list without end, its beginning. */
export function useBookings(from: number, to: number, status?: Booking["status"][]) {
  const api = useCalendar();
  return useQuery({
    queryKey: ["/api/admin/bookings", from, to, ...(status ?? [])],
    queryFn: async ({ signal }) => {
      const found: Booking[] = [];
      for (let cursor: string | null | undefined; cursor !== null && found.length < mostBookings;) {
        const { items, nextCursor }: { items: Booking[]; nextCursor: string | null } = await whole(
          api.get("/api/admin/bookings", {
            query: { from: iso(from), to: iso(to), limit: 200, ...(cursor && { cursor }), ...(status && { status }) },
            signal,
          }),
        );
        found.push(...items);
        // A page without any is the end, whatever it says.
        cursor = (items.length && nextCursor) || null;
      }
      return found;
    },
  });
}

const dayMilliseconds = 86_400_000;

/** Who waits for an answer: from a day before today to the end of what can be booked. */
export function useRequests() {
  const today = Math.floor(Date.now() / dayMilliseconds) * dayMilliseconds;
  return useBookings(today - dayMilliseconds, today + 740 * dayMilliseconds, ["pending"]);
}

/** The first booking from now on that keeps the host's time; null: there is none. */
export function useNextBooking() {
  const api = useCalendar();
  return useQuery({
    queryKey: ["/api/admin/bookings", "next"],
    refetchInterval: 5 * 60_000,
    queryFn: async ({ signal }) =>
      (
        await whole(
          api.get("/api/admin/bookings", {
            // Without `to`, the list ends after a week.
            query: {
              from: iso(Date.now()),
              to: iso(Date.now() + 366 * 86_400_000),
              limit: 1,
              sort: "start",
              status: ["pending", "confirmed"],
            },
            signal,
          }),
        )
      ).items[0] ?? null,
  }).data;
}

type Availability = Whole<Schemas["HostAvailability"]>;

/** What is free of an event type, for a booking that is to be moved where one is named, in another length than the usual one where it is said, and when calendars elsewhere keep the host busy; nothing is asked for without a type. */
export function useAvailability<T = Availability>(
  eventTypeId: string,
  from: number,
  to: number,
  select?: (all: Availability) => T,
  moves = "",
  duration?: number,
) {
  const api = useCalendar();
  return useQuery({
    queryKey: ["/api/admin/availability", eventTypeId, from, to, moves, duration],
    enabled: eventTypeId !== "",
    queryFn: ({ signal }) =>
      whole(
        api.get("/api/admin/availability", {
          query: { eventTypeId, from: iso(from), to: iso(to), ...(moves && { moves }), ...(duration && { duration }) },
          signal,
        }),
      ),
    ...(select && { select }),
  });
}

/** Its free times. */
export const useFree = (eventTypeId: string, from: number, to: number, moves = "", duration?: number) =>
  useAvailability(eventTypeId, from, to, ({ slots }) => slots as Slot[], moves, duration);

/** Times that guests hold now. A hold ends by itself and tells nobody, so it is looked at again. */
export function useHolds() {
  const api = useCalendar();
  return useQuery({
    queryKey: ["/api/admin/holds"],
    refetchInterval: 30_000,
    queryFn: async ({ signal }) =>
      ((await whole(api.get("/api/admin/holds", { query: { status: ["reserved"], limit: 200 }, signal }))).items as Hold[]).filter(
        ({ expiresAt }) => Date.parse(expiresAt) > Date.now(),
      ),
  });
}
