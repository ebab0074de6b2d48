// What people wait for, in headless Chromium before a filled daemon: web_load.mjs WANTED (JSON of web_load.py). A line of JSON for each measure.
import { chromium } from "playwright-core";

const {
  program,
  origin,
  email,
  password,
  rounds,
  cards,
  rows: [near, far],
} = JSON.parse(process.argv[2]);
const browser = await chromium.launch({
  executablePath: program,
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--enable-precise-memory-info"],
});
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB" });
context.setDefaultTimeout(120_000);
await context.addInitScript(() => {
  const seen = (window.seen = { largest: 0, shift: 0, blocked: 0, rows: 0 });
  const watch = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  watch("largest-contentful-paint", (entry) => (seen.largest = entry.startTime));
  watch("layout-shift", (entry) => entry.hadRecentInput || (seen.shift += entry.value));
  watch("longtask", (entry) => (seen.blocked += entry.duration - 50));
  /** Resolves after the paint that shows what is waited for, with its instant. */
  window.painted = (there) =>
    new Promise((done) => {
      const look = () => {
        if (!there()) return requestAnimationFrame(look);
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => done(performance.now());
        port2.postMessage(0);
      };
      requestAnimationFrame(look);
    });
  /** From the next event of a type to that paint, in milliseconds. */
  window.fromTo = (type, there) =>
    (window.measured = new Promise((done) =>
      addEventListener(type, (event) => window.painted(there).then((at) => done(at - event.timeStamp)), { once: true, capture: true }),
    ));
  if (location.pathname === "/contacts") void window.painted(() => document.querySelector("[data-index]")).then((at) => (seen.rows = at));
});

const sorted = (values) => [...values].sort((a, b) => a - b);
const part = (values, share) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))];
const median = (values) => part(values, 0.5);
const ms = (value) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const print = (what, goal, measured) => console.log(JSON.stringify({ what, goal, measured }));

const page = await context.newPage();
const devtools = await context.newCDPSession(page);
const heap = async () => {
  for (let turn = 0; turn < 3; ++turn) await devtools.send("HeapProfiler.collectGarbage");
  return (await devtools.send("Runtime.getHeapUsage")).usedSize / 2 ** 20;
};
const elements = () => page.evaluate(() => document.querySelectorAll("*").length);
/** Times `act` by what it shows. `there` is a function of the page, as a text. */
async function timed(type, there, act) {
  // The policy of pages refuses code from a text, but for the debugger's.
  await devtools.send("Runtime.evaluate", { expression: `void window.fromTo(${JSON.stringify(type)}, () => ${there})` });
  await act();
  return page.evaluate(() => window.measured);
}

async function visit(path, ready) {
  const asked = [];
  const listen = (request) => asked.push(request.url());
  page.on("request", listen);
  await page.goto(origin + path);
  await page.locator(ready).first().waitFor();
  await page.waitForFunction(() => window.seen.largest > 0);
  await page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 2000 })));
  page.off("request", listen);
  const took = await page.evaluate(() => {
    const scripts = performance.getEntriesByType("resource").filter((each) => /\.js$/.test(each.name));
    // Without those that are loaded for later, once the rows are there.
    const script = Math.max(
      ...scripts.filter((each) => !window.seen.rows || each.startTime < window.seen.rows - 50).map((each) => each.responseEnd),
    );
    return { ...window.seen, first: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0, script };
  });
  return { ...took, requests: asked.length };
}

async function visits(path, ready, goals) {
  const taken = [];
  for (let round = 0; round <= rounds; ++round) {
    const one = await visit(path, ready);
    if (round) taken.push(one);
  }
  const of = (key) => median(taken.map((each) => each[key]));
  print(
    `${path}: largest paint, warm`,
    goals.warm,
    `${ms(of("largest"))} (first paint ${ms(of("first"))}, shift ${of("shift").toFixed(3)}, blocked ${ms(of("blocked"))}, ${of("requests")} requests)`,
  );
  return taken;
}

