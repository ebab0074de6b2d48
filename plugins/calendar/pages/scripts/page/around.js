// The page around this one, where it is shown in a frame: what it is told, and what it may ask for. Neither side keeps anything.

/** `{query, tell}`: what addresses within the frame take along, and `tell(type, payload)`, which reaches a page of the grant's origins and nobody else. */
const around = (() => {
  const root = document.documentElement;
  const { embedId, embedOrigins = "", embedQuery = "", told } = root.dataset;
  if (!embedId || parent === window) return { query: "", tell() {} };
  const granted = embedOrigins.split(" ");
  // Where browsers say who is around, nobody else is called.
  const origins = location.ancestorOrigins ? granted.filter((origin) => origin === location.ancestorOrigins[0]) : granted;
  const tell = (type, payload = {}) => {
    for (const origin of origins) parent.postMessage({ source: "booking-embed", version: 1, embedId, type, payload }, origin);
  };

  /** What another page wants this one to look like; everything else is nobody's to ask for. */
  function hear({ origin, source, data }) {
    if (
      source !== parent ||
      !origins.includes(origin) ||
      data?.source !== "booking-embed" ||
      data.version !== 1 ||
      data.embedId !== embedId ||
      data.type !== "update"
    )
      return;
    const { theme, hideHeader } = data.payload ?? {};
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    if (theme === "auto") delete root.dataset.theme;
    if (["light", "dark", "auto"].includes(theme))
      document.querySelector('meta[name="color-scheme"]').content = root.dataset.theme ?? "light dark";
    if (typeof hideHeader === "boolean") root.toggleAttribute("data-hide-header", hideHeader);
  }
  addEventListener("message", hear);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) tell("close");
  });

  const main = document.querySelector("main");
  new ResizeObserver(() =>
    requestAnimationFrame(() => tell("resize", { height: Math.ceil(main.getBoundingClientRect().bottom + scrollY) })),
  ).observe(main);
  tell("ready");
  if (told) {
    const { type, payload } = JSON.parse(told);
    tell(type, payload);
    // A second look at the page is no second event.
    const address = new URL(location.href);
    address.searchParams.delete("done");
    history.replaceState(null, "", address);
  }
  return { query: embedQuery, tell };
})();
