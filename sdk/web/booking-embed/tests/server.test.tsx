import { renderToString } from "react-dom/server";
import { expect, test, vi } from "vitest";

import { BookingFloating, BookingInline, BookingPopupButton, useBookingEvents } from "../src/index.ts";

const where = { origin: "https://calendar.example", link: "ada/intro", embedId: "emb_1" };

function Listener() {
  useBookingEvents({ onBooked: () => undefined });
  return <p>Listening</p>;
}

test("a server renders the places, without a window and without a word", () => {
  const complaint = vi.spyOn(console, "error");
  const page = (
    <>
      <BookingInline {...where} theme="dark" className="here" onBooked={() => undefined} />
      <BookingPopupButton {...where} button={{ className: "primary", id: "book" }}>
        Book
      </BookingPopupButton>
      <BookingFloating {...where} />
      <Listener />
    </>
  );
  expect(typeof window).toBe("undefined");
  expect(renderToString(page)).toBe(
    '<div class="here"></div><button class="primary" id="book" type="button">Book</button><p>Listening</p>',
  );
  expect(complaint).not.toHaveBeenCalled();
});
