// In place.

function inline(home, options) {
  const shown = frameOf(home, { lazy: true, ...options });
  Object.assign(shown.frame.style, { borderRadius: "14px", boxShadow: "0 0 0 1px rgb(128 128 128 / 25%)" });
  find(options.target).append(shown.frame);
  let { onClose } = options;
  return {
    update(more) {
      onClose = more.onClose ?? onClose;
      shown.update(more);
    },
    open() {
      shown.frame.style.display = "block";
    },
    close() {
      if (shown.frame.style.display === "none") return;
      shown.frame.style.display = "none";
      onClose?.();
    },
    destroy: shown.end,
  };
}
