// What the browser suite shows with the package: React's own development build, in strict mode.
import { StrictMode } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import type { Root } from "react-dom/client";

import { BookingFloating, BookingInline, BookingPopupButton, useBookingEvents } from "../../src/index.ts";
import type { BookingOptions } from "../../src/index.ts";

export interface Scene extends BookingOptions {
  what: "inline" | "popup" | "floating" | "nothing";
  /** Told by the component's own callback, so that a test sees which one was called. */
  mark?: string;
}

declare global {
  interface Window {
    heard: [string, object][];
    show: (scene: Scene) => void;
    hydrate: (html: string, scene: Scene) => void;
    leave: () => void;
  }
}

function Page({ what, mark = "", ...options }: Scene) {
  useBookingEvents(
    { onHeld: (payload) => window.heard.push(["page held", payload]), onClose: () => window.heard.push(["page close", {}]) },
    options.embedId,
  );
  const given = {
    ...options,
    onHeld: (payload: object) => window.heard.push([`held ${mark}`, payload]),
    onError: (payload: object) => window.heard.push(["error", payload]),
  };
  if (what === "inline") return <BookingInline {...given} />;
  if (what === "popup") return <BookingPopupButton {...given}>Book</BookingPopupButton>;
  return what === "floating" ? <BookingFloating {...given} label="Meet Ada" /> : null;
}

const page = (scene: Scene) => (
  <StrictMode>
    <Page {...scene} />
  </StrictMode>
);
const place = document.body.appendChild(document.createElement("main"));
let root: Root | undefined;
window.heard = [];
window.show = (scene) => {
  root ??= createRoot(place);
  root.render(page(scene));
};
window.hydrate = (html, scene) => {
  place.innerHTML = html;
  root = hydrateRoot(place, page(scene));
};
window.leave = () => {
  root?.unmount();
  root = undefined;
};
