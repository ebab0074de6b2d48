// The React package in strict mode, which mounts every component twice.
import assert from "node:assert/strict";
import { fits, startSteps } from "./browser.mjs";

const { program, screens, origin, day, shower, embedId, page: built } = JSON.parse(process.argv[2]);
const { opened, step, finish } = await startSteps({
  program,
  screens,
  suite: "react",
  // Of a frame that has just been taken away, and tells its page something.
  ignored: /'postMessage' on 'DOMWindow': The target origin/,
  options: { timezoneId: "America/New_York", locale: "en-US" },
});
const scene = (what, more = {}) => ({ what, origin, link: "ada/intro", embedId, date: day, ...more });
const frames = (page) => page.locator("iframe").count();
const inner = (page) => page.frames().find((each) => each.url().startsWith(origin));
const heard = (page) => page.evaluate(() => window.heard.map(([name]) => name));

async function around() {
  const page = await opened();
  await page.goto(`${shower}/healthz`);
  await page.setContent('<!doctype html><html lang="en"><title>Around</title><body>');
  await page.addScriptTag({ path: built, type: "module" });
  await page.waitForFunction(() => window.show);
  return page;
}

await step("one frame, which changes with its properties and goes with its component", async () => {
  const page = await around();
  // As a server rendered it.
  await page.evaluate((first) => window.hydrate("<div></div>", first), scene("inline", { lazy: false, theme: "dark", mark: "first" }));
  await page.frameLocator("iframe").locator("#slots button").first().waitFor();
  assert.equal(await frames(page), 1);
  const frame = inner(page);
  assert.equal(await frame.evaluate(() => document.documentElement.dataset.theme), "dark");
  await frame.evaluate(() => {
    window.same = true;
  });
  // Another look and another callback, and the frame is the same.
  await page.evaluate((next) => window.show(next), scene("inline", { lazy: false, mark: "second" }));
  await frame.waitForFunction(() => !document.documentElement.dataset.theme);
  await fits(frame, 480);
  await frame.locator("#slots button").last().click();
  await page.waitForFunction(() => window.heard.length > 1);
  assert.deepEqual(await heard(page), ["held second", "page held"]);
  assert.ok(await frame.evaluate(() => window.same));
  // Another page is another frame.
  await page.evaluate((next) => window.show(next), scene("inline", { link: "ada/workshop", lazy: false }));
  await page.frameLocator("iframe").getByRole("heading", { name: "Workshop" }).waitFor();
  assert.equal(await frames(page), 1);
  await page.evaluate(() => window.leave());
  assert.equal(await frames(page), 0);
});

await step("a window that goes with its button", async () => {
  const page = await around();
  await page.evaluate((first) => window.show(first), scene("popup"));
  await page.waitForFunction(() => window.BookingEmbed?.popup);
  const button = page.getByRole("button", { name: "Book" });
  await button.click();
  await page.getByRole("dialog").waitFor();
  assert.equal(await frames(page), 1);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => window.heard.some(([name]) => name === "page close"));
  assert.ok(await button.evaluate((each) => each === document.activeElement));
  await button.click();
  await page.getByRole("dialog").waitFor();
  await page.evaluate(() => window.leave());
  assert.deepEqual(
    [await frames(page), await page.locator("dialog").count(), await page.evaluate(() => document.documentElement.style.overflow)],
    [0, 0, ""],
  );
});

await step("a button in the corner, and a calendar that is not there", async () => {
  const page = await around();
  await page.evaluate((first) => window.show(first), scene("floating"));
  await page.getByRole("button", { name: "Meet Ada" }).waitFor();
  assert.equal(await page.getByRole("button").count(), 1);
  await page.evaluate(() => window.leave());
  assert.equal(await page.getByRole("button").count(), 0);
  await page.route("http://nowhere.localhost/**", (route) => route.abort());
  await page.evaluate((next) => window.show(next), scene("inline", { origin: "http://nowhere.localhost" }));
  await page.waitForFunction(() => window.heard.some(([name, { code }]) => name === "error" && code === "not_loaded"));
  assert.equal(await frames(page), 0);
});

await finish();
