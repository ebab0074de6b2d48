import { useEffect, useRef } from "react";

import type { BookingEvents } from "./options.ts";

/** Every event that there is: an object so that the compiler misses none. */
const every: Record<keyof BookingEvents, true> = {
  onReady: true,
  onSlotSelected: true,
  onHeld: true,
  onBooked: true,
  onCancelled: true,
  onClose: true,
  onError: true,
  onResize: true,
};
export const eventNames = Object.keys(every) as (keyof BookingEvents)[];

type Payload = never;
type Listener = { embedId: string | undefined; events: () => BookingEvents };
const listeners = new Set<Listener>();

/** Calls what a component was given, and then who listens elsewhere in the page. */
export function tell(name: keyof BookingEvents, embedId: string, own: BookingEvents, payload: unknown): void {
  own[name]?.(payload as Payload);
  for (const listener of [...listeners])
    if (listener.embedId === undefined || listener.embedId === embedId) listener.events()[name]?.(payload as Payload);
}

/**
 * Hears what happens in the booking frames of this page, in any component; with `embedId` in those of one grant only. Functions may be new on every render.
 * @example
 * import { useState } from "react";
 *
 * function Counter() {
 *   const [count, setCount] = useState(0);
 *   useBookingEvents({ onBooked: () => setCount((before) => before + 1) });
 *   return <output>{count}</output>;
 * }
 * export const counter = <Counter />;
 */
export function useBookingEvents(events: BookingEvents, embedId?: string): void {
  const latest = useRef(events);
  useEffect(() => {
    latest.current = events;
  });
  useEffect(() => {
    const listener: Listener = { embedId, events: () => latest.current };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, [embedId]);
}
