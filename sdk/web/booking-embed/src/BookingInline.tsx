import { useRef } from "react";

import type { BookingOptions } from "./options.ts";
import { useShown } from "./useShown.ts";

/**
 * The frame's height follows the page in it, within the two limits (pixels), unless `autoResize` is false. `lazy`: it is loaded when it comes near to
 * what is seen, unless false. `className` is of the element around it.
 * @example
 * export const props: BookingInlineProps = { origin: "https://calendar.example", link: "ada/intro", embedId: "emb_01jd", maxHeight: 900 };
 */
export interface BookingInlineProps extends BookingOptions {
  minHeight?: number;
  maxHeight?: number;
  autoResize?: boolean;
  lazy?: boolean;
  className?: string;
}

/**
 * A booking page in place.
 * @example
 * export const page = <BookingInline origin="https://calendar.example" link="ada/intro" embedId="emb_01jd" theme="light" onBooked={({ bookingId }) => console.log(bookingId)} />;
 */
export function BookingInline({ className, ...options }: BookingInlineProps) {
  const place = useRef<HTMLDivElement>(null);
  useShown("inline", options, () => ({ target: place.current }));
  return <div ref={place} className={className} />;
}
