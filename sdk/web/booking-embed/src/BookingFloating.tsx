import type { BookingOptions } from "./options.ts";
import { useShown } from "./useShown.ts";

/**
 * `icon`: a calendar by default, the image at an address, or none for false. The two colours are the button's.
 * @example
 * export const props: BookingFloatingProps = { origin: "https://calendar.example", link: "ada", embedId: "emb_01jd", label: "Meet Ada", position: "bottom-left" };
 */
export interface BookingFloatingProps extends BookingOptions {
  label?: string;
  icon?: string | false;
  position?: "bottom-right" | "bottom-left";
  zIndex?: number;
  color?: string;
  textColor?: string;
  preload?: boolean;
  closeLabel?: string;
}

/**
 * A button in a corner of the window that opens a booking page over this one; it is there while the component is.
 * @example
 * export const page = <BookingFloating origin="https://calendar.example" link="ada" embedId="emb_01jd" label="Meet Ada" />;
 */
export function BookingFloating(props: BookingFloatingProps) {
  useShown("floating", props);
  return null;
}
