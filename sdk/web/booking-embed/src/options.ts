/**
 * What a guest's form is filled in with; `answers` by the ids of the host's questions.
 * @example
 * export const prefill: BookingPrefill = { name: "Grace Hopper", answers: { topic: "Compilers", days: ["Monday", "Friday"] } };
 */
export interface BookingPrefill {
  name?: string;
  email?: string;
  phone?: string;
  notes?: string;
  answers?: Record<string, string | readonly string[]>;
}

/**
 * A time of a booking: instants, RFC 3339.
 * @example
 * export const half: BookingTime = { start: "2026-11-24T09:00:00.000Z", end: "2026-11-24T09:30:00.000Z" };
 */
export interface BookingTime {
  start: string;
  end: string;
}

/**
 * A booking, as the page around the frame is told of it. `status` is `pending` where the host decides first.
 * @example
 * export const told: ToldBooking = { bookingId: "bkg_01jd", status: "confirmed", start: "2026-11-24T09:00:00.000Z", end: "2026-11-24T09:30:00.000Z" };
 */
export interface ToldBooking extends BookingTime {
  bookingId: string;
  status: string;
}

/**
 * What is told of what guests do. `onError` has the code of what was refused, `not_shown` where the browser shows nothing: no grant holds for this page.
 * @example
 * export const events: BookingEvents = { onBooked: ({ bookingId, start }) => console.log(bookingId, start) };
 */
export interface BookingEvents {
  onReady?: (payload: object) => void;
  onSlotSelected?: (payload: { start: string }) => void;
  onHeld?: (payload: BookingTime & { expiresAt: string }) => void;
  onBooked?: (payload: ToldBooking) => void;
  onCancelled?: (payload: ToldBooking) => void;
  onClose?: () => void;
  onError?: (payload: { code: string }) => void;
  onResize?: (payload: { height: number }) => void;
}

/**
 * What every way of showing a booking page takes. `origin` is the calendar's, `link` a handle or `handle/event-type`, `embedId` names the grant
 * (`POST /api/admin/embed`). Callbacks may be other functions on every render.
 * @example
 * export const options: BookingOptions = { origin: "https://calendar.example", link: "ada/intro", embedId: "emb_01jd", theme: "dark", prefill: { name: "Grace" } };
 */
export interface BookingOptions extends BookingEvents {
  origin: string;
  link: string;
  embedId: string;
  theme?: "auto" | "light" | "dark";
  accentColor?: string;
  hideHeader?: boolean;
  locale?: string;
  timeZone?: string;
  date?: string;
  duration?: number;
  title?: string;
  prefill?: BookingPrefill;
}

/** What the calendar's script returns. */
export interface Shown {
  update(options: object): void;
  open(): void;
  close(): void;
  destroy(): void;
}

export type Mode = "inline" | "popup" | "floating";
