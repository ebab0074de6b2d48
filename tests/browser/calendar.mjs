// What hosts do with the calendar's app, step by step: calendar.mjs WANTED (JSON of tests/http/calendar_pages.py). Ends in "N passed, N failed".
import assert from "node:assert/strict";
import { accessible as accessibleOf, fillSignIn, fitsWindow, soon, startSteps } from "./browser.mjs";

const { program, origin, service, screens, people, elsewhere } = JSON.parse(process.argv[2]);
const { opened, step, finish } = await startSteps({
  program,
  screens,
  suite: "calendar",
  keep: true,
  options: { timezoneId: "Europe/Berlin" },
});

/** A tab of somebody who is signed in. */
async function signedIn(who, options = {}) {
  const tab = await opened(options);
  await tab.goto(`${origin}/login`);
  await fillSignIn(tab, people[who]);
  await tab.getByRole("heading", { level: 1 }).waitFor();
  return tab;
}

const tokens = new Map();
async function tokenOf(who) {
  if (!tokens.has(who)) {
    const body = JSON.stringify({ identifier: people[who][0], password: people[who][1], service_id: "calendar" });
    const answer = await fetch(`${service}/api/auth/login`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
    tokens.set(who, (await answer.json()).access_token);
  }
  return tokens.get(who);
}

/** Another program: of a host, or of a guest without an account. */
async function api(method, path, body, who) {
  const headers = { ...(who && { Authorization: `Bearer ${await tokenOf(who)}` }), ...(body && { "Content-Type": "application/json" }) };
  const answer = await fetch(service + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

/** A guest asks for the free time at a place of the list; the booking. */
async function guestBooks(handle, slug, place, name, answers = []) {
  const [from, to] = [Date.now(), Date.now() + 21 * 86_400_000].map((each) => new Date(each).toISOString());
  const { slots } = await api("GET", `/api/public/${handle}/${slug}/availability?from=${from}&to=${to}`);
  const hold = await api("POST", `/api/public/${handle}/${slug}/hold`, { start: slots[place].start, timeZone: "Europe/London" });
  const guest = { name, email: "guest@example.org", timeZone: "Europe/London" };
  return (await api("POST", `/api/public/${handle}/${slug}/confirm`, { holdId: hold.holdId, holdToken: hold.holdToken, guest, answers }))
    .booking;
}

const accessible = (what) => accessibleOf(page, what);
const heading = (name) => page.getByRole("heading", { level: 1, name }).waitFor();
const go = async (path, name) => {
  await page.goto(origin + path);
  await heading(name);
};
/** What a person has typed is here, and the cursor stands in it. */
const typedIn = async (field, text) =>
  assert.deepEqual(await field.evaluate((each) => [document.activeElement === each, each.value]), [true, text]);
const button = (name) => page.getByRole("button", { name, exact: true });

await step("from the first run to the first booking it takes a minute at most, by roles and names alone", async () => {
  const host = await signedIn("member");
  const began = Date.now();
  await host.getByRole("textbox", { name: /^Name/ }).fill("Grace Hopper");
  await host.getByRole("status").filter({ hasText: "This address is available." }).waitFor();
  for (const name of ["Next", "Next", "Create event type"]) await host.getByRole("button", { name, exact: true }).click();
  const address = await host.getByRole("link", { name: /\/grace-hopper\/intro-call/ }).getAttribute("href");
  const guest = await opened();
  await guest.goto(address);
  // The first time may be too soon a moment later.
  await guest
    .getByRole("button", { name: /^\d{1,2}:\d\d/ })
    .last()
    .click();
  await guest.getByRole("textbox", { name: "Your name" }).fill("Howard Aiken");
  await guest.getByRole("textbox", { name: "E-mail" }).fill("howard@example.org");
  await guest.getByRole("button", { name: "Book this time" }).click();
  await guest.getByRole("heading", { name: "You are booked" }).waitFor();
  assert.ok(Date.now() - began < 60_000, `${Date.now() - began} ms`);
});

let page = await signedIn("owner");
const asks = page.getByRole("dialog", { name: "Leave without saving?" });

await step("the first run leads to a page that can be shared, and tells taken addresses while they are typed", async () => {
  await heading("Set up your booking page");
  await page.getByLabel("Name").fill("Łukasz Ærø");
  await page.waitForFunction(() => document.querySelector("input[maxlength='40']").value === "lukasz-aero");
  await page.reload();
  await heading("Set up your booking page");
  assert.equal(await page.getByLabel("Name").inputValue(), "Łukasz Ærø");
  await page.getByLabel("Name").fill("Ada Lovelace");
  await page.getByText("This address is available.").waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Address" }).inputValue(), "ada-lovelace");
  await page.getByRole("textbox", { name: "Address" }).fill("api");
  await page.getByText("This address is taken.").waitFor();
  await accessible("a taken address");
  await page.getByRole("button", { name: "api-2" }).click();
  await page.getByText("This address is available.").waitFor();
  await page.getByRole("textbox", { name: "Address" }).fill("ada");
  await page.getByText("This address is available.").waitFor();
  await button("Next").click();
  await page.getByRole("heading", { name: "When are you available?" }).and(page.locator(":focus")).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Who can guests book?" }).waitFor();
  await button("Next").click();
  await page.getByRole("textbox", { name: "Monday" }).fill("9-lunch");
  await page.keyboard.press("Enter");
  await button("Next").click();
  await typedIn(page.getByRole("textbox", { name: "Monday" }), "9-lunch");
  await page.getByRole("textbox", { name: "Monday" }).fill("9-12, 1 pm to 5 pm");
  await page.keyboard.press("Enter");
  assert.equal(await page.getByRole("textbox", { name: "Monday" }).inputValue(), "09:00–12:00, 13:00–17:00");
  await button("Copy the hours of Monday").click();
  await page.getByRole("menuitem", { name: "Copy to all days" }).click();
  assert.equal(await page.getByRole("textbox", { name: "Sunday" }).inputValue(), "09:00–12:00, 13:00–17:00");
  await accessible("hours of the first run");
  await button("Next").click();
  await button("Create event type").click();
  await page.getByText("Your page is ready").waitFor();
  assert.equal(await page.getByRole("link", { name: /ada\/intro-call/ }).getAttribute("href"), `${origin}/ada/intro-call`);
  await page.frameLocator("iframe").getByRole("heading", { name: "Intro call" }).waitFor();
  await page.screenshot({ path: `${screens}/calendar-first.png` });
  await accessible("the end of the first run");
  await button("Done").click();
  await heading("Week");
  const { weeklyRules, timeZone } = (await api("GET", "/api/admin/schedules", null, "owner")).items[0];
  assert.deepEqual([weeklyRules.length, timeZone], [14, "Europe/Berlin"]);
});

await step("hours that are none are said and not taken, and what is drawn is added", async () => {
  await go("/app/availability", "Availability");
  const monday = page.getByRole("textbox", { name: "Monday" });
  await monday.fill("9-lunch");
  await page.keyboard.press("Enter");
  await page.getByText('"9-lunch" is not valid.').waitFor();
  await page.getByRole("textbox", { name: "Tuesday" }).fill("9-12, 13-17:30");
  await page.keyboard.press("Enter");
  await button("Save").click();
  await typedIn(monday, "9-lunch");
  await page.getByText("Not saved yet").waitFor();
  await page.getByRole("textbox", { name: "Tuesday" }).fill("9-12, 13-17");
  await page.keyboard.press("Enter");
  await page.getByText("Not saved yet").waitFor({ state: "hidden" });
  await monday.fill("");
  await page.keyboard.press("Enter");
  const bar = await page.getByRole("textbox", { name: "Monday" }).evaluate((field) => {
    const { left, top, width, height } = [...document.querySelectorAll("[class*=bar]")]
      .find((each) => Math.abs(each.getBoundingClientRect().top - field.getBoundingClientRect().top) < 30)
      .getBoundingClientRect();
    return { left, y: top + height / 2, width };
  });
  const at = (hours) => bar.left + (bar.width * hours) / 24;
  await page.mouse.move(at(9.01), bar.y);
  await page.mouse.down();
  await page.mouse.move(at(11), bar.y);
  await page.mouse.move(at(15), bar.y);
  await page.mouse.up();
  await page.waitForFunction((field) => field.value === "09:00–15:00", await monday.elementHandle());
  await page.getByLabel("Date", { exact: true }).fill("2027-12-24");
  await button("Add date").click();
  await page.getByText(/^Friday,? 24 December 2027$/).waitFor();
  await page.getByText("Year overview").click();
  await page.locator("[data-date]:focus, [data-date][tabindex='0']").first().focus();
  for (const key of ["ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
  const walked = await page.evaluate(() => document.activeElement.dataset.date);
  await page.keyboard.press("Enter");
  assert.equal(await page.getByLabel("Date", { exact: true }).inputValue(), walked);
  await accessible("the year");
  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Week" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await button("Save").click();
  await page.getByText("Office hours: saved").waitFor();
  await accessible("availability");
  const { weeklyRules, dateOverrides } = (await api("GET", "/api/admin/schedules", null, "owner")).items[0];
  assert.deepEqual(
    weeklyRules.filter(({ weekday }) => weekday === 1),
    [{ weekday: 1, start: "09:00", end: "15:00" }],
  );
  assert.deepEqual(
    dateOverrides.map(({ date, closed }) => [date, closed]),
    [["2027-12-24", true]],
  );
});

/** Saves the schedule on the page. Returns a function that lets the request go on. */
async function heldSave() {
  let answer;
  const gate = new Promise((done) => (answer = done));
  const schedule = "**/api/admin/schedules/*";
  await page.route(schedule, async (route) => {
    await gate;
    await route.continue().catch(() => undefined);
  });
  const asked = page.waitForRequest(schedule);
  await button("Save").click();
  await asked;
  return async () => (answer(), await page.unroute(schedule));
}

await step("what is changed while a schedule is saved stays", async () => {
  await go("/app/availability", "Availability");
  const name = page.getByRole("textbox", { name: "Name", exact: true });
  await name.fill("Office");
  const answer = await heldSave();
  await name.fill("Office time");
  await answer();
  await page.getByText("Office: saved").waitFor();
  assert.equal(await name.inputValue(), "Office time");
  await name.fill("Office hours");
  await button("Save").click();
  await page.getByRole("heading", { name: "Office hours" }).waitFor();
});

await step("hours that are being changed stay when another tab changes the schedule, whose other parts are taken over", async () => {
  await go("/app/availability", "Availability");
  const [friday, name] = ["Friday", "Name"].map((each) => page.getByRole("textbox", { name: each, exact: true }));
  const before = await friday.inputValue();
  await friday.fill("10-11");
  await page.keyboard.press("Enter");
  const [{ scheduleId, weeklyRules }] = (await api("GET", "/api/admin/schedules", null, "owner")).items;
  await api("PUT", `/api/admin/schedules/${scheduleId}`, { name: "Their hours" }, "owner");
  await page.getByRole("heading", { name: "Their hours" }).waitFor();
  assert.deepEqual([await friday.inputValue(), await name.inputValue()], ["10:00–11:00", "Their hours"]);
  await api("PUT", `/api/admin/schedules/${scheduleId}`, { name: "Office hours", weeklyRules: weeklyRules.slice(1) }, "owner");
  await page.getByText("Another user changed these hours.").waitFor();
  assert.equal(await friday.inputValue(), "10:00–11:00");
  await accessible("hours of two");
  await api("PUT", `/api/admin/schedules/${scheduleId}`, { weeklyRules }, "owner");
  await button("Discard changes").click();
  await page.waitForFunction(([field, wanted]) => field.value === wanted, [await friday.elementHandle(), before]);
});

await step("hours that another user changes during a save are not replaced without a warning", async () => {
  const [{ scheduleId, name, weeklyRules }] = (await api("GET", "/api/admin/schedules", null, "owner")).items;
  const theirs = (body) => api("PUT", `/api/admin/schedules/${scheduleId}`, body, "owner");
  await go("/app/availability", "Availability");
  const friday = page.getByRole("textbox", { name: "Friday", exact: true });
  await friday.fill("10-11");
  await page.keyboard.press("Enter");
  const answer = await heldSave();
  await theirs({ name: "Their hours", weeklyRules: weeklyRules.slice(1) });
  await page.getByRole("heading", { name: "Their hours" }).waitFor();
  await answer();
  await page.getByText("Another user changed these hours.").waitFor();
  assert.equal(await friday.inputValue(), "10:00–11:00");
  await theirs({ name, weeklyRules });
  await button("Discard changes").click();
  await page.getByRole("heading", { name }).waitFor();
});

await step("another schedule is made by keyboard, as a copy, and deleted", async () => {
  await button("New schedule").click();
  await page.keyboard.type("Summer");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Summer" }).waitFor();
  const [tuesday] = (await api("GET", "/api/admin/schedules", null, "owner")).items.map(({ weeklyRules }) =>
    weeklyRules.filter(({ weekday }) => weekday === 2),
  );
  assert.equal(
    await page.getByRole("textbox", { name: "Tuesday" }).inputValue(),
    tuesday.map(({ start, end }) => `${start}–${end}`).join(", "),
  );
  await accessible("several schedules");
  await button("Delete schedule").click();
  await page.getByRole("dialog", { name: "Delete Summer?" }).getByRole("button", { name: "Delete schedule" }).click();
  await page.getByRole("heading", { name: "Office hours" }).waitFor();
});

await step("why a time is not free is said in words", async () => {
  await page.getByLabel("Date and time").fill("2027-12-24T10:00");
  await page.getByText("It is outside of your hours.").waitFor();
});

await step("the times are shown as a guest in another zone sees them", async () => {
  const zone = page.getByRole("combobox", { name: "The guest's time zone" });
  await zone.fill("Atlantis");
  await page.getByText("No matching time zone.").waitFor();
  await zone.fill("america/new_york");
  await page.getByRole("option", { name: "America/New York" }).waitFor();
  await zone.fill("Asia/Tokyo");
  await page.getByRole("option", { name: "Asia/Tokyo" }).click();
  await page.frameLocator("iframe[title='Your times in Asia/Tokyo']").getByRole("combobox").filter({ hasText: "Tokyo" }).waitFor();
  await accessible("a page elsewhere");
});

await step("an event type is made, asked for approval and a question, and switched off", async () => {
  await go("/app/event-types/new", "New event type");
  await page.getByRole("textbox", { name: /^Name/ }).fill("Design review");
  await page.getByRole("textbox", { name: /^Duration/ }).fill("3");
  await button("Create event type").click();
  await page.getByText("At least 5").waitFor();
  await page.getByRole("textbox", { name: /^Duration/ }).fill("60");
  await button("Create event type").click();
  await heading("Design review");
  await button("Change Approval and limits").click();
  await page.getByLabel("Require my approval").check();
  await button("Save").click();
  await page.getByText("Approval and limits: saved").waitFor();
  await page.frameLocator("iframe").getByText("Ada Lovelace confirms each request").waitFor();
  await button("Add question").click();
  await page.getByRole("textbox", { name: /^Question/ }).fill("What is it about?");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Change What is it about?" }).waitFor();
  await button("Remove What is it about?").click();
  await page.getByRole("dialog", { name: 'Remove "What is it about?"?' }).getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Change What is it about?" }).waitFor();
  await button("Change Length and times").click();
  await page.getByRole("textbox", { name: "Minimum notice (minutes)" }).fill("1530");
  await page.getByText("(1 day, 1 hour and 30 minutes)").waitFor();
  await page.getByRole("region", { name: "Length and times" }).getByRole("button", { name: "Cancel" }).click();
  await accessible("an event type");
  const [{ eventTypeId }] = (await api("GET", "/api/admin/event-types", null, "owner")).items.filter(
    ({ slug }) => slug === "design-review",
  );
  await button("Change Name and address").click();
  await page.getByLabel("Description").fill("What they say of it");
  await api(
    "PUT",
    `/api/admin/event-types/${eventTypeId}`,
    { title: "Review of designs", slug: "review", visibility: "unlisted" },
    "owner",
  );
  await heading("Review of designs");
  await button("Save").click();
  await page.getByText("Name and address: saved").waitFor();
  const { title, description } = await api("GET", `/api/admin/event-types/${eventTypeId}`, null, "owner");
  assert.deepEqual([title, description], ["Review of designs", "What they say of it"]);
  await go("/app/event-types", "Event types");
  const review = page.getByRole("switch", { name: "Review of designs is bookable" });
  for (const visibility of ["disabled", "unlisted"]) {
    await review.click();
    await soon(async () => (await api("GET", `/api/admin/event-types/${eventTypeId}`, null, "owner")).visibility === visibility);
    await page.waitForFunction(
      ([each, wanted]) => each.checked === wanted && !each.disabled,
      [await review.elementHandle(), visibility !== "disabled"],
    );
  }
  await api("PUT", `/api/admin/event-types/${eventTypeId}`, { title: "Design review", visibility: "public" }, "owner");
  const on = page.getByRole("switch", { name: "Intro call is bookable" });
  await on.click();
  await page.getByText("Off", { exact: true }).waitFor();
  await on.click();
  await page.getByText("Off", { exact: true }).waitFor({ state: "hidden" });
  await accessible("event types");
});

await step("an event type is embedded: seen as others would show it, a code made for a page, and revoked", async () => {
  await page.getByRole("link", { name: "Embed Intro call in a page" }).click();
  await heading("Embed");
  await page.getByText("No codes yet").waitFor();
  await button("Pop-up").click();
  const preview = page.frameLocator("iframe");
  await preview.getByRole("button", { name: "Book a time" }).click();
  await preview.frameLocator("iframe").getByRole("heading", { name: "Intro call" }).waitFor();
  await accessible("how it is shown elsewhere");
  await page.screenshot({ path: `${screens}/calendar-embed.png` });
  await button("New code").click();
  const dialog = page.getByRole("dialog", { name: "New code" });
  await dialog.getByRole("combobox", { name: /^Allowed sites/ }).fill("https://evil.example");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Create code" }).click();
  await dialog.getByText("The operator of this server has to allow this site first").waitFor();
  await dialog.getByRole("combobox", { name: /^Allowed sites/ }).press("Backspace");
  await dialog.getByRole("combobox", { name: /^Allowed sites/ }).fill(`${origin.replace("calendar.", "crm.")}/contact?from=there`);
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Create code" }).click();
  const code = page.getByRole("textbox", { name: /^the code for crm/ });
  await code.waitFor();
  const [{ embedId, mode, origins }] = (await api("GET", "/api/admin/embed", null, "owner")).items;
  assert.deepEqual(origins, [origin.replace("calendar.", "crm.")]);
  assert.deepEqual(
    [mode, (await code.textContent()).includes(`data-booking-link="ada/intro-call" data-embed-id="${embedId}"`)],
    ["popup", true],
  );
  await accessible("a code");
  await page.getByRole("button", { name: /^Revoke the code for crm/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("revoked", { exact: true }).waitFor();
});

await step("a request comes while the page is open, and is approved by keyboard", async () => {
  await go("/app/requests", "Requests");
  await page.getByText("No requests").waitFor();
  await accessible("no requests");
  await guestBooks("ada", "review", 8, "Grace Hopper", [{ questionId: "q1", value: "The page" }]);
  await guestBooks("ada", "review", 12, "Alan Turing", [{ questionId: "q1", value: "Machines" }]);
  await guestBooks("ada", "review", 2, "Blaise Pascal", [{ questionId: "q1", value: "The page" }]);
  for (const name of ["Alan Turing", "Blaise Pascal"]) await page.getByRole("link", { name }).waitFor();
  await page.getByRole("definition").filter({ hasText: "Machines" }).waitFor();
  await accessible("requests");
  await page.screenshot({ path: `${screens}/calendar-requests.png` });
  const [{ scheduleId, weeklyRules }] = (await api("GET", "/api/admin/schedules", null, "owner")).items;
  await api("PUT", `/api/admin/schedules/${scheduleId}`, { weeklyRules: [] }, "owner");
  await go("/app", "Week");
  await page.getByRole("link", { name: "3 pending requests" }).click();
  await page.getByText("It is outside of your hours.").first().waitFor();
  await accessible("requests outside of the hours");
  await api("PUT", `/api/admin/schedules/${scheduleId}`, { weeklyRules }, "owner");
  // The first one is left for later.
  const focused = (name) => page.getByRole("listitem").filter({ hasText: name }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await focused("Grace Hopper");
  await page.keyboard.down("a");
  await page.getByText("Confirmed. Grace Hopper was notified.").waitFor();
  await page.getByRole("link", { name: "Grace Hopper" }).waitFor({ state: "hidden" });
  await focused("Alan Turing");
  // A key that is still down, and one while no request has the focus.
  await page.keyboard.down("a");
  await page.keyboard.up("a");
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("a");
  for (const name of ["Blaise Pascal", "Alan Turing"]) {
    await page.keyboard.press("ArrowDown");
    await focused(name);
    await page.keyboard.press("d");
    await page.getByLabel("Reason").fill("Not this week");
    await page.getByRole("dialog").getByRole("button", { name: "Decline" }).click();
    await page.getByRole("link", { name }).waitFor({ state: "hidden" });
    await page.getByRole("heading", { level: 1 }).click();
  }
  await page.getByText("No requests").waitFor();
  const { items } = await api(
    "GET",
    `/api/admin/bookings?from=${new Date(Date.now() - 86_400_000).toISOString()}&to=${new Date(Date.now() + 30 * 86_400_000).toISOString()}`,
    null,
    "owner",
  );
  assert.deepEqual(
    items.map(({ guest, status }) => [guest.name, status]),
    [
      ["Blaise Pascal", "declined"],
      ["Grace Hopper", "confirmed"],
      ["Alan Turing", "declined"],
    ],
  );
});

await step("a key decides no request that got the focus because the one before was decided elsewhere", async () => {
  const answers = [{ questionId: "q1", value: "The page" }];
  const { bookingId } = await guestBooks("ada", "review", 2, "Emmy Noether", answers);
  await guestBooks("ada", "review", 6, "David Hilbert", answers);
  await go("/app/requests", "Requests");
  await page.getByRole("link", { name: "David Hilbert" }).waitFor();
  const focused = (name) => page.getByRole("listitem").filter({ hasText: name }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("ArrowDown");
  await focused("Emmy Noether");
  await api("POST", `/api/admin/bookings/${bookingId}/decline`, { reason: "" }, "owner");
  await focused("David Hilbert");
  await page.keyboard.press("a");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("d");
  const dialog = page.getByRole("dialog", { name: "Decline David Hilbert" });
  await dialog.getByRole("button", { name: "Decline" }).click();
  await page.getByText("No requests").waitFor();
});

await step("a booking is opened from the week, moved, and cancelled", async () => {
  const { start } = (
    await api("GET", `/api/admin/bookings?status=confirmed&to=${new Date(Date.now() + 30 * 86_400_000).toISOString()}`, null, "owner")
  ).items[0];
  await go(`/app?week=${start.slice(0, 10)}`, "Week");
  await page.getByRole("link", { name: /^Grace Hopper .*Design review ?, confirmed$/ }).waitFor();
  await accessible("a week");
  await page.screenshot({ path: `${screens}/calendar-week.png` });
  await page.getByRole("link", { name: /^Grace Hopper/ }).click();
  const panel = page.getByRole("dialog", { name: "Booking" });
  await panel.getByText("The page").waitFor();
  await accessible("a booking");
  await panel.getByRole("button", { name: "Reschedule" }).click();
  const times = page.getByRole("dialog", { name: "Reschedule with Grace Hopper" });
  await times.getByRole("radio").nth(3).check();
  await accessible("free times");
  await times.getByRole("button", { name: "Confirm new time" }).click();
  await page.getByText("Grace Hopper was notified of the new time").waitFor();
  await panel.getByText("Rescheduled by the host").waitFor();
  await panel
    .getByText(/, \d\d:\d\d–\d\d:\d\d \S+$/)
    .first()
    .waitFor();
  await panel.getByLabel("Your note").fill("Bring the plans");
  await panel.getByRole("button", { name: "Save note" }).click();
  await page.getByText("Note saved").waitFor();
  await panel.getByRole("button", { name: "Cancel booking" }).click();
  const cancel = page.getByRole("dialog", { name: "Cancel with Grace Hopper" });
  // Beside what is told, which stands over the dialog.
  assert.deepEqual(
    await cancel.locator("button:not([data-over] *)").evaluateAll((all) => all.map((each) => each.ariaLabel ?? each.textContent)),
    ["Close", "Cancel booking"],
  );
  await cancel.getByRole("button", { name: "Cancel booking" }).click();
  await panel.getByText("Cancelled by the host").waitFor();
});

await step("the host books for a guest", async () => {
  const types = (await api("GET", "/api/admin/event-types", null, "owner")).items;
  await api(
    "PUT",
    `/api/admin/event-types/${types.find(({ slug }) => slug === "intro-call").eventTypeId}`,
    { meetingKind: "external_link", meetingDetails: "https://meet.example/ada" },
    "owner",
  );
  await go("/app", "Week");
  await button("New booking").click();
  const panel = page.getByRole("dialog", { name: "New booking" });
  await panel.getByRole("button", { name: "Later" }).click();
  // Arrows walk over the times before one is taken.
  await panel.getByRole("radio").first().focus();
  for (const key of [" ", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp"]) await page.keyboard.press(key);
  await panel.getByRole("radio", { checked: true }).first().waitFor();
  await panel.getByRole("button", { name: "Next" }).click();
  await panel.getByRole("textbox", { name: /^Guest/ }).fill("Edsger Dijkstra");
  await page.keyboard.press("Escape");
  await button("New booking").click();
  await panel.getByRole("button", { name: "Later" }).click();
  await panel.getByRole("radio").first().check();
  await panel.getByRole("button", { name: "Next" }).click();
  assert.equal(await panel.getByRole("textbox", { name: /^Guest/ }).inputValue(), "Edsger Dijkstra");
  await panel.getByLabel("E-mail").fill("edsger@example.org");
  await panel.getByRole("button", { name: "Book", exact: true }).click();
  await panel.waitFor({ state: "hidden" });
  const { items } = await api(
    "GET",
    `/api/admin/bookings?q=edsger&to=${new Date(Date.now() + 60 * 86_400_000).toISOString()}`,
    null,
    "owner",
  );
  assert.deepEqual(
    items.map(({ source }) => source),
    ["admin"],
  );
  await go(`/app?week=${items[0].start.slice(0, 10)}&booking=${items[0].bookingId}`, "Week");
  const opened = page.getByRole("dialog", { name: "Booking" });
  assert.equal(await opened.getByRole("link", { name: "https://meet.example/ada" }).getAttribute("rel"), "noopener noreferrer");
  // Their clocks show the same.
  assert.equal(await opened.getByText("Time for the guest").count(), 0);
});

await step("the host books another length, at a time that guests cannot choose", async () => {
  const { eventTypeId } = (await api("GET", "/api/admin/event-types", null, "owner")).items.find(({ slug }) => slug === "intro-call");
  await api("PUT", `/api/admin/event-types/${eventTypeId}`, { durationOptions: [45] }, "owner");
  await go("/app", "Week");
  await button("New booking").click();
  const panel = page.getByRole("dialog", { name: "New booking" });
  await panel.getByRole("combobox", { name: "Event type" }).click();
  await page.getByRole("listbox").getByRole("option", { name: "Intro call" }).click();
  await panel.getByRole("combobox", { name: "Duration (minutes)" }).click();
  await page.getByRole("option", { name: "45" }).click();
  await panel.getByText("A time outside of your hours").click();
  // The night of the day after tomorrow.
  const night = `${new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)}T03:07`;
  await panel.getByLabel("Date and time").fill(night);
  await panel.getByRole("button", { name: "Use this time" }).click();
  await panel.getByRole("textbox", { name: /^Guest/ }).fill("Radia Perlman");
  await panel.getByLabel("E-mail").fill("radia@example.org");
  await panel.getByRole("button", { name: "Book", exact: true }).click();
  await panel.waitFor({ state: "hidden" });
  const [{ bookingId, start, end }] = (
    await api("GET", `/api/admin/bookings?q=radia&to=${new Date(Date.now() + 60 * 86_400_000).toISOString()}`, null, "owner")
  ).items;
  assert.deepEqual([(Date.parse(end) - Date.parse(start)) / 60_000, start.slice(14, 16)], [45, "07"]);
  await api("POST", `/api/admin/bookings/${bookingId}/cancel`, {}, "owner");
  await api("PUT", `/api/admin/event-types/${eventTypeId}`, { durationOptions: [] }, "owner");
});

await step("the host answers for a guest what has to be answered", async () => {
  const { eventTypeId } = (await api("GET", "/api/admin/event-types", null, "owner")).items.find(({ slug }) => slug === "review");
  const questions = [
    { questionId: "q1", label: "What is it about?", type: "select", required: true, options: ["The page", "Machines"] },
    { questionId: "q2", label: "It is urgent", type: "checkbox" },
  ];
  await api("PUT", `/api/admin/event-types/${eventTypeId}`, { questions, meetingKind: "phone" }, "owner");
  await go("/app", "Week");
  await button("New booking").click();
  const panel = page.getByRole("dialog", { name: "New booking" });
  await panel.getByRole("combobox", { name: "Event type" }).click();
  await page.getByRole("listbox").getByRole("option", { name: "Design review" }).click();
  await panel.getByRole("button", { name: "Later" }).click();
  await panel.getByRole("radio").first().check();
  await panel.getByRole("button", { name: "Next" }).click();
  await panel.getByRole("textbox", { name: /^Guest/ }).fill("Barbara Liskov");
  await panel.getByLabel("E-mail").fill("barbara@example.org");
  await panel.getByLabel("Phone").fill("+1 555 0100");
  await panel.getByLabel("It is urgent").check();
  await panel.getByRole("button", { name: "Book", exact: true }).click();
  const question = panel.getByRole("combobox", { name: /^What is it about/ });
  await question.and(page.locator("[aria-invalid=true]")).waitFor();
  await question.click();
  await page.getByRole("option", { name: "Machines" }).click();
  await accessible("a booking with answers");
  await panel.getByRole("button", { name: "Book", exact: true }).click();
  await panel.waitFor({ state: "hidden" });
  const [{ bookingId, answers, guest }] = (
    await api("GET", `/api/admin/bookings?q=liskov&to=${new Date(Date.now() + 60 * 86_400_000).toISOString()}`, null, "owner")
  ).items;
  assert.deepEqual(
    [answers, guest.phone],
    [
      [
        { questionId: "q1", value: "Machines" },
        { questionId: "q2", value: true },
      ],
      "+1 555 0100",
    ],
  );
  await api("POST", `/api/admin/bookings/${bookingId}/cancel`, {}, "owner");
  await api("PUT", `/api/admin/event-types/${eventTypeId}`, { questions: questions.slice(1), meetingKind: "none" }, "owner");
});

await step("a guest who did not come is noted, and came after all", async () => {
  const [{ eventTypeId }] = (await api("GET", "/api/admin/event-types", null, "owner")).items;
  const start = new Date(Date.now() + 2_000).toISOString();
  const { bookingId } = await api(
    "POST",
    "/api/admin/bookings",
    { eventTypeId, start, override: true, guest: { name: "Kurt Gödel", email: "kurt@example.org", timeZone: "Europe/Vienna" } },
    "owner",
  );
  await page.waitForFunction((begins) => Date.now() > begins, Date.parse(start));
  await go(`/app/bookings/${bookingId}`, "Booking");
  await button("Mark as no-show").click();
  await page.getByText("Kurt Gödel marked as no-show").waitFor();
  await accessible("a guest who did not come");
  const history = page.getByRole("listitem");
  await history.filter({ hasText: "Guest did not attend" }).waitFor();
  await button("Undo no-show").click();
  await button("Mark as no-show").waitFor();
  await history.filter({ hasText: "No-show undone" }).waitFor();
  await api("POST", `/api/admin/bookings/${bookingId}/cancel`, {}, "owner");
});

await step("a booking is carried to a free time of the week, and moved when the host says so", async () => {
  const all = `/api/admin/bookings?q=edsger&to=${new Date(Date.now() + 60 * 86_400_000).toISOString()}`;
  const { start } = (await api("GET", all, null, "owner")).items[0];
  await go(`/app?week=${start.slice(0, 10)}`, "Week");
  const booking = page.getByRole("link", { name: /^Edsger Dijkstra/ });
  await booking.scrollIntoViewIfNeeded();
  const box = await booking.boundingBox();
  await page.mouse.move(box.x + 20, box.y + 6);
  await page.mouse.down();
  await page.mouse.move(box.x + 30, box.y + 40);
  const lit = page.locator("[data-carries] [class*=target]");
  // Free times are asked for once something is carried: wherever it is then, one is near.
  let down = 60;
  await soon(async () => {
    await page.mouse.move(box.x + 30, box.y + down);
    down = down > 200 ? 60 : down + 20;
    return lit.count();
  });
  await page.screenshot({ path: `${screens}/calendar-carried.png` });
  await page.keyboard.press("Escape");
  await lit.waitFor({ state: "hidden" });
  await page.mouse.up();
  assert.equal((await api("GET", all, null, "owner")).items[0].start, start);
  await page.mouse.move(box.x + 20, box.y + 6);
  await page.mouse.down();
  for (down = 20; down <= 160; down += 20) await page.mouse.move(box.x + 30, box.y + down, { steps: 3 });
  await lit.waitFor();
  await page.mouse.up();
  await page.getByRole("dialog", { name: "Reschedule with Edsger Dijkstra" }).getByRole("button", { name: "Confirm new time" }).click();
  await page.getByText("Edsger Dijkstra was notified of the new time").waitFor();
  assert.notEqual((await api("GET", all, null, "owner")).items[0].start, start);
});

await step("a click on a free time of the week begins a booking there", async () => {
  const { items } = await api(
    "GET",
    `/api/admin/bookings?q=edsger&to=${new Date(Date.now() + 60 * 86_400_000).toISOString()}`,
    null,
    "owner",
  );
  await go(`/app?week=${items[0].start.slice(0, 10)}`, "Week");
  await page.getByRole("combobox", { name: "Free for" }).selectOption("Design review");
  const free = page.locator("[class*=free]").last();
  await free.waitFor();
  await free.click({ position: { x: 20, y: 50 } });
  const panel = page.getByRole("dialog", { name: "New booking" });
  await panel.getByRole("button", { name: "Another time" }).waitFor();
  await accessible("a free time");
  await page.keyboard.press("Escape");
});

await step("hours that are not worked are shaded, and the next booking is one click away", async () => {
  const [from, to] = [Date.now(), Date.now() + 60 * 86_400_000].map((each) => new Date(each).toISOString());
  const items = (await api("GET", `/api/admin/bookings?from=${from}&to=${to}`, null, "owner")).items.filter(({ status }) =>
    ["pending", "confirmed"].includes(status),
  );
  items.sort((a, b) => a.start.localeCompare(b.start));
  const day = items[0].start.slice(0, 10);
  await go("/app?week=2028-03-01", "Week");
  // Seven days have hours that are not worked.
  await page.waitForFunction(
    () => new Set([...document.querySelectorAll("[class*=outside]")].map((each) => each.parentElement)).size === 7,
  );
  await page.getByRole("link", { name: /^Next booking: / }).click();
  await page.waitForURL(new RegExp(`week=${day}`));
  await page
    .getByRole("link", { name: new RegExp(items[0].guest.name) })
    .first()
    .waitFor();
  assert.equal(await page.getByRole("link", { name: /^Next booking: / }).count(), 0);
});

await step("the second zone is right on the day of a clock change, too", async () => {
  await api("PUT", "/api/admin/host", { weekStart: 1 }, "owner");
  await go("/app?week=2027-03-24", "Week");
  const zone = page.getByRole("combobox", { name: "Second time zone" });
  await zone.fill("America/New_York");
  await page.getByRole("option", { name: "America/New York" }).click();
  const day = (name) => page.getByRole("list", { name });
  // Berlin's clock goes forward on that Sunday, New York's has before: nine is four, and three on that day.
  await page.getByText("New York", { exact: true }).waitFor();
  assert.match(await day(/^Sunday,? 28 March$/).innerText(), /^\W*02:00\s+03:00\s+04:00/);
  assert.doesNotMatch(await day(/^Saturday,? 27 March$/).innerText(), /\d/);
  await page.screenshot({ path: `${screens}/calendar-clock-change.png` });
  await accessible("a week with two zones");
  await page
    .getByRole("button", { name: "Clear" })
    .or(page.locator(".mantine-Select-section button, .mantine-InputClearButton-root"))
    .first()
    .click();
});

await step("a booking over midnight stands on both of its days, also where a week ends between them", async () => {
  const [{ eventTypeId }] = (await api("GET", "/api/admin/event-types", null, "owner")).items;
  const guest = { name: "Night Owl", email: "owl@example.org", timeZone: "Europe/Berlin" };
  const { bookingId } = await api(
    "POST",
    "/api/admin/bookings",
    { eventTypeId, start: "2027-03-21T22:45:00Z", guest, override: true },
    "owner",
  );
  for (const [week, day] of [
    ["2027-03-15", /^Sunday,? 21 March$/],
    ["2027-03-22", /^Monday,? 22 March$/],
  ]) {
    await go(`/app?week=${week}`, "Week");
    await page
      .getByRole("list", { name: day })
      .getByRole("link", { name: /Night Owl/ })
      .waitFor();
  }
  await api("POST", `/api/admin/bookings/${bookingId}/cancel`, {}, "owner");
});

await step("bookings that new hours leave out are named, and stay", async () => {
  await go("/app/availability", "Availability");
  for (const day of ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]) {
    await page.getByRole("textbox", { name: day }).fill("22-23");
    await page.keyboard.press("Enter");
  }
  await button("Save").click();
  await page.getByText("One booking is outside of the new hours").waitFor();
  await page.getByRole("alert").getByRole("link", { name: "Edsger Dijkstra" }).click();
  await heading("Booking");
  await page.getByText("confirmed", { exact: true }).waitFor();
});

await step("a calendar elsewhere is connected, read, refused and removed", async () => {
  await go("/app/calendars", "Calendars");
  await page.getByText("No connected calendars").waitFor();
  await accessible("no calendars");
  await button("Connect a calendar").first().click();
  await page.getByText("Microsoft is not set up on this server.").waitFor();
  await page.getByRole("button", { name: /^CalDAV account/ }).click();
  const panel = page.getByRole("dialog", { name: "Connect a CalDAV account" });
  await panel.getByLabel("Address").fill("http://127.0.0.1:1/");
  await panel.getByLabel("User name").fill(elsewhere.username);
  await panel.getByLabel("App password").fill("wrong");
  await panel.getByLabel("App password").press("Enter");
  await panel.getByText(/^Step 1 of 3/).waitFor();
  await accessible("a step that failed");
  await panel.getByLabel("Address").fill(elsewhere.url);
  await panel.getByLabel("App password").press("Enter");
  await panel.getByText(/refused the user name and password/).waitFor();
  await panel.getByLabel("App password").fill(elsewhere.password);
  await panel.getByLabel("App password").press("Enter");
  await panel.getByText("2 calendars found at").waitFor();
  // What was typed to get here is not lost by a key.
  for (const back of [false, true]) {
    if (back) await panel.getByRole("button", { name: "Back" }).click();
    await page.keyboard.press("Escape");
    await asks.getByRole("button", { name: "Keep editing" }).click();
    if (back) assert.equal(await panel.getByLabel("App password").inputValue(), elsewhere.password);
  }
  await page.mouse.click(40, 400);
  await asks.waitFor();
  await page.keyboard.press("Escape");
  await asks.waitFor({ state: "hidden" });
  await panel.getByLabel("App password").press("Enter");
  await panel.getByText("2 calendars found at").waitFor();
  await panel.getByLabel("Name").fill("Nextcloud");
  await panel.getByLabel("Family").uncheck();
  await panel.getByRole("combobox", { name: "Bookings are added to" }).click();
  await page.getByRole("option", { name: "Work" }).click();
  await accessible("the calendars of an account");
  await panel.getByRole("button", { name: "Connect" }).click();
  const card = page.getByRole("region", { name: "Nextcloud" });
  await card.getByText("up to date").waitFor();
  await accessible("a calendar");
  await page.screenshot({ path: `${screens}/calendar-calendars.png` });
  const [{ calendarId, selectedCollections, writeTarget, direction }] = (await api("GET", "/api/admin/external-calendars", null, "owner"))
    .items;
  assert.deepEqual([selectedCollections, direction], [[writeTarget], "busy_and_write"]);
  await card.getByRole("button", { name: "Change Nextcloud" }).click();
  const change = page.getByRole("dialog", { name: "Change Nextcloud" });
  // Nothing is changed: nothing is asked.
  await change.getByLabel("Family").waitFor();
  await page.keyboard.press("Escape");
  await change.waitFor({ state: "hidden" });
  await card.getByRole("button", { name: "Change Nextcloud" }).click();
  await change.getByLabel("Family").check();
  await change.getByRole("button", { name: "Save" }).click();
  await card.getByText("2 calendars").waitFor();
  // What is busy there stands in the week, and says so where a host clicks on it.
  const day = new Date(Date.now() + 14 * 86_400_000).toISOString().slice(0, 10);
  const event = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//test//EN",
    "BEGIN:VEVENT",
    "UID:dentist",
    "DTSTAMP:20260101T000000Z",
    `DTSTART:${day.replaceAll("-", "")}T100000Z`,
    "DURATION:PT2H",
    "SUMMARY:Dentist",
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
  const put = await fetch(new URL("dentist.ics", writeTarget), {
    method: "PUT",
    headers: { Authorization: `Basic ${btoa(`${elsewhere.username}:${elsewhere.password}`)}`, "Content-Type": "text/calendar" },
    body: event,
  });
  assert.equal(put.status, 201);
  await card.getByRole("button", { name: "Sync now: Nextcloud" }).click();
  await card.getByText(/, 1 event$/).waitFor();
  await go(`/app?week=${day}`, "Week");
  const busy = page.getByRole("listitem").filter({ hasText: "busy in another calendar" });
  // At its upper end: a booking stands in the middle of it.
  await busy.click({ position: { x: 20, y: 8 } });
  const why = page.getByRole("dialog", { name: "Is this time available?" });
  await why.getByText("Another calendar has an event at this time.").waitFor();
  await accessible("a busy week");
  await page.screenshot({ path: `${screens}/calendar-busy.png` });
  await go("/app/calendars", "Calendars");
  await page.getByRole("radio", { name: /^They cannot book/ }).check();
  await page.getByText("Settings saved").waitFor();
  await api("PUT", `/api/admin/external-calendars/${calendarId}`, { password: "wrong" }, "owner");
  await card.getByRole("button", { name: "Sync now: Nextcloud" }).click();
  await card.getByText("The account rejected the password.").waitFor();
  await accessible("a calendar that refuses");
  await card.getByText("refused the user name and password (401).").waitFor();
  for (const [locale, words] of [
    ["de", "Der Server hat Benutzername und Passwort abgelehnt (401)."],
    ["en", "the server refused the user name"],
  ]) {
    await api("PATCH", "/api/auth/me", { locale }, "owner");
    await page.reload();
    await card.getByText(words).waitFor();
  }
  await card.getByRole("button", { name: "Remove Nextcloud" }).click();
  await page.getByRole("dialog", { name: "Remove Nextcloud?" }).getByRole("button", { name: "Remove" }).click();
  await page.getByText("No connected calendars").waitFor();
});

await step("a calendar at Google is allowed there, and says so where it is not", async () => {
  await page.route("https://accounts.google.com/**", (route) => route.fulfill({ contentType: "text/html", body: "<h1>Allow it?</h1>" }));
  await button("Connect a calendar").first().click();
  await page.getByRole("button", { name: /^Google/ }).click();
  await heading("Allow it?");
  await go("/app/calendars?connectError=denied", "Calendars");
  await page.getByText("Access was denied at the other service.").waitFor();
  await button("Allow access at Google").waitFor();
  await accessible("a calendar that is not allowed yet");
  const [{ calendarId }] = (await api("GET", "/api/admin/external-calendars", null, "owner")).items;
  await api("DELETE", `/api/admin/external-calendars/${calendarId}`, null, "owner");
});

await step("settings pause the page, and say what was saved", async () => {
  await go("/app/settings", "Settings");
  await page.getByLabel("Headline").fill("Analytical engines");
  await api("PUT", "/api/admin/host", { bio: "From another tab" }, "owner");
  await page.frameLocator("iframe").getByText("From another tab").waitFor();
  assert.deepEqual(
    [await page.getByLabel("Headline").inputValue(), await page.getByLabel("About you").inputValue()],
    ["Analytical engines", "From another tab"],
  );
  await page.getByRole("region", { name: "Profile" }).getByRole("button", { name: "Save" }).click();
  await page.getByText("Settings saved").waitFor();
  await page.frameLocator("iframe").getByText("Analytical engines").waitFor();
  await page.getByRole("textbox", { name: "Colour", exact: true }).fill("#ffe000");
  await page.getByText(/^Adjusted to #[0-9a-f]{6} in light theme for readability$/).waitFor();
  await accessible("settings");
  await button("Change address").click();
  const handle = page.getByRole("dialog", { name: "Change address" });
  await handle.getByRole("textbox", { name: "Address" }).fill("api");
  await handle.getByText("This address is taken.").waitFor();
  await accessible("a taken address in the settings");
  await handle.getByRole("button", { name: "api-2" }).click();
  await handle.getByText("This address is available.").waitFor();
  await page.keyboard.press("Escape");
  await asks.getByRole("button", { name: "Discard" }).click();
  await handle.waitFor({ state: "hidden" });
  await button("Pause").click();
  await page.getByText("Guests see your page, but no times.").waitFor();
  await button("Resume").click();
  await button("Pause").waitFor();
});

await step("a picture is chosen as a file, cut square, seen by guests, and gone when it is removed", async () => {
  const part = page.getByRole("region", { name: "Profile picture" });
  const choose = (buffer) => part.locator("input[type=file]").setInputFiles({ name: "me.png", mimeType: "image/png", buffer });
  await choose(Buffer.from("no picture"));
  await page.getByText("This image cannot be read.").waitFor();
  await choose(await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 100 } }));
  await page.getByText("Image saved").waitFor();
  await part.getByRole("img", { name: "Your profile picture" }).waitFor();
  const { avatarUrl } = await api("GET", "/api/admin/host", null, "owner");
  const face = page.frameLocator("iframe").locator("img.face");
  assert.deepEqual(await face.evaluate(async (image) => (await image.decode(), [image.src, image.naturalWidth, image.naturalHeight])), [
    avatarUrl,
    100,
    100,
  ]);
  const read = () => fetch(service + new URL(avatarUrl).pathname);
  const { status, headers } = await read();
  assert.deepEqual(
    [status, headers.get("Content-Type"), headers.get("Cache-Control"), headers.get("X-Content-Type-Options")],
    [200, "image/webp", "public, max-age=86400, immutable", "nosniff"],
  );
  await page.screenshot({ path: `${screens}/calendar-settings.png`, fullPage: true });
  await accessible("settings with a picture");
  await part.getByRole("button", { name: "Remove Profile picture" }).click();
  await page.getByText("Image removed").waitFor();
  await face.waitFor({ state: "detached" });
  assert.equal((await read()).status, 404);
  await part.getByText("Use a URL instead").click();
  await part.getByLabel("Image URL").fill("https://www.example.org/me.png");
  await part.getByRole("button", { name: "Save" }).click();
  await part.getByText("Loaded from www.example.org.").waitFor();
  await part.getByRole("button", { name: "Remove Profile picture" }).click();
  await part.getByText("Loaded from www.example.org.").waitFor({ state: "hidden" });
  const large = await fetch(`${service}/api/admin/host/pictures/avatar`, {
    method: "PUT",
    headers: { Authorization: `Bearer ${await tokenOf("owner")}` },
    body: new Uint8Array(2 * 1024 * 1024 + 1),
  });
  assert.equal(large.status, 413);
});

await step("everything fits a phone", async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  const [{ eventTypeId }] = (await api("GET", "/api/admin/event-types", null, "owner")).items;
  const word = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
  await api("PUT", `/api/admin/event-types/${eventTypeId}`, { title: word, description: word }, "owner");
  await api("PUT", "/api/admin/host", { displayName: word, headline: word }, "owner");
  for (const [path, name] of [
    ["/app", "Week"],
    [`/app/event-types/${eventTypeId}/embed`, "Embed"],
    ["/app/requests", "Requests"],
    ["/app/event-types", "Event types"],
    [`/app/event-types/${eventTypeId}`, word],
    ["/app/availability", "Availability"],
    ["/app/calendars", "Calendars"],
    ["/app/settings", "Settings"],
  ]) {
    await go(path, name);
    await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
    await fitsWindow(page, path);
    await accessible(`${path}, 320 px`);
  }
});

await finish();
