// Booking pages in pages of another origin, as their visitors see them and as their scripts are told.
import assert from "node:assert/strict";
import { accessible, fits, fitsWindow, startSteps } from "./browser.mjs";

const { program, screens, origin, day, shower, stranger, embedId, seed } = JSON.parse(process.argv[2]);
const { opened, complaints, step, finish } = await startSteps({
  program,
  screens,
  suite: "embed",
  // Of a frame that has just been taken away, and tells its page something.
  ignored: /'postMessage' on 'DOMWindow': The target origin/,
  options: { timezoneId: "America/New_York", locale: "en-US" },
});
const tall = '<p style="height: 150vh">Far down</p>';

/** A page of `at` with this in it: any answer of that origin will do, it is written over. */
async function around(at, body, options = {}) {
  const page = await opened(options);
  await page.goto(`${at}/healthz`);
  await page.setContent(
    `<!doctype html><html lang="en"><title>Around</title><meta name="viewport" content="width=device-width"><body style="margin:0"><main><h1>Around</h1>${body}</main>`,
  );
  await page.waitForFunction(() => window.BookingEmbed?.inline);
  return page;
}
const script = `<script async src="${origin}/embed/v1.js"></script>`;
/** Calls `BookingEmbed[mode]` with options, and keeps what is heard in `heard`, and what is returned in `shown`. */
const show = (page, mode, options) =>
  page.evaluate(
    ([name, given]) => {
      window.heard = [];
      const names = ["Ready", "SlotSelected", "Held", "Booked", "Cancelled", "Close", "Error", "Resize"];
      const callbacks = Object.fromEntries(names.map((each) => [`on${each}`, (payload) => window.heard.push([each, payload])]));
      window.shown = window.BookingEmbed[name]({ ...callbacks, ...given });
    },
    [mode, { link: "ada/intro", embedId, date: day, ...options }],
  );
const told = (page, name) =>
  page.evaluate((wanted) => window.heard.filter(([each]) => each === wanted).map(([, payload]) => payload), name);
const until = (page, name) => page.waitForFunction((wanted) => window.heard.some(([each]) => each === wanted), name);
const inner = (page) => page.frames().find((each) => each.url().startsWith(origin));
/** Clicks in a frame that is as high as its page, at least `least`. */
async function pressed(frame, locator, least = 100) {
  await fits(frame, least);
  await locator.click();
}

