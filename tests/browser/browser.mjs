// What the browser suites share: one Chromium, steps that are counted, tabs whose complaints are faults, and axe.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { chromium } from "playwright-core";

/** A wait of a test ends only where something is broken: a machine that runs three suites may need seconds for a step. */
export const patience = 30_000;
const axe = readFileSync(new URL("./node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/**
 * `route` of a context and of its pages returns once requests of the open pages are intercepted. Chromium only begins to tell a page of it: the next
 * request could pass by the route.
 */
export function interceptsAtOnce(context) {
  const probe = "**/is-intercepted";
  const own = new Map();
  // A page whose policy forbids it asks for nothing that a route could miss.
  const asks = (page) =>
    page.evaluate(async () => {
      addEventListener("securitypolicyviolation", () => (globalThis.forbidden = true), { once: true });
      await fetch("/is-intercepted").catch(() => undefined);
      return globalThis.forbidden;
    });
  const isHeard = async (page) => {
    let heard = false;
    const hear = (asked) => ((heard = true), asked.fulfill({ status: 204 }));
    await own.get(page)(probe, hear);
    await soon(() =>
      asks(page).then(
        (forbidden) => heard || forbidden,
        () => heard,
      ),
    );
    await page.unroute(probe, hear);
  };
  const surely = (target, pages) => {
    const route = target.route.bind(target);
    own.set(target, route);
    target.route = async (...given) => {
      await route(...given);
      for (const page of pages()) if (page.url().startsWith("http")) await isHeard(page);
    };
  };
  surely(context, () => context.pages());
  context.on("page", (page) => surely(page, () => [page]));
}

/**
 * A run of steps. `opened(options)` is a tab of a new browser profile, closed after its step unless `keep`; what its console says is a fault of the
 * step, but for answers that are meant to be refusals and what `ignored` matches. `finish()` prints "N passed, N failed" and exits.
 */
export async function startSteps({ program, screens, suite, keep = false, launch = {}, ignored, options: common = {} }) {
  const browser = await chromium.launch({
    executablePath: program,
    // Keeps frames of other origins in the same process: a frame in its own process loses clicks until the next picture.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-site-isolation-trials"],
    timeout: 120_000,
    ...launch,
  });
  mkdirSync(screens, { recursive: true });
  const complaints = [];
  let [passed, failed] = [0, 0];
  let contexts = [];

  async function opened(options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB", ...common, ...options });
    contexts.push(context);
    interceptsAtOnce(context);
    context.setDefaultTimeout(patience);
    context.on("console", (message) => {
      if (
        ["error", "warning"].includes(message.type()) &&
        !/Failed to load resource|Permissions-Policy|is-intercepted/.test(message.text()) &&
        !ignored?.test(message.text())
      )
        complaints.push(message.text());
    });
    context.on("weberror", (error) => complaints.push(String(error.error())));
    return context.newPage();
  }

  async function step(name, work) {
    try {
      await work();
      assert.deepEqual(complaints, [], "the page complained");
      ++passed;
    } catch (error) {
      ++failed;
      console.log(`FAILED ${name}\n${error.stack}`);
      for (const [at, tab] of contexts.flatMap((each) => each.pages()).entries())
        await tab.screenshot({ path: `${screens}/${suite}-failed-${failed}-${at}.png` }).catch(() => undefined);
    }
    complaints.length = 0;
    if (keep) return;
    for (const each of contexts) await each.close();
    contexts = [];
  }

  async function finish() {
    await browser.close();
    console.log(`${passed} passed, ${failed} failed`);
    // A file that runs no step has tested nothing.
    process.exit(failed || passed === 0 ? 1 : 0);
  }
  return { browser, complaints, opened, step, finish };
}

export async function fillSignIn(page, [email, password]) {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Signs a person in at an app's own page, and waits for the page that they wanted. */
export async function signedIn(page, origin, person, path = "/") {
  await page.goto(`${origin}/login?return_to=${encodeURIComponent(path)}`);
  await fillSignIn(page, person);
  await page.waitForURL((url) => url.pathname !== "/login");
  await page.getByRole("heading", { level: 1 }).first().waitFor();
}

/** Waits for what no locator shows: asks again until it holds. */
export async function soon(holds) {
  for (const end = Date.now() + patience; !(await holds()); await new Promise((done) => setTimeout(done, 20)))
    assert.ok(Date.now() < end, `never: ${holds}`);
}

/** A page follows its window in later frames, so a fault counts only if it stays. Returns what `look` finds then. */
export async function lasting(look) {
  for (const end = Date.now() + patience; ; await new Promise((done) => setTimeout(done, 20))) {
    const found = await look();
    if (found.length === 0 || Date.now() > end) return found;
  }
}

/** Nothing of a page lies beside its window. */
export async function fitsWindow(page, what) {
  const [over] = await lasting(() => page.evaluate(() => [document.documentElement.scrollWidth - innerWidth].filter((each) => each > 0)));
  assert.equal(over, undefined, `${what} scrolls sideways by ${over} px`);
}

/** All that a page reads is here. */
export const still = (page) =>
  page.waitForFunction(() => document.querySelector("main h1") && !document.querySelector("main [aria-busy=true]"));

/** The frame of a booking page is as high as what is in it. A click in a frame that still changes its height can be lost. */
export const fits = (frame, least = 0) =>
  frame.waitForFunction(
    (smallest) => innerHeight === Math.max(Math.ceil(document.querySelector("main").getBoundingClientRect().bottom + scrollY), smallest),
    least,
  );

/** A finger on a page with `hasTouch`: what it does comes from the browser, with all that follows from it, as scrolling. */
export async function fingerOf(page) {
  const client = await page.context().newCDPSession(page);
  const touch = (type, ...touchPoints) => client.send("Input.dispatchTouchEvent", { type, touchPoints });
  let at;
  return {
    down: (to) => touch("touchStart", (at = { ...to, id: 0 })),
    async to(to, steps = 6) {
      const from = at;
      for (let part = 1; part <= steps; ++part)
        await touch(
          "touchMove",
          (at = { id: 0, x: from.x + ((to.x - from.x) * part) / steps, y: from.y + ((to.y - from.y) * part) / steps }),
        );
    },
    /** Sends all of it together: a slow machine would make a swipe that begins late a held finger. */
    async swipe(from, to, steps = 6) {
      const at = (part) => ({ id: 0, x: from.x + ((to.x - from.x) * part) / steps, y: from.y + ((to.y - from.y) * part) / steps });
      const moves = Array.from({ length: steps }, (_, part) => ["touchMove", at(part + 1)]);
      await Promise.all([["touchStart", at(0)], ...moves, ["touchEnd"]].map((each) => touch(...each)));
    },
    /** Another one, beside it. */
    second: (to) => touch("touchStart", at, { ...to, id: 1 }),
    up: () => touch("touchEnd"),
    cancel: () => touch("touchCancel"),
  };
}

/** The middle of what a locator finds. */
export async function middleOf(locator) {
  const { x, y, width, height } = await locator.boundingBox();
  return { x: x + width / 2, y: y + height / 2 };
}

/** Holds a card of a board with a finger until it is lifted, and carries it over a column: at the board's edge until that has come. */
export async function carryCard(page, finger, card, column) {
  const board = await page.locator("[data-column]").first().locator("..").boundingBox();
  // Where nothing scrolls.
  const [left, right] = [board.x + 60, board.x + board.width - 60];
  await card.scrollIntoViewIfNeeded();
  await finger.down(await middleOf(card));
  await page.locator('[data-carrying="pointer"]').waitFor();
  const target = page.locator(`[data-column="${column}"]`);
  for (;;) {
    const { x, y, width, height } = await target.boundingBox();
    const [from, to] = [Math.max(left, x), Math.min(right, x + width)];
    const level = y + Math.min(140, height / 2);
    if (to - from >= 20) return finger.to({ x: (from + to) / 2, y: level });
    const edge = x > right - 20 ? board.x + board.width - 2 : board.x + 2;
    await finger.to({ x: edge, y: level });
    await page.waitForFunction(
      ([wanted, low, high]) => {
        const { left: begin, right: end } = document.querySelector(`[data-column="${wanted}"]`).getBoundingClientRect();
        return Math.min(high, end) - Math.max(low, begin) >= 20;
      },
      [column, left, right],
    );
    await finger.to({ x: (left + right) / 2, y: level });
  }
}

/** The kind of page that a path is of: the same for each record. */
export const kindOf = (path) => path.replace(/\/[a-z]+_[0-9a-z]{26}/g, "/:id");

/**
 * No violation of WCAG 2.2 A and AA or of axe's best practices in the page, or the part of it that a selector names, once nothing moves that comes to an
 * end: what fades in has its colours then.
 */
export async function accessible(page, what, part) {
  await page.waitForFunction(() =>
    document.getAnimations().every((each) => each.playState !== "running" || each.effect.getComputedTiming().endTime === Infinity),
  );
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  const { violations } = await page.evaluate(
    (within) =>
      axe.run(within ?? document, {
        resultTypes: ["violations"],
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
      }),
    part,
  );
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${what}: ${id} ${nodes.map(({ target }) => target.join(" ")).join(", ")}`),
    [],
  );
}

/** Six digits of an authenticator app (RFC 6238) at an instant in milliseconds. */
export function codeOf(secret, at = Date.now()) {
  const bits = [...secret.replace(/\s|=/g, "")]
    .map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const digest = createHmac("sha1", key).update(counter).digest();
  return String((digest.readUInt32BE(digest[19] & 15) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

/**
 * The requests and the bytes of script of a first view with an empty cache. The files that the kit prepares for the next page are left out: it asks for them from an
 * interval of 100 ms once the page is read.
 */
export async function firstView(context, url) {
  const page = await context.newPage();
  await page.addInitScript(() => {
    const start = window.setInterval.bind(window);
    window.setInterval = (work, milliseconds, ...rest) => (milliseconds === 100 ? 0 : start(work, milliseconds, ...rest));
  });
  await (await context.newCDPSession(page)).send("Network.clearBrowserCache");
  const requests = [];
  page.on("request", (request) => requests.push(request));
  await page.goto(url);
  await page.waitForFunction(() => document.querySelector("#page h1") && !document.querySelector("#page [aria-busy=true]"));
  await page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 2_000 })));
  const scripts = await Promise.all(requests.filter((request) => request.resourceType() === "script").map((request) => request.sizes()));
  const addresses = requests.map((request) => `${request.method()} ${request.url()}`);
  const view = {
    requests: requests.length,
    addresses,
    script: scripts.reduce((bytes, { responseBodySize }) => bytes + responseBodySize, 0),
  };
  await page.close();
  return view;
}

/** Targets that are smaller than 24 px (WCAG 2.5.8), as their HTML; links within a sentence are none. */
export const smallTargets = (page) =>
  page.evaluate(() => {
    const targets = [
      ...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=tab]"),
    ];
    const isSmall = ({ width, height }) => width > 2 && height > 2 && (width < 24 || height < 24);
    return targets
      .filter(
        (each) =>
          each.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
          isSmall((each.closest("label") ?? each).getBoundingClientRect()),
      )
      .map((each) => each.outerHTML.slice(0, 160));
  });
