// Shows booking pages in other pages: in place, in a window over it, or behind a button that floats. The page is asked for with the id of a grant, and
// both sides believe only messages of the other's origin and of that id. No cookies, no storage.
(() => {
  "use strict";
  const script = document.currentScript;
  const home = new URL(script.src).origin;
  const find = (target) => (typeof target === "string" ? document.querySelector(target) : target);
  const make = (name, style, attributes = {}) => {
    const made = document.createElement(name);
    Object.assign(made.style, style);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  function addressOf({ link, embedId, timeZone, date, duration, prefill = {} }) {
    const url = new URL(`/${link}`, home);
    const { answers = {}, ...known } = prefill;
    const fields = { embed: embedId, tz: timeZone, date, duration, ...known, ...Object.fromEntries(Object.entries(answers).map(([id, value]) => [`a_${id}`, value])) };
    for (const [name, value] of Object.entries(fields)) if (value !== undefined && value !== "") url.searchParams.set(name, value);
    return url.href;
  }

  /** A frame with the page, whose messages become calls of `on…`. */
  function frameOf(given) {
    let options = { autoResize: true, lazy: true, ...given };
    const frame = make("iframe", { width: "100%", border: "0", display: "block", colorScheme: "auto", minHeight: `${options.minHeight ?? 480}px` }, { title: options.title ?? "Booking", loading: options.lazy ? "lazy" : "eager" });
    const hear = ({ origin, source, data }) => {
      if (origin !== home || source !== frame.contentWindow || data?.source !== "booking-embed" || data.version !== 1 || data.embedId !== options.embedId) return;
      if (data.type === "resize" && options.autoResize && Number.isFinite(data.payload?.height)) frame.style.height = `${Math.min(Math.max(data.payload.height, options.minHeight ?? 0), options.maxHeight ?? 1e5)}px`;
      options[`on${String(data.type)[0].toUpperCase()}${String(data.type).slice(1)}`]?.(data.payload);
    };
    addEventListener("message", hear);
    frame.src = addressOf(options);
    return {
      frame,
      update(more) {
        options = { ...options, ...more };
        frame.src = addressOf(options);
      },
      end() {
        removeEventListener("message", hear);
        frame.remove();
      },
    };
  }

  function inline(options) {
    const shown = frameOf(options);
    find(options.target).append(shown.frame);
    return { update: shown.update, open() {}, close() {}, destroy: shown.end };
  }

  function popup(options) {
    let shown, dialog, before;
    const trigger = options.trigger && find(options.trigger);
    function close() {
      if (!dialog) return;
      dialog.close();
      shown.end();
      dialog.remove();
      dialog = undefined;
      Object.assign(document.documentElement.style, before);
      options.onClose?.();
    }
    function open() {
      if (dialog) return;
      const full = matchMedia("(max-width: 639px)").matches;
      const root = document.documentElement;
      before = { overflow: root.style.overflow, scrollbarGutter: root.style.scrollbarGutter };
      Object.assign(root.style, { overflow: "hidden", scrollbarGutter: innerWidth > root.clientWidth ? "stable" : before.scrollbarGutter });
      // A modal dialog keeps the focus inside, closes on Escape and gives the focus back.
      dialog = make("dialog", { padding: "0", border: "0", width: full ? "100%" : "min(62rem, 94vw)", height: full ? "100%" : "auto", maxWidth: "100%", maxHeight: full ? "100%" : "94vh", borderRadius: full ? "0" : "14px", overflow: "auto" }, { "aria-label": options.title ?? "Booking" });
      const leave = make("button", { position: "absolute", top: "8px", right: "8px", width: "40px", height: "40px", border: "0", borderRadius: "50%", font: "20px system-ui", cursor: "pointer", zIndex: "1" }, { type: "button", "aria-label": options.closeLabel ?? "Close" });
      leave.textContent = "\u00d7";
      leave.addEventListener("click", close);
      dialog.addEventListener("cancel", (event) => { event.preventDefault(); close(); });
      dialog.addEventListener("click", (event) => { if (event.target === dialog) close(); });
      shown = frameOf({ ...options, lazy: false, minHeight: full ? innerHeight : options.minHeight });
      dialog.append(leave, shown.frame);
      document.body.append(dialog);
      dialog.showModal();
    }
    trigger?.addEventListener("click", open);
    return {
      update(more) { options = { ...options, ...more }; shown?.update(more); },
      open,
      close,
      destroy() { close(); trigger?.removeEventListener("click", open); },
    };
  }

  function floating(options) {
    const button = make("button", { position: "fixed", bottom: "20px", [options.position === "bottom-left" ? "left" : "right"]: "20px", zIndex: String(options.zIndex ?? 999), padding: "14px 22px", border: "0", borderRadius: "99px", background: options.color ?? "#2f4fc9", color: options.textColor ?? "#ffffff", font: "600 16px system-ui", boxShadow: "0 4px 16px rgb(0 0 0 / 25%)", cursor: "pointer" }, { type: "button" });
    button.textContent = options.label ?? "Book a time";
    document.body.append(button);
    const shown = popup({ ...options, trigger: button });
    return { ...shown, destroy() { shown.destroy(); button.remove(); } };
  }

  const api = { inline, popup, floating };
  const waiting = window.BookingEmbed?.q ?? [];
  window.BookingEmbed = api;
  for (const [mode, options] of waiting) api[mode]?.(options);

  function mount() {
    const each = (name, mode) => {
      for (const place of document.querySelectorAll(`[data-booking-${name}]:not([data-booking-mounted])`)) {
        place.dataset.bookingMounted = "";
        mode(place, { link: place.getAttribute(`data-booking-${name}`), embedId: place.dataset.embedId });
      }
    };
    each("inline", (target, options) => inline({ ...options, target }));
    each("link", (trigger, options) => popup({ ...options, trigger }));
    each("floating", (place, options) => floating({ ...options, label: place.dataset.label }));
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mount);
  else mount();
})();