await step("in place, looking as that page wants, from the first view to the cancelled booking", async () => {
  const page = await around(shower, `<div id="here"></div>${script}`);
  await show(page, "inline", {
    target: "#here",
    lazy: false,
    theme: "dark",
    accentColor: "#7a1fa2",
    hideHeader: true,
    locale: "de",
    minHeight: 100,
    timeZone: "Asia/Tokyo",
    prefill: { name: "Grace Hopper", email: "grace@example.org", notes: "Hallo" },
  });
  await until(page, "Ready");
  const frame = inner(page);
  assert.equal(new URL(frame.url()).searchParams.get("from"), shower);
  await frame.locator("#slots button").first().waitFor();
  assert.deepEqual(
    await frame.evaluate(() => [
      document.documentElement.lang,
      document.documentElement.dataset.theme,
      document.getElementById("tz").value,
    ]),
    ["de", "dark", "Asia/Tokyo"],
  );
  assert.equal((await frame.getByText("Ada Lovelace").count()) && (await frame.getByText("Ada Lovelace").first().isVisible()), false);
  assert.ok(await frame.getByRole("heading", { name: "Intro call" }).count(), "the title is still said");
  await fits(frame, 100);
  await accessible(frame, "dark frame");
  await page.screenshot({ path: `${screens}/embed-inline-dark.png`, fullPage: true });
  await pressed(frame, frame.locator("#slots button").last());
  await until(page, "Held");
  // To look otherwise costs nothing of what was typed.
  await frame.getByLabel("Name", { exact: false }).first().fill("Grace Brewster");
  await page.evaluate(() => window.shown.update({ theme: "light", hideHeader: false }));
  await frame.waitForFunction(
    () => document.documentElement.dataset.theme === "light" && !("hideHeader" in document.documentElement.dataset),
  );
  assert.equal(await frame.locator("#name").inputValue(), "Grace Brewster");
  await accessible(frame, "light frame");
  await page.screenshot({ path: `${screens}/embed-inline-held.png`, fullPage: true });
  await pressed(frame, frame.locator("#submit"));
  await until(page, "Booked");
  await frame.locator(".state h1").waitFor();
  const [booked] = await told(page, "Booked");
  assert.deepEqual(Object.keys(booked).sort(), ["bookingId", "end", "start", "status"]);
  assert.equal((await told(page, "SlotSelected"))[0].start, booked.start);
  assert.equal((await told(page, "Held"))[0].end, booked.end);
  await fits(frame, 100);
  await page.screenshot({ path: `${screens}/embed-booked.png`, fullPage: true });
  // The same look, the same frame, and the links of the page stay in it.
  assert.equal(await frame.evaluate(() => document.documentElement.lang), "de");
  await pressed(frame, frame.getByRole("link", { name: "Andere Zeit wählen" }));
  await frame.locator("input[name=start]").first().waitFor();
  await fits(frame, 100);
  // The first day with a free time may have one only.
  await frame.locator("input[name=start]").last().check();
  await pressed(frame, frame.locator("form.times button[type=submit]"));
  await frame.locator("dd.gone").waitFor();
  await pressed(frame, frame.locator("summary"));
  await pressed(frame, frame.locator(".cancel button"));
  await until(page, "Cancelled");
  const [cancelled] = await told(page, "Cancelled");
  assert.deepEqual([cancelled.bookingId, cancelled.status], [booked.bookingId, "cancelled"]);
  assert.notEqual(cancelled.start, booked.start);
  await frame.waitForFunction(() => !location.search.includes("done="));
  await pressed(frame, frame.locator(".actions a"));
  await frame.locator("#slots button").first().waitFor();
  assert.equal((await told(page, "Ready")).length, 1);
  assert.deepEqual(await told(page, "Error"), []);
  await page.evaluate(() => window.shown.destroy());
  assert.equal(await page.locator("iframe").count(), 0);
});

await step("a window over it, by keyboard", async () => {
  const page = await around(shower, `${tall}<button id="first">First</button><button id="open">Book</button>${tall}${script}`);
  await show(page, "popup", { trigger: "#open", preload: true });
  await page.locator("#open").focus();
  // Preloaded: it is there before it is seen.
  await until(page, "Ready");
  assert.equal(await page.getByRole("dialog").count(), 0);
  const before = await page.evaluate(() => [scrollY, document.querySelector("#open").getBoundingClientRect().x]);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Booking" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Close");
  assert.deepEqual(await page.evaluate(() => [scrollY, document.querySelector("#open").getBoundingClientRect().x]), before);
  await fits(inner(page), 480);
  await page.screenshot({ path: `${screens}/embed-popup.png` });
  await accessible(page, "popup");
  // From the window into the frame, and out of it by Escape.
  await page.keyboard.press("Tab");
  await inner(page).waitForFunction(() => document.activeElement !== document.body);
  await page.keyboard.press("Escape");
  await until(page, "Close");
  assert.equal(await page.locator("dialog").count(), 0);
  assert.deepEqual(
    await page.evaluate(() => [
      scrollY,
      document.querySelector("#open").getBoundingClientRect().x,
      document.activeElement.id,
      document.documentElement.style.overflow,
    ]),
    [...before, "open", ""],
  );
  // A second time, and by the keys of the window itself.
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal((await told(page, "Close")).length, 2);
});

