// In a window over this page, which gets the focus and the scroll position back as they were.

const wide = matchMedia("(min-width: 640px)");

/** The window with its frame, not open yet. */
function windowOf(home, options, close) {
  const shown = frameOf(home, { ...options, lazy: false }, close);
  const leave = make(
    "button",
    {
      width: "44px",
      height: "44px",
      border: "0",
      borderRadius: "50%",
      background: "transparent",
      color: "inherit",
      font: "24px/1 system-ui",
      cursor: "pointer",
    },
    { type: "button", "aria-label": options.closeLabel ?? textsOf(options).close },
    "\u00d7",
  );
  const bar = make("div", { flex: "none", display: "flex", justifyContent: "flex-end", padding: "6px" }, {}, leave);
  const room = make("div", { flex: "1", minHeight: "0", overflow: "auto", overscrollBehavior: "contain" }, {}, shown.frame);
  const pane = make(
    "div",
    {
      display: "flex",
      flexDirection: "column",
      overflow: "hidden",
      boxSizing: "border-box",
      color: "CanvasText",
      background: "Canvas",
      colorScheme: ["light", "dark"].includes(options.theme) ? options.theme : "light dark",
    },
    {},
    bar,
    room,
  );
  // The colour of the page in the frame, where the browser knows this function.
  pane.style.background = "light-dark(#ffffff, #1d2027)";
  const dialog = make(
    "dialog",
    {
      margin: "0",
      padding: "0",
      border: "0",
      width: "100vw",
      height: "100dvh",
      maxWidth: "none",
      maxHeight: "none",
      background: "rgb(0 0 0 / 50%)",
      placeItems: "center",
    },
    { "aria-label": options.title ?? textsOf(options).title },
    pane,
  );
  const shape = () =>
    Object.assign(
      pane.style,
      wide.matches
        ? { width: "min(62rem, 94vw)", height: "auto", maxHeight: "94dvh", borderRadius: "14px" }
        : { width: "100%", height: "100%", maxHeight: "none", borderRadius: "0" },
    );
  shape();
  wide.addEventListener("change", shape);
  leave.addEventListener("click", close);
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    close();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) close();
  });
  document.body.append(dialog);
  return {
    dialog,
    update: shown.update,
    end() {
      wide.removeEventListener("change", shape);
      shown.end();
      dialog.remove();
    },
  };
}

/** No scrolling below, and nothing that moves because a scroll bar goes. Answers what undoes it. */
function lockScrolling() {
  const root = document.documentElement;
  const { overflow, scrollbarGutter } = root.style;
  if (innerWidth > root.clientWidth) root.style.scrollbarGutter = "stable";
  root.style.overflow = "hidden";
  return () => Object.assign(root.style, { overflow, scrollbarGutter });
}

function popup(home, given) {
  let options = given;
  let shown, unlock;
  const triggers =
    options.trigger === undefined
      ? []
      : typeof options.trigger === "string"
        ? [...document.querySelectorAll(options.trigger)]
        : [options.trigger];
  const prepare = () => {
    shown ??= windowOf(home, options, close);
  };
  function open() {
    if (unlock) return;
    prepare();
    unlock = lockScrolling();
    shown.dialog.style.display = "grid";
    // A modal dialog keeps the focus inside and gives it back.
    shown.dialog.showModal();
  }
  function close() {
    if (!unlock) return;
    shown.dialog.close();
    shown.end();
    shown = undefined;
    unlock();
    unlock = undefined;
    options.onClose?.();
  }
  const early = () => {
    if (options.preload) prepare();
  };
  const heard = { click: open, pointerenter: early, focus: early };
  for (const trigger of triggers) for (const [name, listener] of Object.entries(heard)) trigger.addEventListener(name, listener);
  return {
    update(more) {
      options = { ...options, ...more };
      shown?.update(more);
    },
    open,
    close,
    destroy() {
      close();
      shown?.end();
      shown = undefined;
      for (const trigger of triggers) for (const [name, listener] of Object.entries(heard)) trigger.removeEventListener(name, listener);
    },
  };
}