/** As Lighthouse's mobile profile: a processor four times slower, 1.6 Mbit/s and 150 ms, nothing in the cache. */
async function throttled(path, ready, goal) {
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 150,
    downloadThroughput: 1_600_000 / 8,
    uploadThroughput: 750_000 / 8,
  });
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  const taken = [];
  for (let round = 0; round < 3; ++round) {
    await devtools.send("Network.clearBrowserCache");
    taken.push(await visit(path, ready));
  }
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await devtools.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
  const of = (key) => median(taken.map((each) => each[key]));
  print(
    `${path}: largest paint, throttled, empty cache`,
    goal,
    `${ms(of("largest"))} (first ${ms(of("first"))}, shift ${of("shift").toFixed(3)}, blocked ${ms(of("blocked"))})`,
  );
}

// Signing in.
await visits("/login", "[name=identifier]", { warm: "500 ms" });
await throttled("/login", "[name=identifier]", "2000 ms");
await page.goto(`${origin}/login`);
await page.getByLabel("E-mail").fill(email);
await page.getByLabel("Password", { exact: true }).fill(password);
const signedIn = await timed(
  "submit",
  `document.querySelector("h1") && /\\d/.test(document.querySelector("main")?.textContent ?? "")`,
  () => page.keyboard.press("Enter"),
);
print("sign-in to the dashboard's first number, with the hash", "1000 ms + hash", ms(signedIn));

// First views.
await visits("/dashboard", "main h2", { warm: "500 ms" });
const lists = await visits("/contacts", "[data-index]", { warm: "500 ms" });
print("/contacts: first rows after the script is there", "300 ms", ms(median(lists.map(({ rows, script }) => rows - script))));
await throttled("/contacts", "[data-index]", "3000 ms");

// The list.
await visit("/contacts", "[data-index]");
print("/contacts: elements", "1200", await elements());
const list = page.locator("[role=grid]");
const frames = (selector, pixels, count) =>
  page.evaluate(
    ([selector, pixels, count]) =>
      new Promise((done) => {
        const scroller = document.querySelector(selector);
        const intervals = [];
        let last = 0;
        const step = (now) => {
          if (last) intervals.push(now - last);
          last = now;
          scroller.scrollTop += pixels;
          if (intervals.length < count) requestAnimationFrame(step);
          else done(intervals);
        };
        requestAnimationFrame(step);
      }),
    [selector, pixels, count],
  );
const told = (intervals) => `p95 ${part(intervals, 0.95).toFixed(1)} ms, longest ${Math.max(...intervals).toFixed(1)} ms`;
print("/contacts: frames while it is scrolled", "17.5, 50 ms", told(await frames("[role=grid]", 60, 300)));
async function scrolledTo(row) {
  for (;;) {
    const last = await list.evaluate((grid, row) => {
      grid.scrollTop = Math.min(grid.scrollHeight, row * (grid.querySelector("[data-index]")?.offsetHeight ?? 40));
      return Math.max(0, ...[...grid.querySelectorAll("[data-index]")].map((each) => Number(each.dataset.index)));
    }, row);
    if (last >= row - 5) return;
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
}
await scrolledTo(near);
const before = await heap();
await scrolledTo(far);
const after = await heap();
print(
  `/contacts: heap at row ${far} beside that at row ${near}`,
  "1.2",
  `${(after / before).toFixed(2)} (${before.toFixed(1)} and ${after.toFixed(1)} MiB), ${await elements()} elements`,
);

// Keys.
const keys = { open: [], further: [], edit: [], palette: [], typing: [] };
const opened = `location.pathname !== "/contacts" && document.querySelector("[data-field]")`;
const idle = () => page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 2000 })));
const openRow = async (row) => {
  await page.locator(`[data-index='${row}']`).focus();
  return timed("keydown", opened, () => page.keyboard.press("Enter"));
};
for (let round = 0; round < 4 * rounds + 1; ++round) {
  await page.goto(`${origin}/contacts`);
  await page.locator("[data-index]").first().waitFor();
  await idle();
  const took = {};
  took.palette = await timed("keydown", `document.activeElement?.matches("dialog[open] [role=combobox]")`, () =>
    page.keyboard.press("Control+k"),
  );
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  took.typing = await timed("keydown", `document.activeElement.value === "x"`, () => page.keyboard.press("x"));
  await page.keyboard.press("Backspace");
  took.open = await openRow(2);
  await idle();
  took.edit = await timed(
    "keydown",
    `document.activeElement?.closest("[data-field]") && /INPUT|TEXTAREA/.test(document.activeElement.tagName)`,
    () => page.keyboard.press("e"),
  );
  // The first time parts of the app are loaded.
  if (round) for (const [key, value] of Object.entries(took)) keys[key].push(value);
  if (!round) continue;
  await page.keyboard.press("Escape");
  for (let row = 3; row < 9; ++row) {
    await page.keyboard.press("Escape");
    await page.locator(`[data-index='${row}']`).waitFor();
    // The focus rests for some frames before Enter, as it does between two keys of a hand: the contact is read then.
    await page.locator(`[data-index='${row}']`).focus();
    for (let frame = 0; frame < 12; ++frame) await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    await idle();
    keys.further.push(await openRow(row));
    await idle();
  }
}
const words = {
  open: "open the first contact after a load, with the contact read",
  further: "open the next ones, read while the focus rested",
};
for (const [key, values] of Object.entries(keys))
  print(`key to paint: ${words[key] ?? key}`, "p95 50 ms", `p95 ${ms(part(values, 0.95))}, median ${ms(median(values))}`);

