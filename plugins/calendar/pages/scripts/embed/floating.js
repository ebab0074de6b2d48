// Behind a button that stays in a corner of the window.

/** A calendar sheet, or the image at an address; none for `false`. */
function iconOf(icon) {
  if (icon === false) return [];
  if (typeof icon === "string") return [make("img", { width: "20px", height: "20px" }, { src: icon, alt: "" })];
  const draw = (name, attributes, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const lines = { fill: "none", stroke: "currentColor", "stroke-width": "2", "stroke-linecap": "round" };
  return [
    draw(
      "svg",
      { viewBox: "0 0 24 24", width: "20", height: "20", "aria-hidden": "true", ...lines },
      draw("rect", { x: "3", y: "5", width: "18", height: "16", rx: "3" }),
      draw("path", { d: "M3 10h18M8 3v4M16 3v4" }),
    ),
  ];
}

function floating(home, given) {
  let options = given;
  const button = make(
    "button",
    {
      position: "fixed",
      bottom: "20px",
      width: "auto",
      maxWidth: "calc(100vw - 40px)",
      margin: "0",
      display: "flex",
      alignItems: "center",
      gap: "10px",
      minHeight: "48px",
      padding: "0 22px",
      border: "0",
      borderRadius: "99px",
      font: "600 16px system-ui",
      boxShadow: "0 4px 16px rgb(0 0 0 / 25%)",
      cursor: "pointer",
    },
    { type: "button" },
  );
  function draw() {
    const { label = textsOf(options).label, icon, position, zIndex = 999, color = "#2f4fc9", textColor = "#ffffff" } = options;
    const side = position === "bottom-left" ? { left: "20px", right: "auto" } : { right: "20px", left: "auto" };
    Object.assign(button.style, side, { zIndex: String(zIndex), background: color, color: textColor });
    button.replaceChildren(...iconOf(icon), label);
  }
  draw();
  document.body.append(button);
  const shown = popup(home, { ...options, trigger: button });
  return {
    ...shown,
    update(more) {
      options = { ...options, ...more };
      draw();
      shown.update(more);
    },
    destroy() {
      shown.destroy();
      button.remove();
    },
  };
}
