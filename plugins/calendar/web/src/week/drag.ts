import { useEffect, useRef, useState, type MouseEvent, type PointerEvent, type RefObject } from "react";
import type { Booking } from "../bookings/bookings.ts";

/** How far a pointer goes before it carries something. */
const slackPixels = 5;

/** A place of the grid: its column, and how far down it is, 0 to 1. */
export interface Spot {
  readonly column: number;
  readonly part: number;
}

interface Drag {
  readonly booking: Booking;
  readonly spot: Spot | null;
}

/**
 * Carries a booking over the columns of a grid by mouse or pen. `onDrop` gets where its upper end was let go; Escape lets go of it where it was. Touch scrolls,
 * and the keyboard has "Move" beside the booking.
 */
export function useDrag(columns: RefObject<HTMLElement | null>, onDrop: (booking: Booking, spot: Spot) => void) {
  const [drag, setDrag] = useState<Drag | null>(null);
  const begun = useRef<{ booking: Booking; x: number; y: number; grip: number; moved: boolean; left: boolean } | null>(null);
  const spotAt = (x: number, y: number): Spot | null => {
    const all = [...(columns.current?.querySelectorAll("[data-column]") ?? [])].map((each) => each.getBoundingClientRect());
    const column = all.findIndex(({ left, right }) => x >= left && x < right);
    const box = all[column];
    return box ? { column, part: (y - (begun.current?.grip ?? 0) - box.top) / box.height } : null;
  };
  const end = () => {
    begun.current = null;
    setDrag(null);
  };
  const carries = drag !== null;
  useEffect(() => {
    if (!carries) return undefined;
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      if (begun.current) begun.current.left = true;
      setDrag(null);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [carries]);
  const handlesOf = (booking: Booking) => ({
    draggable: false,
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0 || event.pointerType === "touch") return;
      begun.current = {
        booking,
        x: event.clientX,
        y: event.clientY,
        grip: event.clientY - event.currentTarget.getBoundingClientRect().top,
        moved: false,
        left: false,
      };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const from = begun.current;
      if (!from || from.left || (!from.moved && Math.hypot(event.clientX - from.x, event.clientY - from.y) < slackPixels)) return;
      from.moved = true;
      setDrag({ booking, spot: spotAt(event.clientX, event.clientY) });
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      if (!begun.current?.moved) return end();
      const spot = begun.current.left ? null : spotAt(event.clientX, event.clientY);
      // What follows is no click on the booking.
      event.currentTarget.addEventListener("click", (click) => (click.preventDefault(), click.stopPropagation()), {
        once: true,
        capture: true,
      });
      end();
      if (spot) onDrop(booking, spot);
    },
    onPointerCancel: end,
    onDragStart: (event: MouseEvent) => event.preventDefault(),
  });
  return { drag, handlesOf };
}