await step("behind a button, on a dark phone", async () => {
  // Whatever that page does to its own buttons.
  const page = await around(shower, `${tall}<style>button { width: 100%; margin: 9px }</style>${script}`, {
    viewport: { width: 320, height: 640 },
    colorScheme: "dark",
  });
  await show(page, "floating", { link: "ada", label: "Meet Ada", position: "bottom-left", color: "#0b6b3a", zIndex: 5 });
  const button = page.getByRole("button", { name: "Meet Ada" });
  assert.deepEqual(await button.evaluate((each) => [each.style.left, each.style.zIndex, each.querySelectorAll("svg").length]), [
    "20px",
    "5",
    1,
  ]);
  const { x, y, width, height } = await button.boundingBox();
  assert.deepEqual([x, y + height, width < 200], [20, 620, true]);
  await page.evaluate(() => window.shown.update({ label: "Meet her", icon: false }));
  assert.equal(await page.getByRole("button", { name: "Meet her" }).locator("svg").count(), 0);
  await page.screenshot({ path: `${screens}/embed-floating.png` });
  await page.getByRole("button", { name: "Meet her" }).click();
  await until(page, "Ready");
  const frame = inner(page);
  await pressed(frame, frame.getByRole("link", { name: /Intro call/ }), 480);
  await frame.locator("#slots button").first().waitFor();
  assert.match(new URL(frame.url()).search, /date=|embed=/);
  assert.deepEqual(
    await page
      .getByRole("dialog")
      .locator("> div")
      .evaluate((pane) => [pane.clientWidth, pane.clientHeight]),
    [320, 640],
  );
  await fitsWindow(frame, "dark phone");
  await accessible(frame, "dark phone");
  await page.screenshot({ path: `${screens}/embed-phone.png` });
  await page.getByRole("button", { name: "Close" }).click();
  assert.equal(await page.locator("iframe").count(), 0);
});

await step("asked for before it is here, and by attributes", async () => {
  const calls = `<script>BookingEmbed = { q: [["inline", { target: "#here", link: "ada/intro", embedId: "${embedId}" }, (shown) => { window.shown = shown; }]] };</script>`;
  const page = await around(
    shower,
    `<div id="here"></div><div data-booking-inline="ada/intro" data-embed-id="${embedId}" data-theme="dark" data-min-height="700"></div><button data-booking-link="ada" data-embed-id="${embedId}">Book</button>${calls}${script}`,
  );
  await page.locator("iframe").nth(1).waitFor();
  assert.deepEqual(
    await page.locator("iframe").evaluateAll((all) => all.map((each) => [each.loading, new URL(each.src).searchParams.get("theme")])),
    [
      ["lazy", null],
      ["lazy", "dark"],
    ],
  );
  assert.ok(
    await page
      .locator("iframe")
      .nth(1)
      .evaluate((each) => Number.parseFloat(each.style.height) >= 700),
  );
  await page.evaluate(() => {
    window.shown.destroy();
    window.BookingEmbed.q.push([
      "popup",
      (window.wanted = { link: "ada" }),
      (shown) => {
        window.later = shown;
      },
    ]);
  });
  assert.deepEqual(await page.evaluate(() => Object.keys(window.later).sort()), ["close", "destroy", "open", "update"]);
  await page.getByRole("button", { name: "Book" }).click();
  await page.getByRole("dialog").waitFor();
});

await step("refused in a page that no grant names", async () => {
  const page = await around(stranger, `<div id="here"></div>${script}`);
  await show(page, "inline", { target: "#here", lazy: false });
  await until(page, "Error");
  assert.deepEqual(await page.evaluate(() => window.heard), [["Error", { code: "not_shown" }]]);
  assert.equal(await page.getByRole("link", { name: "Book on a page of its own" }).getAttribute("href"), `${origin}/ada/intro`);
  assert.equal((await page.locator("iframe").boundingBox()).height, 0);
  await accessible(page, "refused");
  assert.ok(
    complaints.some((text) => text.includes("frame-ancestors")),
    complaints.join("\n"),
  );
  complaints.length = 0;
});

