// What the browser suites share: one Chromium, steps that are counted, tabs whose complaints are faults, and axe.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const axe = readFileSync(new URL("./node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/**
 * A run of steps. `opened(options)` is a tab of a new browser profile, closed after its step unless `keep`; what its console says is a fault of the
 * step, but for answers that are meant to be refusals. `finish()` prints "N passed, N failed" and exits.
 */
export async function startSteps({ program, screens, suite, keep = false, launch = {}, options: common = {} }) {
  const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox", "--disable-dev-shm-usage"], ...launch });
  mkdirSync(screens, { recursive: true });
  const complaints = [];
  let [passed, failed] = [0, 0];
  let contexts = [];

  async function opened(options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB", ...common, ...options });
    contexts.push(context);
    context.setDefaultTimeout(20_000);
    context.on("console", (message) => {
      if (["error", "warning"].includes(message.type()) && !/Failed to load resource|Permissions-Policy/.test(message.text())) complaints.push(message.text());
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
      for (const [at, tab] of contexts.flatMap((each) => each.pages()).entries()) await tab.screenshot({ path: `${screens}/${suite}-failed-${failed}-${at}.png` }).catch(() => undefined);
    }
    complaints.length = 0;
    if (keep) return;
    for (const each of contexts) await each.close();
    contexts = [];
  }

  async function finish() {
    await browser.close();
    console.log(`${passed} passed, ${failed} failed`);
    process.exit(failed ? 1 : 0);
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

/** All that a page reads is here. */
export const still = (page) => page.waitForFunction(() => document.querySelector("main h1") && !document.querySelector("main [aria-busy=true]"));

/** The kind of page that a path is of: the same for each record. */
export const kindOf = (path) => path.replace(/\/[a-z]+_[0-9a-z]{26}/g, "/:id");

/**
 * No violation of WCAG 2.2 A and AA or of axe's best practices in the page, or the part of it that a selector names, once nothing moves that comes to an
 * end: what fades in has its colours then.
 */
export async function accessible(page, what, part) {
  await page.waitForFunction(() => document.getAnimations().every((each) => each.playState !== "running" || each.effect.getComputedTiming().endTime === Infinity));
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  const { violations } = await page.evaluate((within) => axe.run(within ?? document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }), part);
  assert.deepEqual(violations.map(({ id, nodes }) => `${what}: ${id} ${nodes.map(({ target }) => target.join(" ")).join(", ")}`), []);
}

/** Six digits of an authenticator app (RFC 6238) at an instant in milliseconds. */
export function codeOf(secret, at = Date.now()) {
  const bits = [...secret.replace(/\s|=/g, "")].map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const digest = createHmac("sha1", key).update(counter).digest();
  return String((digest.readUInt32BE(digest[19] & 15) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
