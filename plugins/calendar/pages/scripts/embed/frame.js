// A frame with a booking page: its address, and what is said between it and this page. Each side believes only the other's window and origin, and messages of its grant.

/** What a frame may tell, and the option that is called with it. */
const events = {
  slotSelected: "onSlotSelected",
  held: "onHeld",
  booked: "onBooked",
  cancelled: "onCancelled",
  error: "onError",
  resize: "onResize",
};
/** A page that may be shown has said so long before. */
const quietMilliseconds = 3000;
const tallest = 100000;

const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function make(name, style, attributes = {}, ...children) {
  const made = document.createElement(name);
  Object.assign(made.style, style);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function find(target) {
  const found = typeof target === "string" ? document.querySelector(target) : target;
  if (!found) throw new Error(`BookingEmbed: there is no ${target} in this page`);
  return found;
}

function addressOf(home, { link, embedId, timeZone, date, duration, theme, accentColor, hideHeader, locale, prefill }) {
  const url = new URL(home);
  url.pathname = link;
  const { answers = {}, name, email, phone, notes } = prefill ?? {};
  const fields = {
    embed: embedId,
    from: location.origin,
    tz: timeZone,
    date,
    duration,
    theme: theme === "auto" ? "" : theme,
    accentColor,
    hideHeader: hideHeader ? "true" : "",
    locale,
    name,
    email,
    phone,
    notes,
  };
  for (const [id, value] of Object.entries(answers)) fields[`a_${id}`] = value;
  for (const [key, value] of Object.entries(fields))
    for (const each of [value ?? ""].flat()) if (each !== "") url.searchParams.append(key, each);
  return url.href;
}

/** `{type, payload}` of a message of a grant's frame, or nothing for all others. */
function messageOf(data, embedId) {
  const ours =
    isRecord(data) && data.source === "booking-embed" && data.version === 1 && data.embedId === embedId && typeof data.type === "string";
  return ours ? { type: data.type, payload: isRecord(data.payload) ? data.payload : {} } : undefined;
}

/** A frame of the page at `home`; `leave` is called when somebody in it wants out. */
function frameOf(home, given, leave = () => {}) {
  let options = given;
  let ready = 0;
  let loaded = 0;
  let timer = 0;
  let address = addressOf(home, options);
  const frame = make(
    "iframe",
    { width: "100%", border: "0", display: "block" },
    { title: options.title ?? textsOf(options).title, loading: options.lazy ? "lazy" : "eager", src: address },
  );
  // What a browser shows in place of a page that it refused says nothing.
  const instead = make("p", { margin: "0", padding: "24px", font: "16px/1.5 system-ui", textAlign: "center" });
  const height = (wanted) => {
    frame.style.height = `${Math.min(Math.max(wanted, Number(options.minHeight ?? 480)), Number(options.maxHeight ?? tallest))}px`;
  };
  const refused = () => {
    Object.assign(frame.style, { height: "0", visibility: "hidden" });
    instead.replaceChildren(
      make(
        "a",
        { color: "inherit" },
        { href: Object.assign(new URL(home), { pathname: options.link }).href, target: "_blank", rel: "noopener" },
        textsOf(options).instead,
      ),
    );
    frame.after(instead);
  };
  const whole = () => {
    instead.remove();
    frame.style.visibility = "";
  };
  const look = () => ({ theme: options.theme ?? "auto", hideHeader: Boolean(options.hideHeader) });
  const drawn = look();
  const say = () =>
    frame.contentWindow?.postMessage(
      { source: "booking-embed", version: 1, embedId: options.embedId, type: "update", payload: look() },
      home,
    );
  const isDrawn = () => JSON.stringify(look()) === JSON.stringify(drawn);

  function hear({ origin, source, data }) {
    if (origin !== home || source === null || source !== frame.contentWindow) return;
    const message = messageOf(data, options.embedId);
    if (!message) return;
    const { type, payload } = message;
    if (type === "ready") {
      whole();
      if (!isDrawn()) say();
      if (!ready++) options.onReady?.(payload);
    }
    if (type === "resize") {
      if (!Number.isFinite(payload.height)) return;
      if (options.autoResize !== false) height(payload.height);
    }
    if (type === "close") leave();
    if (Object.hasOwn(events, type)) options[events[type]]?.(payload);
  }
  // A browser does not say that it refused to show a page: the page is silent.
  frame.addEventListener("load", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // Whoever has been led elsewhere, as after a booking, stays there.
      if (!ready) refused();
      if (ready === loaded) options.onError?.({ code: "not_shown" });
      loaded = ready;
    }, quietMilliseconds);
  });
  addEventListener("message", hear);
  height(0);
  return {
    frame,
    /** A page that is only to look otherwise keeps what was typed in it. */
    update(more) {
      options = { ...options, ...more };
      height(Number.parseFloat(frame.style.height));
      const next = addressOf(home, { ...options, ...drawn });
      if (next === address) return ready ? say() : undefined;
      [ready, loaded] = [0, 0];
      whole();
      height(0);
      address = next;
      frame.src = next;
    },
    end() {
      clearTimeout(timer);
      removeEventListener("message", hear);
      instead.remove();
      frame.remove();
    },
  };
}
