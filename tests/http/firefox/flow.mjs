// A smoke of the pages in Firefox over WebDriver BiDi: flow.mjs WANTED (JSON of tests/http/firefox_pages.py). Ends in "N passed, N failed".
import assert from "node:assert/strict";
import puppeteer from "puppeteer-core";

const { program, crm, calendar, user, booking, screens } = JSON.parse(process.argv[2]);
const browser = await puppeteer.launch({
  browser: "firefox",
  executablePath: program,
  headless: true,
  defaultViewport: { width: 1280, height: 800 },
  protocolTimeout: 120_000,
});
const complaints = [];
let [passed, failed] = [0, 0];

async function opened() {
  const page = await browser.newPage();
  page.setDefaultTimeout(90_000);
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  return page;
}

async function step(name, page, work) {
  try {
    await work(page);
    assert.deepEqual(complaints, [], "the page complained");
    ++passed;
  } catch (error) {
    ++failed;
    console.log(`FAILED ${name}\n${error.stack}`);
    await page.screenshot({ path: `${screens}/firefox-failed-${failed}.png` }).catch(() => undefined);
  }
  complaints.length = 0;
}

const titled = (page, title) => page.waitForFunction((wanted) => document.querySelector("h1")?.textContent === wanted, {}, title);
const put = (answer) => answer.request().method() === "PUT" && answer.ok();
const text = (page, selector) => page.$eval(selector, (each) => each.textContent);

const page = await opened();
await step("signs in", page, async () => {
  await page.goto(`${crm}/login`);
  await page.locator("[name=identifier]").fill(user.email);
  await page.locator("#password").fill(user.password);
  await page.keyboard.press("Enter");
  await titled(page, "Dashboard");
});

await step("opens the list, and a contact of it", page, async () => {
  await page.locator('nav a[href="/contacts"]').click();
  await titled(page, "Contacts");
  await page.waitForSelector("[data-index='5']");
  const name = await text(page, "[data-index='1'] a");
  await page.locator("[data-index='1'] a").click();
  await titled(page, name);
});

await step("edits a field in place, which is kept", page, async () => {
  const department = `Compilers ${process.pid}`;
  await page.locator('[data-field="department"] button').click();
  await page.locator('[data-field="department"] input').fill(department);
  await Promise.all([page.waitForResponse(put), page.keyboard.press("Enter")]);
  await page.reload();
  await page.waitForFunction((wanted) => document.querySelector('[data-field="department"]')?.textContent.includes(wanted), {}, department);
});

await step("moves a card of the board by keyboard", page, async () => {
  await page.locator('nav a[href="/pipeline"]').click();
  const card = await page.waitForSelector("[data-column] [data-card]");
  const [id, before] = await card.evaluate((each) => [each.dataset.card, each.closest("[data-column]").dataset.column]);
  await card.focus();
  await page.keyboard.press(" ");
  // The page creates a lifted card again in its new column. The card receives keys only after it is focused there.
  const lifted = (from, elsewhere) =>
    page.waitForFunction(
      (column, moved) => {
        const focused = document.activeElement?.closest("[data-lifted=keys]");
        return focused && (focused.closest("[data-column]").dataset.column !== column) === moved;
      },
      {},
      from,
      elsewhere,
    );
  await lifted(before, false);
  await page.keyboard.press("ArrowRight");
  await lifted(before, true);
  await Promise.all([page.waitForResponse(put), page.keyboard.press("Enter")]);
  await page.waitForFunction(
    (moved, from) => ![undefined, from].includes(document.querySelector(`[data-card="${moved}"]`)?.closest("[data-column]").dataset.column),
    {},
    id,
    before,
  );
});

const guest = await opened();
await step("a guest books a time", guest, async () => {
  await guest.goto(`${calendar}${booking}`);
  // The first time may be too soon a moment later.
  await guest.locator("#slots li:last-child button").click();
  await guest.locator("#name").fill("Grace Hopper");
  await guest.locator("#email").fill("grace@example.org");
  await guest.keyboard.press("Enter");
  await titled(guest, "You are booked");
});

await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
