// Search over the headings of all pages, the menu of narrow screens, and copying of commands.
"use strict";

const search = document.getElementById("search");
const found = document.getElementById("found");
const menu = document.getElementById("menu");
const chapters = document.getElementById("chapters");

menu.addEventListener("click", () => {
  const open = chapters.classList.toggle("open");
  menu.setAttribute("aria-expanded", String(open));
});

function loadIndex() {
  if (window.porticoIndex) return Promise.resolve();
  return new Promise((done) => {
    const script = document.createElement("script");
    script.src = "search-index.js";
    script.onload = done;
    document.head.append(script);
  });
}

function rank(text, words) {
  const lower = text.toLowerCase();
  if (!words.every((word) => lower.includes(word))) return -1;
  return (lower.startsWith(words[0]) ? 0 : 1) * 1000 + lower.length;
}

function row([text, address, page]) {
  const link = document.createElement("a");
  link.href = address;
  link.textContent = text;
  const item = document.createElement("li");
  item.append(link);
  if (page) item.append(Object.assign(document.createElement("span"), { textContent: page }));
  return item;
}

async function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = words.length === 0;
  if (found.hidden) return;
  await loadIndex();
  const rows = window.porticoIndex
    .map((entry) => [rank(entry[0], words), entry])
    .filter(([value]) => value >= 0)
    .sort((a, b) => a[0] - b[0])
    .slice(0, 30)
    .map(([, entry]) => row(entry));
  found.replaceChildren(...rows);
  if (rows.length === 0) found.append(Object.assign(document.createElement("li"), { textContent: "No heading has these words." }));
}

function close() {
  search.value = "";
  found.hidden = true;
}

search.addEventListener("input", show);
search.addEventListener("focus", loadIndex);
found.addEventListener("click", close);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  }
  if (event.key === "Escape") close();
  if (event.key === "Enter" && document.activeElement === search) found.querySelector("a")?.click();
});

function copyButton(block) {
  const commands = [...block.querySelectorAll(".command")].map((each) => each.textContent);
  const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "Copy" });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText((commands.length ? commands.join("\n") : block.textContent).trimEnd() + "\n");
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  const frame = Object.assign(document.createElement("div"), { className: "block" });
  block.replaceWith(frame);
  frame.append(block, button);
}

// Where the page comes over plain HTTP from another machine, browsers have no clipboard for it.
if (navigator.clipboard) document.querySelectorAll("article pre:has(> code)").forEach(copyButton);
