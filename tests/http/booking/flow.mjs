// What guests do with the booking pages. Everything by roles and names, as they find it.
import assert from "node:assert/strict";
import { accessible, fitsWindow, startSteps } from "./browser.mjs";

const { program, screens, origin, day, later } = JSON.parse(process.argv[2]);
const { opened, step, finish } = await startSteps({
  program,
  screens,
  suite: "booking",
  options: { baseURL: origin, timezoneId: "America/New_York", locale: "en-US" },
});

/** A picture, axe, and nothing that scrolls sideways. */
async function looks(page, name) {
  await page.screenshot({ path: `${screens}/booking-${name}.png`, fullPage: true });
  await accessible(page, name);
  await fitsWindow(page, name);
}
async function fill(page, name = "Grace Hopper") {
  await page.getByLabel("Your name").fill(name);
  await page.getByLabel("E-mail", { exact: true }).fill("grace@example.org");
}
/** Sends the form of a page without scripts: who is quicker than people sends it again. */
async function sendPlain(page) {
  do await page.getByRole("button", { name: "Book this time" }).click();
  while (await page.getByText("too quickly").isVisible());
}
const times = (page) => page.locator("#slots button");

await step("a host's page, light and dark", async () => {
  const page = await opened();
  await page.goto("/");
  await looks(page, "landing");
  await page.goto("/ada");
  await looks(page, "host");
  await page.getByRole("link", { name: /Intro call/ }).click();
  await page.getByRole("heading", { name: "Intro call" }).waitFor();
});

await step("without scripts", async () => {
  const page = await opened({ javaScriptEnabled: false });
  await page.goto(`/ada/intro?date=${day}&tz=Asia/Tokyo`);
  await page.screenshot({ path: `${screens}/booking-plain.png`, fullPage: true });
  await page.getByRole("radio").nth(3).check();
  await fill(page);
  await page.screenshot({ path: `${screens}/booking-plain-details.png`, fullPage: true });
  await page.getByLabel("E-mail", { exact: true }).fill("nowhere");
  await sendPlain(page);
  assert.ok(await page.getByText("Enter a valid e-mail address.").isVisible());
  assert.equal(await page.getByLabel("Your name").inputValue(), "Grace Hopper");
  await page.screenshot({ path: `${screens}/booking-plain-fault.png`, fullPage: true });
  await page.getByLabel("E-mail", { exact: true }).fill("grace@example.org");
  await sendPlain(page);
  await page.getByRole("heading", { name: "You are booked" }).waitFor();
  assert.match(await page.locator("dl").innerText(), /Tokyo \(UTC\+9\)/);
  const own = page.url();
  await page.goto(own.replace(/token=..../, "token=none"));
  await page.getByRole("heading", { name: "Booking not found" }).waitFor();
  await page.goto(own);
  await page.setViewportSize({ width: 320, height: 640 });
  await page.getByRole("link", { name: "Choose another time" }).click();
  // Below all that is said of the booking, but in sight.
  assert.ok((await page.getByRole("heading", { name: "Choose another time" }).boundingBox()).y < 320);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.screenshot({ path: `${screens}/booking-plain-move.png`, fullPage: true });
  // The first day with a free time may have one only.
  await page.getByRole("radio").last().check();
  await page.getByRole("button", { name: "Move to this time" }).click();
  await page.getByText("Previously", { exact: true }).waitFor();
  await page.getByText("Cancel this booking").click();
  await page.getByRole("button", { name: "Cancel booking" }).click();
  await page.getByRole("heading", { name: "This booking is cancelled" }).waitFor();
  await page.screenshot({ path: `${screens}/booking-cancelled.png`, fullPage: true });
});

await step("with scripts, by keyboard, in the guest's own zone", async () => {
  const page = await opened();
  await page.goto(`/ada/intro?date=${day}`);
  await times(page).first().waitFor();
  await page.getByLabel("Time zone").locator("option:checked").filter({ hasText: "New York" }).waitFor({ state: "attached" });
  await looks(page, "desk");
  const grid = page.getByRole("grid");
  await grid.locator(`[data-date="${day}"]`).focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.date), later);
  await page.keyboard.press("Enter");
  await page.locator(`#days [data-date="${later}"][aria-current]`).waitFor();
  await page.keyboard.press("PageDown");
  await page.locator(`#days[aria-busy]`).waitFor({ state: "detached" });
  await page.keyboard.press("PageUp");
  await page
    .locator(`#days [data-date^="${later.slice(0, 7)}"]`)
    .first()
    .waitFor();
  await times(page).nth(2).focus();
  await page.keyboard.press("Enter");
  await page.locator("#held-left b").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), "details-title");
  await looks(page, "held");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Grace Hopper");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByText("This field is required.").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), "email");
  await page.keyboard.type("grace@example.org");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "You are booked" }).waitFor();
  assert.match(await page.locator("dl").innerText(), /New York/);
  await looks(page, "confirmed");
});

