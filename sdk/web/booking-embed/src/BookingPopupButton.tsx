import type { ComponentPropsWithoutRef, ReactNode } from "react";
import { useRef } from "react";

import type { BookingOptions } from "./options.ts";
import { useShown } from "./useShown.ts";

/**
 * `preload`: the page is asked for as soon as somebody points at the button or reaches it by keyboard. `button` is what else the button has.
 * @example
 * export const props: BookingPopupButtonProps = { origin: "https://calendar.example", link: "ada/intro", embedId: "emb_01jd", children: "Book a call", button: { className: "primary" } };
 */
export interface BookingPopupButtonProps extends BookingOptions {
  preload?: boolean;
  closeLabel?: string;
  button?: Omit<ComponentPropsWithoutRef<"button">, "children" | "type">;
  children: ReactNode;
}

/**
 * A button that opens a booking page in a window over this one.
 * @example
 * export const page = <BookingPopupButton origin="https://calendar.example" link="ada" embedId="emb_01jd" preload>Book a call</BookingPopupButton>;
 */
export function BookingPopupButton({ button, children, ...options }: BookingPopupButtonProps) {
  const trigger = useRef<HTMLButtonElement>(null);
  useShown("popup", options, () => ({ trigger: trigger.current }));
  return (
    <button {...button} type="button" ref={trigger}>
      {children}
    </button>
  );
}
