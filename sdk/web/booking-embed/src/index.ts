export { BookingFloating } from "./BookingFloating.tsx";
export type { BookingFloatingProps } from "./BookingFloating.tsx";
export { BookingInline } from "./BookingInline.tsx";
export type { BookingInlineProps } from "./BookingInline.tsx";
export { BookingPopupButton } from "./BookingPopupButton.tsx";
export type { BookingPopupButtonProps } from "./BookingPopupButton.tsx";
export { useBookingEvents } from "./events.ts";
export type { BookingEvents, BookingOptions, BookingPrefill, BookingTime, ToldBooking } from "./options.ts";