await step("a page opens on the first week that can be booked, in the guest's zone, without asking for the times again", async () => {
  const page = await opened();
  const asked = [];
  page.on("request", (request) => request.url().includes("/availability") && asked.push(request.url()));
  await page.goto("/ada/intro");
  await times(page).first().waitFor();
  await page.getByLabel("Time zone").locator("option:checked").filter({ hasText: "New York" }).waitFor({ state: "attached" });
  assert.ok((await page.locator("#days tbody tr").first().locator("a[data-date]").count()) > 0);
  assert.equal(
    (await times(page).allInnerTexts()).length,
    (await page.evaluate(() => [...document.querySelectorAll("#slots [data-start]")].map(({ dataset }) => dataset.start))).length,
  );
  await page.goto(`/ada/intro?date=${day}`);
  await times(page).first().waitFor();
  assert.deepEqual(asked, []);
  // A day of another month is asked for once.
  await page.getByRole("link", { name: "Next month" }).click();
  await page.locator("#days[aria-busy]").waitFor({ state: "detached" });
  assert.equal(asked.length, 1);
});

await step("a list of times that goes on below its edge fades there, and at its end shows the last one whole", async () => {
  const page = await opened();
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`/ada/intro?date=${day}`);
  await times(page).first().waitFor();
  const edge = () =>
    page.evaluate(() => {
      const list = document.getElementById("times");
      const last = document.querySelector("#slots li:last-child").getBoundingClientRect();
      const box = list.getBoundingClientRect();
      return {
        scrolls: list.scrollHeight > list.clientHeight,
        fade: getComputedStyle(list, "::after").backgroundImage,
        below: last.bottom > box.bottom,
        room: box.bottom - last.bottom,
      };
    });
  const before = await edge();
  assert.ok(before.scrolls && before.below && before.fade.includes("gradient"), JSON.stringify(before));
  await page.evaluate(() => {
    document.getElementById("times").scrollTop = 99_999;
  });
  assert.ok((await edge()).room >= 50, JSON.stringify(await edge()));
  await page.screenshot({ path: `${screens}/booking-times-end.png` });
});

await step("a browser without a known zone stays in the host's, and the page says so", async () => {
  for (const own of ["Etc/Unknown", undefined]) {
    const page = await opened();
    const faults = [];
    page.on("pageerror", (fault) => faults.push(fault.message));
    await page.addInitScript((zone) => {
      const before = Intl.DateTimeFormat.prototype.resolvedOptions;
      Intl.DateTimeFormat.prototype.resolvedOptions = function () {
        return { ...before.call(this), timeZone: zone };
      };
    }, own);
    await page.goto("/ada/intro");
    await page.getByText("The time zone of your browser is unknown.").waitFor();
    const zone = page.getByLabel("Time zone");
    assert.equal(await zone.inputValue(), await page.locator("main").getAttribute("data-zone"));
    await zone.selectOption("Asia/Tokyo");
    await page.getByText("The time zone of your browser is unknown.").waitFor({ state: "hidden" });
    await page.locator("#days[aria-busy]").waitFor({ state: "detached" });
    // The first time may be too soon a moment later.
    await times(page).last().click();
    await page.locator("#held-when").filter({ hasText: "Tokyo" }).waitFor();
    assert.deepEqual(faults, []);
  }
  // A zone that only the browser knows.
  const page = await opened();
  await page.route("**/hold", async (route) => {
    const { timeZone } = route.request().postDataJSON();
    if (timeZone !== "America/New_York") return route.continue();
    const body = {
      code: "validation_failed",
      status: 400,
      errors: [{ field: "timeZone", code: "unknown_time_zone", message: "" }],
      details: {},
    };
    return route.fulfill({ status: 400, contentType: "application/problem+json", body: JSON.stringify(body) });
  });
  await page.goto("/ada/intro");
  await times(page).last().click();
  await page.locator("#held-left b").waitFor();
  assert.notEqual(await page.getByLabel("Time zone").inputValue(), "America/New_York");
});

