// `BookingEmbed`, what was asked of it before it was here, and the elements of the page that ask for it by their attributes. No cookies, no storage.

const home = new URL(document.currentScript.src).origin;
const modes = { inline, popup, floating };
const api = Object.fromEntries(Object.entries(modes).map(([name, mode]) => [name, (options) => mode(home, options)]));
/** `[mode, options, receive]`; the third is called with what the mode returns. */
const run = ([mode, options, receive]) => {
  const shown = api[mode]?.(options);
  receive?.(shown);
};
const waiting = window.BookingEmbed?.q;
window.BookingEmbed = { ...api, q: { push: (...calls) => calls.forEach(run) } };
if (Array.isArray(waiting)) waiting.forEach(run);

/** `data-…` of an element as options. */
function optionsIn({ dataset }) {
  const words = { "": true, true: true, false: false };
  return Object.fromEntries(
    Object.entries(dataset)
      .filter(([name]) => !name.startsWith("booking"))
      .map(([name, value]) => [name, words[value] ?? value]),
  );
}

function mount() {
  const each = (attribute, mode, place) => {
    for (const element of document.querySelectorAll(`[data-booking-${attribute}]:not([data-booking-mounted])`)) {
      element.dataset.bookingMounted = "";
      mode({ ...optionsIn(element), link: element.getAttribute(`data-booking-${attribute}`), [place]: element });
    }
  };
  each("inline", api.inline, "target");
  each("link", api.popup, "trigger");
  each("floating", api.floating, "place");
}
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mount);
else mount();
