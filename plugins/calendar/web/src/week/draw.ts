import { useRef, useState, type MouseEvent, type PointerEvent } from "react";

/** How far a pointer goes before it draws. */
const slackPixels = 8;
/** What is drawn begins and ends at a quarter of an hour. */
const stepMinutes = 15;

interface Drawn {
  readonly day: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Draws a part of a date by mouse or pen, beside what stands in its column. `onDrawn` gets the date and the minutes at which the part begins. Touch scrolls.
 */
export function useDraw(on: boolean, onDrawn: (day: string, start: number) => void) {
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  const begun = useRef<{ readonly y: number; readonly minutes: number } | null>(null);
  // The click that follows a drawing asks for nothing.
  const ended = useRef(false);
  const end = () => {
    begun.current = null;
    setDrawn(null);
  };
  const drawsOf = (day: string, minutesAt: (event: MouseEvent<HTMLElement>) => number) =>
    on && {
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        ended.current = false;
        if (event.button !== 0 || event.pointerType === "touch" || (event.target as HTMLElement).closest("a")) return;
        begun.current = { y: event.clientY, minutes: minutesAt(event) };
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        const from = begun.current;
        if (!from || (!drawn && Math.abs(event.clientY - from.y) < slackPixels)) return;
        if (!drawn) event.currentTarget.setPointerCapture(event.pointerId);
        const [low, high] = [from.minutes, minutesAt(event)].sort((a, b) => a - b) as [number, number];
        const start = Math.max(0, Math.floor(low / stepMinutes) * stepMinutes);
        setDrawn({ day, start, end: Math.min(1440, Math.max(start + stepMinutes, Math.ceil(high / stepMinutes) * stepMinutes)) });
      },
      onPointerUp: () => {
        if (drawn) {
          ended.current = true;
          onDrawn(drawn.day, drawn.start);
        }
        end();
      },
      onPointerCancel: end,
    };
  return { drawn, drawsOf, wasDrawn: () => ended.current };
}