// The board.
await page.goto(`${origin}/pipeline`);
await page.locator("[data-card]").first().waitFor();
for (;;) {
  const left = await page.evaluate(() => {
    let left = 0;
    for (const column of document.querySelectorAll("[data-column]")) {
      const rows = column.querySelector("[data-rows]");
      rows.parentElement.scrollTop = rows.parentElement.scrollHeight;
      left += Number(/\d+/.exec(column.querySelector("header span").textContent.replace(/\D/g, "")) ?? 0) - Number(rows.dataset.length);
    }
    return left;
  });
  if (left <= 0) break;
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
}
const loaded = await page.evaluate(() =>
  [...document.querySelectorAll("[data-rows]")].reduce((sum, each) => sum + Number(each.dataset.length), 0),
);
await page.evaluate(() => document.querySelectorAll("[data-rows]").forEach((each) => (each.parentElement.scrollTop = 0)));
await page.evaluate(() => document.querySelector("[data-rows]").parentElement.setAttribute("data-measured", ""));
const scrolled = await frames("[data-measured]", 40, 600);
print(`board of ${loaded} cards: frames while a column is scrolled`, "17.5, 50 ms", told(scrolled));
print("board: elements", "1500", await elements());
print("board: heap", "80 MiB", `${(await heap()).toFixed(1)} MiB`);
const moves = [];
const carries = [];
for (let round = 0; round < 2 * rounds; ++round) {
  await page.evaluate(() => document.querySelectorAll("[data-rows]").forEach((each) => (each.parentElement.scrollTop = 0)));
  await page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 2000 })));
  const [from, to] = await page.evaluate(() =>
    [...document.querySelectorAll("[data-column]")].slice(0, 2).map((each) => each.dataset.column),
  );
  const card = page.locator(`[data-column="${from}"] [data-card]`).nth(1);
  const id = await card.getAttribute("data-card");
  const [at, place] = [await card.boundingBox(), await page.locator(`[data-column="${to}"]`).boundingBox()];
  await page.mouse.move(at.x + 40, at.y + 20);
  await page.mouse.down();
  await page.mouse.move(place.x + 60, place.y + 130, { steps: 10 });
  moves.push(await timed("pointerup", `document.querySelector('[data-column="${to}"] [data-card="${id}"]')`, () => page.mouse.up()));
  await page.waitForFunction(() => !document.querySelector("[data-pending]"));
  await page.locator(`[data-column="${from}"] [data-card]`).first().focus();
  carries.push(await timed("keydown", `document.querySelector("[data-carrying]")`, () => page.keyboard.press("Space")));
  await page.keyboard.press("Escape");
}
print("board: drop to paint", "50 ms", `p95 ${ms(part(moves, 0.95))}, median ${ms(median(moves))}`);
print("board: key to paint, a card is lifted", "p95 50 ms", `p95 ${ms(part(carries, 0.95))}, median ${ms(median(carries))}`);
const stay = await page.evaluate(() =>
  [...document.querySelectorAll("[data-rows]")].reduce((sum, each) => sum + Number(each.dataset.length), 0),
);
print("board: cards that are still loaded after the moves", String(cards), stay);
await browser.close();
