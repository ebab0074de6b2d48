// Builds elements. Text only ever becomes text nodes: what plugins describe is never markup.

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return made;
}

// `words in backticks` as code, the rest as text.
export function prose(text) {
  return text
    .split(/(`[^`]+`)/)
    .filter(Boolean)
    .map((part) => (part.startsWith("`") ? element("code", {}, part.slice(1, -1)) : part));
}

export function copyButton(text) {
  const button = element("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(typeof text === "function" ? text() : text);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1500);
  });
  return button;
}

const tokens = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

// JSON text as elements with a class for each kind of token.
export function highlight(json) {
  const parts = [];
  let end = 0;
  for (const match of json.matchAll(tokens)) {
    parts.push(json.slice(end, match.index));
    const kind = match[1] ? (match[2] ? "json-name" : "json-text") : match[3] ? "json-word" : "json-number";
    parts.push(element("span", { class: kind }, match[1] ?? match[0]));
    if (match[2]) parts.push(match[2]);
    end = match.index + match[0].length;
  }
  parts.push(json.slice(end));
  return parts;
}