/** Numbers that come again with the seed. */
function random() {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
/** Messages that are not quite those of the protocol: one thing or more is wrong in each. */
function hostile(count) {
  const next = random();
  const one = (list) => list[Math.floor(next() * list.length)];
  const junk = () =>
    one([
      null,
      undefined,
      0,
      -1,
      Infinity,
      NaN,
      1e308,
      "",
      "x",
      "__proto__",
      "constructor",
      true,
      [],
      {},
      [[]],
      { length: 1e9 },
      "<img src=x onerror=alert(1)>",
      { height: { valueOf: 9 } },
      "javascript:alert(1)",
    ]);
  const types = [
    "ready",
    "slotSelected",
    "held",
    "booked",
    "cancelled",
    "error",
    "resize",
    "close",
    "update",
    "hasOwnProperty",
    "onReady",
    "toString",
  ];
  const wrongs = [
    (message) => {
      message.source = junk();
    },
    (message) => {
      message.version = one([0, 2, "1", null, [1]]);
    },
    (message) => {
      message.embedId = one([junk(), `${embedId}x`, embedId.toUpperCase(), [embedId]]);
    },
    (message) => {
      message.type = one([junk(), ["resize"], "Resize", "on", "toString", "__proto__"]);
    },
    (message) => {
      delete message[one(["source", "version", "embedId", "type"])];
    },
  ];
  return Array.from({ length: count }, () => {
    if (next() < 0.1) return junk();
    const message = {
      source: "booking-embed",
      version: 1,
      embedId,
      type: one(types),
      payload: one([junk(), { height: 5000, theme: "dark", hideHeader: true, code: "x", [String(junk())]: junk() }]),
    };
    do one(wrongs)(message);
    while (next() < 0.4);
    return message;
  });
}
const whole = (type) => ({
  source: "booking-embed",
  version: 1,
  embedId,
  type,
  payload: { height: 5000, theme: "dark", hideHeader: true },
});

await step(`messages of others do nothing (seed ${seed})`, async () => {
  const page = await around(shower, `<div id="here"></div><iframe id="other" srcdoc="<p>Other</p>" title="Other"></iframe>${script}`);
  await show(page, "inline", { target: "#here", lazy: false });
  await until(page, "Ready");
  const frame = inner(page);
  await fits(frame, 480);
  const types = ["ready", "slotSelected", "held", "booked", "cancelled", "error", "resize", "close"];
  // At the page around: what is malformed from the frame itself, and what is whole from elsewhere or by another window.
  const changed = await page.evaluate(
    ([messages, right, home]) => {
      const booking = document.querySelector("#here iframe");
      const state = () =>
        JSON.stringify([window.heard.length, booking.style.cssText, booking.src, document.querySelectorAll("iframe").length]);
      const before = state();
      const send = (data, origin, source) => window.dispatchEvent(new MessageEvent("message", { data, origin, source }));
      for (const data of messages) send(data, home, booking.contentWindow);
      for (const data of right)
        for (const [origin, source] of [
          ["https://evil.example", booking.contentWindow],
          [home, window],
          [home, document.querySelector("#other").contentWindow],
          [home, null],
          ["null", booking.contentWindow],
          [`${home}.evil.example`, booking.contentWindow],
        ])
          send(data, origin, source);
      return [before, state()];
    },
    [hostile(2000), types.map(whole), origin],
  );
  assert.equal(changed[1], changed[0]);
  // At the page in the frame: what is malformed from the page around, and what is whole from elsewhere.
  const inside = await frame.evaluate(
    async ([messages, right, grantee]) => {
      const sent = [];
      const state = () =>
        JSON.stringify([
          location.href,
          { ...document.documentElement.dataset },
          document.querySelector("meta[name=color-scheme]").content,
          document.querySelector("main").innerHTML.length,
        ]);
      const before = state();
      const send = (data, origin, source) => {
        try {
          window.dispatchEvent(new MessageEvent("message", { data, origin, source }));
        } catch (error) {
          sent.push(String(error));
        }
      };
      for (const data of messages) send(data, grantee, parent);
      for (const [origin, source] of [
        ["https://evil.example", parent],
        [grantee, window],
        [grantee, null],
        ["null", parent],
      ])
        send(right, origin, source);
      return [before, state(), sent];
    },
    [hostile(2000), whole("update"), shower],
  );
  assert.equal(inside[1], inside[0]);
  assert.deepEqual(inside[2], []);
  // And the same message from who may send it does something: the readers are awake.
  await page.evaluate(
    ([message, home]) => document.querySelector("#here iframe").contentWindow.postMessage(message, home),
    [whole("update"), origin],
  );
  await frame.waitForFunction(() => document.documentElement.dataset.theme === "dark");
});

await finish();