await step("what is typed stays over a reload, and over a change of the length", async () => {
  const page = await opened();
  const kept = (name, value) =>
    page.waitForFunction((typed) => history.state?.typed.some((each) => String(each) === typed), `${name},${value}`);
  await page.goto(`/ada/intro?date=${day}`);
  await times(page).first().click();
  await fill(page);
  await page.getByLabel("Notes for the host").fill("Two\nlines");
  await kept("notes", "Two\nlines");
  await page.reload();
  await page.getByRole("heading", { name: "Intro call" }).waitFor();
  await times(page).nth(1).click();
  assert.deepEqual(
    [await page.getByLabel("Your name").inputValue(), await page.getByLabel("Notes for the host").inputValue()],
    ["Grace Hopper", "Two\nlines"],
  );
  assert.deepEqual(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]), [0, 0, ""]);
  await page.goto(`/ada/workshop?date=${day}`);
  await times(page).first().click();
  await fill(page);
  await page.getByRole("checkbox", { name: "Friday" }).check();
  await kept("a_days", true);
  await page.getByRole("link", { name: "1 h", exact: true }).click();
  await page.waitForURL(/duration=60/);
  await times(page).first().click();
  assert.deepEqual(
    [await page.getByLabel("Your name").inputValue(), await page.getByRole("checkbox", { name: "Friday" }).isChecked()],
    ["Grace Hopper", true],
  );
  // A new visit is a new form.
  await page.goto(`/ada/intro?date=${day}`);
  await times(page).first().click();
  assert.equal(await page.getByLabel("Your name").inputValue(), "");
});

await step("a request with questions, on a dark phone", async () => {
  const page = await opened({ viewport: { width: 320, height: 640 }, colorScheme: "dark" });
  await page.goto(`/ada/workshop?date=${day}&a_topic=Engines`);
  await times(page).first().waitFor();
  await looks(page, "phone");
  await times(page).nth(1).click();
  await page.locator("#held-left b").waitFor();
  await fill(page);
  await page.getByLabel("How many of you?").selectOption("A team");
  await page.getByRole("checkbox", { name: "Friday" }).check();
  await page.getByLabel(/I have read/).check();
  await page.getByLabel(/additional guests/).fill("one@example.org");
  await looks(page, "phone-details");
  await page.getByRole("button", { name: "Request this time" }).click();
  await page.getByRole("heading", { name: "Your request is sent" }).waitFor();
  assert.match(await page.locator("dl").innerText(), /Engines/);
  await looks(page, "phone-pending");
});

await step("places that are changed just before the form is sent are booked, and refused ones are not", async () => {
  const page = await opened();
  await page.goto(`/ada/workshop?date=${day}&a_topic=Looms`);
  await times(page).nth(2).click();
  await page.locator("#held-left b").waitFor();
  await fill(page);
  await page.getByLabel(/I have read/).check();
  const places = page.getByLabel("Number of places");
  const confirmed = [];
  page.on("request", (request) => request.url().endsWith("/confirm") && confirmed.push(request.url()));
  const refused = { code: "slot_unavailable", status: 409, errors: [], details: {} };
  await page.route("**/hold", (route) =>
    route.fulfill({ status: 409, contentType: "application/problem+json", body: JSON.stringify(refused) }),
  );
  await places.fill("5");
  await places.press("Enter");
  await page.getByRole("alert").getByText("no longer available").waitFor();
  assert.deepEqual([await places.inputValue(), confirmed], ["1", []]);
  await page.unroute("**/hold");
  let answer;
  const gate = new Promise((done) => (answer = done));
  await page.route("**/hold", async (route) => {
    await gate;
    await route.continue();
  });
  const asked = page.waitForRequest("**/hold");
  await places.fill("3");
  await places.press("Enter");
  await asked;
  answer();
  await page.getByRole("heading", { name: "Your request is sent" }).waitFor();
  assert.equal(await page.locator("dt:has-text('Places') + dd").innerText(), "3");
});

await step("time runs out", async () => {
  const page = await opened();
  await page.clock.install();
  await page.goto(`/ada/intro?date=${later}`);
  await times(page).nth(8).click();
  await page.locator("#held-left b").waitFor();
  await fill(page, "Somebody slow");
  await page.clock.fastForward(121_000);
  await page.getByText("reservation has expired").waitFor();
  await page.locator("#near button").first().waitFor();
  await looks(page, "expired");
  assert.equal(await page.getByLabel("Your name").inputValue(), "Somebody slow");
  await page.locator("#near button").last().click();
  await page.locator("#held-left b").waitFor();
  await page.getByRole("button", { name: "Choose another time" }).click();
  await times(page).first().waitFor();
});

await step("in German, and what is not there", async () => {
  const page = await opened({ locale: "de-DE", timezoneId: "Europe/Berlin" });
  await page.goto("/ada/intro");
  await times(page).first().waitFor();
  await looks(page, "german");
  await page.goto("/nobody");
  await looks(page, "404");
  await page.goto("/ada/closed");
  await looks(page, "410");
});

await finish();
