// Uses the app of launchpad as people do: launchpad.mjs WANTED (JSON of tests/http/launchpad_pages.py). Ends in "N passed, N failed".
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { sell } from "./launchpad_sales.mjs";
import {
  accessible,
  fillSignIn,
  fingerOf,
  firstView,
  fitsWindow,
  lasting,
  middleOf,
  signedIn,
  smallTargets,
  soon,
  startSteps,
  still,
} from "./browser.mjs";

const { program, origin, own, crm, crmApi, screens, people, state, payments } = JSON.parse(process.argv[2]);
const { complaints, opened, step, finish } = await startSteps({ program, screens, suite: "launchpad", keep: true });

const button = (page, name) => page.getByRole("button", { name, exact: true });
const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();
const picture = (page, name) => page.screenshot({ path: `${screens}/launchpad-${name}.png`, fullPage: true });
const tileNames = (page) => page.locator("[data-tile] h2").allTextContents();
const pageWith = async (role, path, options) => {
  const page = await opened(options);
  await signedIn(page, origin, people[role], path);
  await still(page);
  return page;
};

/** The first match of a pattern in the mails to an address. */
async function mailed(address, pattern) {
  const folder = `${state}/mail/new`;
  let found;
  await soon(() => {
    const mails = readdirSync(folder)
      .map((name) => readFileSync(`${folder}/${name}`, "utf8"))
      .filter((text) => text.includes(`<${address}>`));
    const texts = mails.map((text) =>
      Buffer.from(/text\/plain[^]*?base64\r?\n\r?\n([^]*?)--=_/.exec(text)?.[1] ?? "", "base64").toString(),
    );
    return (found = texts.map((text) => pattern.exec(text)).find(Boolean));
  });
  return found[1] ?? found[0];
}

/** Passes the first step of onboarding with a recovery e-mail. */
async function verifyRecovery(page, [, password], address) {
  await page.getByRole("textbox", { name: "Recovery e-mail" }).fill(address);
  await button(page, "Send code").click();
  await page.getByRole("dialog").getByLabel("Password").fill(password);
  await page.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
  await page.getByText("Enter the code that was sent to").waitFor();
  await page.getByRole("textbox", { name: "Code" }).fill(await mailed(address, /^\s+(\d{6})\s*$/m));
  await button(page, "Verify").click();
}

const owner = await opened();

await step("a signed-out visit of the dashboard ends at the sign-in", async () => {
  await owner.goto(`${origin}/dashboard`);
  await owner.waitForURL(/\/login\?return_to=%2Fdashboard$/);
  await owner.getByLabel("E-mail").waitFor();
  await accessible(owner, "sign-in");
});

await step("the first sign-in goes through onboarding to the dashboard", async () => {
  await fillSignIn(owner, people.owner);
  await owner.waitForURL(`${origin}/onboarding`);
  await heading(owner, /^Welcome/);
  await accessible(owner, "onboarding");
  await picture(owner, "onboarding");
  await verifyRecovery(owner, people.owner, "owner@home.example");
  await button(owner, "Finish setup").waitFor();
  await accessible(owner, "onboarding of the organization");
  await button(owner, "Finish setup").click();
  await owner.waitForURL(`${origin}/dashboard`);
  await heading(owner, /^Hello/);
});

await step("a completed onboarding leads to the dashboard", async () => {
  await owner.goto(`${origin}/onboarding`);
  await owner.waitForURL(`${origin}/dashboard`);
});

await step("tiles show their figures and how current they are", async () => {
  await owner.goto(`${origin}/dashboard`);
  const shown = owner.locator('[data-tile="crm overview"] [data-source]');
  await shown.waitFor();
  // An app that was late is asked again after some seconds.
  await shown.and(owner.getByText("Live", { exact: true })).waitFor({ timeout: 90_000 });
  assert.ok((await tileNames(owner)).includes("Calendar"));
  await accessible(owner, "dashboard");
  assert.deepEqual(await smallTargets(owner), []);
  await picture(owner, "dashboard");
});

await step("a change in an app reaches its tile at once", async () => {
  await owner.goto(`${origin}/dashboard`);
  await owner.locator('[data-tile="crm overview"]').getByText("No contacts yet").waitFor();
  const made = await fetch(`${crmApi.url}/api/contacts`, {
    method: "POST",
    body: JSON.stringify({ firstName: "Grace" }),
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${crmApi.token}` },
  });
  assert.equal(made.status, 201);
  // Updates before the tile's own refresh is due.
  await owner.locator('[data-tile="crm overview"]').getByText("No contacts yet").waitFor({ state: "detached" });
});

await step("a click on a tile ends signed in at the app, and no address or Referer has a token", async () => {
  const seen = [];
  const note = (request) => seen.push(request.url(), request.headers()["referer"] ?? "");
  owner.context().on("request", note);
  await owner.locator('[data-tile="crm overview"]').getByRole("link", { name: "CRM", exact: true }).click();
  await owner.waitForURL((url) => url.origin === crm && !url.pathname.startsWith("/auth/"));
  await owner.getByRole("heading", { level: 1 }).waitFor();
  assert.equal(await owner.getByLabel("Password", { exact: true }).count(), 0);
  assert.ok(!new URL(owner.url()).search.includes("code"));
  owner.context().off("request", note);
  const codes = seen.filter((each) => /[?&]sso_code=/.test(each));
  assert.ok(codes.length > 0, "the launch used a code");
  assert.deepEqual(
    seen.filter((each) => /eyJ[\w-]{8,}\.|access_token=|[?&]token=/.test(each)),
    [],
  );
  // A code is in the address of the callback only.
  assert.ok(
    codes.every((each) => each.startsWith(`${crm}/auth/callback?`)),
    codes.join("\n"),
  );
  await owner.goBack();
  await owner.waitForURL(`${origin}/dashboard`);
});

await step("a link of a tile opens its page of the app", async () => {
  const link = owner.locator('[data-tile="crm overview"] a[href*="return_to"]').first();
  const path = new URLSearchParams(new URL(await link.getAttribute("href"), origin).search).get("return_to");
  await link.click();
  await owner.waitForURL((url) => url.origin === crm && url.pathname + url.search === path);
  await owner.goto(`${origin}/dashboard`);
});

await step("an app opens by one key, and from the palette", async () => {
  await still(owner);
  await owner.keyboard.press("Control+k");
  await owner.getByRole("option", { name: /Open CRM/ }).waitFor();
  await accessible(owner, "palette");
  const key = await owner
    .getByRole("option", { name: /Open CRM/ })
    .locator("kbd")
    .textContent();
  // Pages are found by what is on them.
  const field = owner.getByRole("combobox", { name: "Search", exact: false }).last();
  for (const [words, page] of [
    ["seats", "Billing"],
    ["plan", "Billing"],
    ["people", "Organization"],
    ["people", "Members and roles"],
    ["theme", "Appearance"],
    ["account", "Account and security"],
  ]) {
    await field.fill(words);
    await owner.getByRole("option", { name: page, exact: true }).waitFor();
  }
  await owner.keyboard.press("Escape");
  await owner.keyboard.press(key);
  await owner.waitForURL((url) => url.origin === crm && !url.pathname.startsWith("/auth/"));
  await owner.goto(`${origin}/dashboard`);
  await still(owner);
});

await step("a tile is moved by keyboard, undone, and moved by mouse", async () => {
  const before = await tileNames(owner);
  await button(owner, `Move ${before[0]}`).focus();
  await owner.keyboard.press("Space");
  await owner.keyboard.press("ArrowRight");
  await owner.keyboard.press("Enter");
  await owner.getByText(`${before[0]} moved.`).waitFor();
  const swapped = [before[1], before[0], ...before.slice(2)];
  assert.deepEqual(await tileNames(owner), swapped);
  await owner.reload();
  await still(owner);
  assert.deepEqual(await tileNames(owner), swapped);
  const from = await middleOf(button(owner, `Move ${swapped[0]}`));
  const to = await middleOf(owner.locator("[data-tile]").nth(1));
  await owner.mouse.move(from.x, from.y);
  await owner.mouse.down();
  await owner.mouse.move(from.x + 12, from.y + 8, { steps: 3 });
  await owner.mouse.move(to.x, to.y, { steps: 8 });
  await owner.waitForFunction((name) => document.querySelectorAll("[data-tile] h2")[1]?.textContent === name, swapped[0]);
  await owner.mouse.up();
  await owner.getByText(`${swapped[0]} moved.`).waitFor();
  assert.deepEqual(await tileNames(owner), before);
  await owner.keyboard.press("z");
  await owner.waitForFunction((name) => document.querySelector("[data-tile] h2")?.textContent === name, swapped[0]);
});

await step("a finger scrolls the page and resizes a tile", async () => {
  const page = await pageWith("owner", "/dashboard", { viewport: { width: 390, height: 600 }, hasTouch: true, isMobile: true });
  const finger = await fingerOf(page);
  const before = await tileNames(page);
  const grip = button(page, `Move ${before[0]}`);
  // A swipe over a tile scrolls: it carries nothing.
  const { y } = await middleOf(grip);
  await finger.swipe({ x: 60, y: y + 40 }, { x: 60, y: y - 80 });
  await page.waitForFunction(() => scrollY > 0);
  assert.deepEqual(await tileNames(page), before);
  const sizeOf = () => page.locator("[data-tile]").nth(1).getAttribute("data-size");
  const [size, other] = (await sizeOf()) === "l" ? ["l", "Medium"] : ["m", "Large"];
  await button(page, `Options of ${before[1]}`).tap();
  await page.getByRole("menuitemradio", { name: other }).tap();
  await page.getByText(`${before[1]} resized.`).waitFor();
  assert.notEqual(await sizeOf(), size);
  await page.context().close();
  await owner.reload();
  await still(owner);
});

await step("the palette answers from memory before the next frame", async () => {
  await owner.keyboard.press("Control+k");
  await owner.getByRole("option", { name: /Open CRM/ }).waitFor();
  const requests = [];
  // The page reads the unread count and changed tiles whatever is typed.
  const note = (request) => /\/api\/(notifications|widgets)/.test(request.url()) || requests.push(request.url());
  owner.on("request", note);
  for (const text of ["c", "crm", "zz", ""]) {
    const { shown, nodes, entries } = await owner.evaluate(async (typed) => {
      const field = document.querySelector("dialog [role=combobox]");
      const list = document.querySelector("dialog [role=listbox]");
      const count = () => list.querySelectorAll("[role=option]").length;
      const before = count();
      let touched = 0;
      const observer = new MutationObserver(
        (all) => (touched += all.reduce((sum, each) => sum + each.addedNodes.length + each.removedNodes.length, 0)),
      );
      observer.observe(list, { childList: true, subtree: true });
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, typed);
      field.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((done) => requestAnimationFrame(done));
      const labels = [...list.querySelectorAll("[role=option] bdi")].map((each) => each.textContent);
      observer.disconnect();
      return { shown: labels, nodes: touched, entries: before + count() };
    }, text);
    assert.equal(shown.includes("Open CRM"), text !== "zz", `${text}: ${shown}`);
    assert.equal(shown.length === 0, text === "zz", `${text}: ${shown}`);
    // Each entry comes and goes at most once, with the heading of its group.
    assert.ok(nodes <= 4 * entries, `${text}: ${nodes} nodes for ${entries} entries`);
  }
  owner.off("request", note);
  assert.deepEqual(requests, []);
  await owner.keyboard.press("Escape");
});

await step("a tile is resized, hidden, and added again", async () => {
  await button(owner, "Options of Calendar").click();
  await owner.getByRole("menuitemradio", { name: "Large" }).click();
  await owner.locator('[data-tile="calendar overview"][data-size="l"]').waitFor();
  await button(owner, "Options of Calendar").click();
  await owner.getByRole("menuitem", { name: "Hide" }).click();
  await owner.locator('[data-tile="calendar overview"]').waitFor({ state: "detached" });
  await button(owner, "Add tile").click();
  await owner.getByRole("menuitem", { name: "Calendar" }).click();
  await owner.locator('[data-tile="calendar overview"][data-size="l"]').waitFor();
});

await step("a hidden tile comes back to its place", async () => {
  const before = await tileNames(owner);
  await button(owner, `Options of ${before[0]}`).click();
  await owner.getByRole("menuitem", { name: "Hide" }).click();
  await owner.getByText(`${before[0]} hidden.`).last().waitFor();
  await soon(async () => (await tileNames(owner)).length < before.length);
  await owner.keyboard.press("z");
  await soon(async () => (await tileNames(owner)).length === before.length);
  assert.deepEqual(await tileNames(owner), before);
});

await step("a tile that another tab has moved survives a change in this one", async () => {
  const other = await owner.context().newPage();
  await other.goto(`${origin}/dashboard`);
  await still(other);
  const [first, second] = await tileNames(other);
  await button(other, `Move ${first}`).focus();
  await other.keyboard.press("Space");
  await other.keyboard.press("ArrowRight");
  await other.keyboard.press("Enter");
  await other.getByText(`${first} moved.`).waitFor();
  await button(owner, "Options of CRM").click();
  await owner.getByRole("menuitemradio", { name: "Small" }).click();
  await owner.getByText("CRM resized.").last().waitFor();
  await owner.locator('[data-tile="crm overview"][data-size="s"]').waitFor();
  assert.deepEqual((await tileNames(owner)).slice(0, 2), [second, first]);
  await other.close();
});

await step("only tiles in sight are fetched, and only while the tab is visible", async () => {
  const page = await pageWith("owner", "/settings", { viewport: { width: 320, height: 480 } });
  await page.clock.install();
  const batches = [];
  page.on(
    "request",
    (request) => request.url().endsWith("/api/widgets") && batches.push(request.postDataJSON().widgets.map(({ service_id }) => service_id)),
  );
  await page.goto(`${origin}/dashboard`);
  await page.locator("[data-source]").first().waitFor();
  const tiles = (await tileNames(page)).length;
  assert.ok(batches.flat().length < tiles, `${batches.flat()} of ${tiles}`);
  const hide = (hidden) =>
    page.evaluate((value) => {
      Object.defineProperty(document, "visibilityState", { value: value ? "hidden" : "visible", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  await hide(true);
  const before = batches.length;
  await page.clock.runFor(300_000);
  assert.equal(batches.length, before);
  await hide(false);
  const again = page.waitForRequest((request) => request.url().endsWith("/api/widgets"));
  await page.clock.runFor(1_000);
  await again;
  await page.context().close();
});

await step("apps are searched, pinned, listed and put into folders", async () => {
  await owner.goto(`${origin}/apps`);
  await still(owner);
  await accessible(owner, "apps");
  await picture(owner, "apps");
  await owner.getByRole("searchbox", { name: "Search apps" }).fill("calénd");
  await owner.locator('[data-app="crm"]').waitFor({ state: "detached" });
  await owner.locator('[data-app="calendar"]').waitFor();
  await owner.getByRole("searchbox", { name: "Search apps" }).fill("soical");
  await owner.locator('[data-app="social"]').waitFor();
  await owner.getByRole("searchbox", { name: "Search apps" }).fill("nothing like it");
  await button(owner, "Clear filters").click();
  await button(owner, "Pin CRM").click();
  await owner.getByText("CRM pinned.").waitFor();
  await button(owner, "New folder").click();
  await owner.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("Sales");
  await button(owner, "Create folder").click();
  await owner.getByRole("heading", { level: 2, name: "Sales" }).waitFor();
  await owner.getByRole("link", { name: "Details of CRM" }).click();
  await owner.getByRole("heading", { name: "Requested permissions" }).waitFor();
  await accessible(owner, "details of an app");
  await owner.getByRole("combobox", { name: /^Folder/ }).selectOption({ label: "Sales" });
  await owner.keyboard.press("Escape");
  await owner.getByRole("region", { name: "Sales" }).locator('[data-app="crm"]').waitFor();
  await button(owner, "List").click();
  await owner.reload();
  await still(owner);
  assert.equal(await button(owner, "List").getAttribute("aria-pressed"), "true");
  await accessible(owner, "list of apps");
  await button(owner, "Tiles").click();
});

let member;
await step("a member requests an app with a reason", async () => {
  member = await opened();
  await member.goto(`${origin}/login`);
  await fillSignIn(member, people.member);
  await member.waitForURL(`${origin}/onboarding`);
  await verifyRecovery(member, people.member, "member@home.example");
  await member.waitForURL(`${origin}/dashboard`);
  await member.goto(`${origin}/apps`);
  await button(member, "Request Social").click();
  await member.getByRole("dialog").getByRole("textbox", { name: "Reason (optional)" }).fill("For the launch campaign");
  await button(member, "Send request").click();
  await member.locator('[data-app="social"]').getByText("Requested", { exact: true }).waitFor();
  // Administrators decide it: the member's lists leave it out.
  await member.goto(`${origin}/dashboard`);
  await member.getByText("No open actions").waitFor();
  await member.goto(`${origin}/actions`);
  await member.getByText("All done").waitFor();
});

await step("an action is assigned to one member", async () => {
  await owner.goto(`${origin}/actions`);
  const card = owner.locator("[data-action]").filter({ hasText: "For the launch campaign" });
  await card.getByText("Assigned to: Admins").waitFor();
  await card.getByRole("button", { name: /^Assign/ }).click();
  await owner.getByRole("menuitem", { name: "One member…" }).click();
  const dialog = owner.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Member" }).selectOption({ label: "member" });
  await accessible(owner, "choosing an assignee");
  await dialog.getByRole("button", { name: "Assign", exact: true }).click();
  await card.getByText("Assigned to: member").waitFor();
  await member.goto(`${origin}/actions`);
  await member.getByText("Assigned to: You").waitFor();
});

await step("an administrator needs a reason to reject, and approves", async () => {
  await owner.goto(`${origin}/actions`);
  await still(owner);
  const card = owner.locator("[data-action]").filter({ hasText: "Social" }).first();
  await card.getByText("For the launch campaign").waitFor();
  await accessible(owner, "actions");
  await picture(owner, "actions");
  await card.getByRole("button", { name: /^Reject/ }).click();
  await card.getByRole("textbox", { name: /Reason/ }).waitFor();
  await card.getByRole("button", { name: "Reject" }).click();
  await card.locator("[aria-invalid=true]").waitFor();
  await card.getByRole("button", { name: "Cancel" }).click();
  await card.getByRole("button", { name: /^Approve/ }).click();
  await owner.locator("[data-action]").filter({ hasText: "For the launch campaign" }).waitFor({ state: "detached" });
  await owner.getByRole("link", { name: "Done" }).click();
  await owner.getByText("For the launch campaign").waitFor();
  await member.goto(`${origin}/apps`);
  await member.getByRole("region", { name: "Installed" }).locator('[data-app="social"]').waitFor();
});

await step("notifications are counted, and marked as read", async () => {
  await member.goto(`${origin}/dashboard`);
  await member.getByRole("link", { name: "1 unread notification" }).click();
  await heading(member, "Notifications");
  await accessible(member, "notifications");
  assert.deepEqual(await smallTargets(member), []);
  await picture(member, "notifications");
  await member.getByRole("button", { name: /^Mark as read: / }).click();
  await member.getByText("No unread notifications").first().waitFor();
  await member.getByRole("link", { name: "All", exact: true }).click();
  await member.getByRole("listitem").filter({ hasText: "Social" }).waitFor();
  assert.equal(await member.getByRole("button", { name: /^Mark/ }).count(), 0);
  await member.goto(`${origin}/dashboard`);
  await still(member);
  assert.equal(await member.getByRole("link", { name: /unread/ }).count(), 0);
});

await step("theme and language are saved at once", async () => {
  await owner.goto(`${origin}/settings`);
  await still(owner);
  await accessible(owner, "appearance");
  await owner.getByRole("radio", { name: "Dark" }).check();
  await owner.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  await owner.getByRole("radio", { name: "Deutsch" }).check();
  await heading(owner, "Einstellungen");
  // Tiles have the language that is chosen here, not the browser's.
  await owner.getByRole("link", { name: "Übersicht" }).first().click();
  await owner
    .locator('[data-tile="crm overview"]')
    .getByText(/Kontakte/)
    .first()
    .waitFor();
  await owner.goto(`${origin}/settings`);
  // Until the chosen language is read, the page has the browser's.
  await heading(owner, "Einstellungen");
  await owner.getByRole("radio", { name: "English" }).check();
  await heading(owner, "Settings");
  await owner.getByRole("radio", { name: "System" }).check();
});

await step("an API key is created, shown once and revoked", async () => {
  await owner.goto(`${origin}/settings/api-keys`);
  await button(owner, "Create key").click();
  await owner.getByRole("textbox", { name: "Name" }).fill("Wallboard");
  await owner.getByRole("checkbox", { name: /^Read actions/ }).check();
  await owner.getByRole("checkbox", { name: /^Create actions/ }).check();
  await accessible(owner, "a new key");
  await owner.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  const key = await owner.getByRole("textbox", { name: "API key" }).textContent();
  assert.match(key, /^pak_live_/);
  await button(owner, "Done").click();
  await owner.getByText("widgets.read, workflows.read, workflows.write").waitFor();
  await accessible(owner, "keys");
  for (const [title, more] of [
    ["Count the stock"],
    ["Close the books"],
    ["Pay the taxes", { requiresStepUp: true }],
    ["Water the plants"],
  ]) {
    const asked = await fetch(`${own}/api/actions`, {
      method: "POST",
      body: JSON.stringify({
        kind: "custom",
        title,
        severity: "info",
        source: { service_id: "crm", resourceType: "chore", resourceId: title },
        assignee: { type: "role", id: "admin" },
        dedupeKey: title,
        decisions: [{ id: "done", label: "Done", style: "primary", ...more }],
      }),
      headers: { "Content-Type": "application/json", "X-Api-Key": key },
    });
    assert.equal(asked.status, 201);
  }
  await button(owner, "Revoke Wallboard").click();
  await owner.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await owner.getByText("No API keys").waitFor();
});

await step("actions are decided together, snoozed, and confirmed in place", async () => {
  const page = await pageWith("owner", "/actions");
  const card = (title) => page.locator("[data-action]").filter({ hasText: title });
  await card("Count the stock").getByText("From CRM").waitFor();
  await page.getByRole("checkbox", { name: "Select: Count the stock" }).check();
  await page.getByRole("checkbox", { name: "Select: Close the books" }).check();
  await accessible(page, "selected actions");
  await button(page, "Done (2)").click();
  await page.getByText("2 actions decided.").waitFor();
  assert.equal(await card("Count the stock").or(card("Close the books")).count(), 0);
  await button(page, "Snooze: Water the plants").click();
  await page.getByRole("menuitem", { name: /^Tomorrow/ }).click();
  await card("Water the plants").waitFor({ state: "detached" });
  await button(page, "Done: Pay the taxes").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Password").fill(people.owner[1]);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await card("Pay the taxes").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Snoozed" }).click();
  await card("Water the plants")
    .getByText(/Snoozed until/)
    .waitFor();
  await button(page, "Done: Water the plants").click();
  await page.getByText("Nothing snoozed").waitFor();
  await page.context().close();
});

await step("an administrator blocks an app for guests and orders the others", async () => {
  await owner.goto(`${origin}/settings/organization`);
  await still(owner);
  await owner.getByRole("combobox", { name: "CRM for Guests" }).selectOption("blocked");
  await owner.getByText("Assignment saved.").waitFor();
  await owner.reload();
  await still(owner);
  assert.equal(await owner.getByRole("combobox", { name: "CRM for Guests" }).inputValue(), "blocked");
  await owner.getByRole("checkbox", { name: "Pin CRM for all members" }).click();
  await owner.getByText("Saved.").first().waitFor();
  await owner.getByRole("checkbox", { name: "Pin CRM for all members", checked: true }).waitFor();
  await owner.getByRole("textbox", { name: "Text" }).fill("Maintenance on Sunday");
  await button(owner, "Save").click();
  await accessible(owner, "organization");
  await member.goto(`${origin}/dashboard`);
  await member.getByText("Maintenance on Sunday").waitFor();
  await picture(owner, "organization");
});

await step("an announcement ends with its last day in the zone of the page", async () => {
  const open = (timezoneId) => pageWith("owner", "/settings/organization", { timezoneId });
  const savesEnd = async (page) => {
    const saved = page.waitForResponse((answer) => answer.request().method() === "PUT" && answer.url().endsWith("/api/org-settings"));
    await button(page, "Save").click();
    assert.equal(Date.parse((await (await saved).json()).announcement.until), Date.parse("2099-12-25T07:59:00Z"));
  };
  const page = await open("America/Los_Angeles");
  await page.getByLabel("Show until").fill("2099-12-24");
  await savesEnd(page);
  const again = await page.context().newPage();
  await again.goto(page.url());
  await still(again);
  assert.equal(await again.getByLabel("Show until").inputValue(), "2099-12-24");
  await page.context().close();
  // Another administrator changes only the text.
  const elsewhere = await open("Europe/Berlin");
  assert.equal(await elsewhere.getByLabel("Show until").inputValue(), "2099-12-25");
  await elsewhere.getByRole("textbox", { name: "Text" }).fill("Maintenance at night");
  await savesEnd(elsewhere);
  await elsewhere.context().close();
});

await step("pages of a guest ask for nothing that a guest may not read", async () => {
  const guest = await opened();
  await guest.goto(`${origin}/login`);
  await fillSignIn(guest, people.guest);
  await guest.waitForURL(`${origin}/onboarding`);
  await verifyRecovery(guest, people.guest, "guest@home.example");
  await guest.waitForURL(`${origin}/dashboard`);
  const refused = [];
  guest.on("response", (response) => response.status() === 403 && refused.push(response.url()));
  for (const path of ["/apps", "/settings", "/settings/organization", "/settings/billing", "/settings/households", "/dashboard"]) {
    await guest.goto(origin + path);
    await guest.getByRole("heading").first().waitFor();
    await guest.waitForFunction(() => !document.querySelector("main [aria-busy=true]"));
    await guest.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 2_000 })));
  }
  await guest.locator('[data-tile="calendar overview"]').getByText("Your role does not include these figures of Calendar").waitFor();
  await accessible(guest, "a tile without rights");
  assert.deepEqual(refused, []);
  await guest.goto(`${origin}/settings`);
  await still(guest);
  assert.deepEqual(await guest.getByRole("navigation", { name: "Settings" }).getByRole("link").allTextContents(), [
    "Appearance",
    "Recovery e-mail",
    "API keys",
  ]);
  await guest.context().close();
});

await step("an app is required of one member, who is asked to open it", async () => {
  await owner.goto(`${origin}/settings/organization`);
  const form = owner.getByRole("group", { name: "Add assignment" });
  await form.getByRole("combobox", { name: "Member" }).selectOption({ label: "member" });
  await form.getByRole("combobox", { name: "App" }).selectOption({ label: "Calendar" });
  await form.getByRole("button", { name: "Add assignment" }).click();
  await owner.getByRole("listitem").filter({ hasText: "Calendar: Required" }).waitFor();
  await member.goto(`${origin}/actions`);
  const asked = member.locator("[data-action]").filter({ hasText: 'Open "Calendar"' });
  await asked.getByRole("link", { name: "Open app" }).click();
  await member.waitForURL((url) => url.hostname.startsWith("calendar.") && !url.pathname.startsWith("/auth/"));
  await member.goto(`${origin}/actions`);
  await still(member);
  assert.equal(await asked.count(), 0);
  await button(owner, "Remove: Calendar for member").click();
  await owner.getByText("No member has an individual assignment.").waitFor();
});

await step("the personal workspace has households and no business categories", async () => {
  await owner.goto(`${origin}/settings/households`);
  await button(owner, "Switch to personal workspace").click();
  await owner.getByText("Personal").first().waitFor();
  await owner.goto(`${origin}/settings/households`);
  await owner.getByRole("button", { name: "New household" }).first().click();
  await owner.getByRole("textbox", { name: "Name" }).fill("Family Lovelace");
  await button(owner, "Create household").click();
  await owner.getByRole("heading", { level: 2, name: "Family Lovelace" }).waitFor();
  await button(owner, "Invite").click();
  await owner.getByRole("textbox", { name: "E-mail" }).fill("byron@home.example");
  await button(owner, "Send invitation").click();
  await owner.getByText("byron@home.example").waitFor();
  await accessible(owner, "households");
  await button(owner, "Invite").click();
  await owner.getByRole("textbox", { name: "E-mail" }).fill(people.member[0]);
  await button(owner, "Send invitation").click();
  await owner.getByRole("listitem").filter({ hasText: people.member[0] }).waitFor();
  await picture(owner, "households");
  await owner.goto(`${origin}/apps`);
  await still(owner);
  const categories = await owner.locator("main option").allTextContents();
  assert.deepEqual(
    categories.filter((each) => /sales|marketing|scheduling/i.test(each)),
    [],
  );
  await owner.goto(`${origin}/dashboard`);
  await still(owner);
  assert.equal(await owner.getByText("has not finished setting up").count(), 0);
  await accessible(owner, "personal dashboard");
  await owner.getByRole("button", { name: /Switch workspace/ }).click();
  await owner.getByRole("menuitemradio", { name: "acme" }).click();
  await owner.locator('[data-tile="crm overview"]').waitFor();
});

await step("an invitation to a household is accepted in the list of actions", async () => {
  await member.goto(`${origin}/dashboard`);
  await member.getByRole("button", { name: /Switch workspace/ }).click();
  await member.getByRole("menuitemradio", { name: "Personal" }).click();
  await member.locator('[data-tile="crm overview"]').waitFor({ state: "detached" });
  const card = member.locator("[data-action]").filter({ hasText: 'Join "Family Lovelace"' });
  // Identity reports the invitation shortly after it was sent.
  await soon(async () => {
    await member.goto(`${origin}/actions`);
    await still(member);
    return card.count();
  });
  await accessible(member, "an invitation");
  await card.getByRole("button", { name: /^Accept/ }).click();
  await member.getByText("Invitation accepted.").waitFor();
  await member.goto(`${origin}/settings/households`);
  await member.getByRole("heading", { level: 2, name: "Family Lovelace" }).waitFor();
  await member.getByRole("button", { name: /Switch workspace/ }).click();
  await member.getByRole("menuitemradio", { name: "acme" }).click();
});

await step("a household is selected, its last manager stays, and it is deleted after a proof", async () => {
  const page = await pageWith("owner", "/settings/households");
  await button(page, "Switch to personal workspace").click();
  const card = page.getByRole("region", { name: "Family Lovelace" });
  await button(card, "Select").click();
  await card.getByText("Selected", { exact: true }).waitFor();
  const last = card.getByRole("paragraph").filter({ hasText: "You are the only manager. Make another member a manager before you leave." });
  await last.waitFor();
  await card.getByRole("combobox", { name: "Role of member" }).selectOption({ label: "Manager" });
  await page.getByText("Role changed.").waitFor();
  await last.waitFor({ state: "detached" });
  await accessible(page, "a household with members");
  await button(card, "Delete household").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("Family Lovelace");
  await dialog.getByRole("button", { name: "Delete household" }).click();
  await dialog.getByLabel("Password").fill(people.owner[1]);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await page.getByText("No households").waitFor();
  // The next sign-in begins in the workspace that was used last.
  await page.getByRole("button", { name: /Switch workspace/ }).click();
  await page.getByRole("menuitemradio", { name: "acme" }).click();
  await page.locator('[data-tile="crm overview"]').waitFor();
  await page.context().close();
});

await step("failures, an empty queue and a lost network say what happened", async () => {
  await owner.route("**/api/widgets", (route) =>
    route.fulfill({ status: 500, contentType: "application/problem+json", body: JSON.stringify({ status: 500, code: "internal" }) }),
  );
  await owner.goto(`${origin}/dashboard`);
  await owner.locator('[data-tile="crm overview"] [role="alert"]').waitFor();
  await accessible(owner, "failed tiles");
  await owner.unroute("**/api/widgets");
  await owner.locator('[data-tile="crm overview"]').getByRole("button", { name: "Refresh" }).click();
  await owner.locator('[data-tile="crm overview"] [data-source]').waitFor();
  await owner.route("**/api/preferences*", (route) =>
    route.fulfill({ status: 500, contentType: "application/problem+json", body: JSON.stringify({ status: 500, code: "internal" }) }),
  );
  await owner.goto(`${origin}/dashboard`);
  await owner.locator("main [role=alert]").waitFor();
  await accessible(owner, "failed dashboard");
  await owner.unroute("**/api/preferences*");
  await button(owner, "Try again").click();
  await owner.locator("[data-tile]").first().waitFor();
  await owner.goto(`${origin}/actions?status=snoozed`);
  await owner.getByText("Nothing snoozed").waitFor();
  await owner.context().setOffline(true);
  await owner.getByText(/^You are offline/).waitFor();
  await owner.context().setOffline(false);
  complaints.length = 0;
});

await step("a stale or degraded tile says why", async () => {
  const answered = owner.waitForResponse((response) => response.url().endsWith("/api/widgets"));
  await owner.goto(`${origin}/dashboard`);
  const batch = await (await answered).json();
  for (const each of batch.widgets) {
    if (each.service_id === "crm")
      Object.assign(each, { source: "stale", stale: true, ageSeconds: 140, error: { code: "timeout", status: null } });
    if (each.service_id === "calendar") Object.assign(each, { source: "metadata", error: { code: "bad_payload", status: null } });
  }
  await owner.route("**/api/widgets", (route) => route.fulfill({ json: batch }));
  await owner.goto(`${origin}/dashboard`);
  await owner.getByText("2 min old: CRM is not responding").waitFor();
  await owner.locator('[data-tile="calendar overview"]').getByText("Overview only").waitFor();
  await accessible(owner, "stale tiles");
  await owner.unroute("**/api/widgets");
});

await step("pages fit 320 and 768 pixels in both themes", async () => {
  for (const [width, colorScheme] of [
    [320, "dark"],
    [768, "light"],
  ]) {
    const page = await pageWith("owner", "/dashboard", { viewport: { width, height: 700 }, colorScheme });
    for (const path of [
      "/dashboard",
      "/apps",
      "/apps?app=crm",
      "/actions",
      "/notifications",
      "/settings",
      "/settings/recovery",
      "/settings/api-keys",
      "/settings/organization",
      "/settings/households",
    ]) {
      await page.goto(origin + path);
      await still(page);
      await fitsWindow(page, `${path} at ${width}`);
      assert.deepEqual(await lasting(() => smallTargets(page)), [], path);
      await accessible(page, `${path} at ${width}`);
    }
    await page.goto(`${origin}/settings/households`);
    await still(page);
    const tab = await page.getByRole("link", { name: "Households" }).boundingBox();
    assert.ok(tab.x >= 0 && tab.x + tab.width <= width, `the current tab is at ${tab.x} of ${width}`);
    await page.goto(`${origin}/dashboard`);
    await page.locator('[data-tile="crm overview"]').scrollIntoViewIfNeeded();
    await page.locator('[data-tile="crm overview"] dl').waitFor();
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll("[data-tile] dl *")]
        .filter((each) => each.scrollWidth > each.clientWidth + 1)
        .map((each) => each.textContent),
    );
    assert.deepEqual(cut, [], `figures are cut at ${width}`);
    await picture(page, `dashboard-${width}`);
    await page.context().close();
  }
});

await step("in a mobile shell the bridge launches, signs out and shows the badge, and no token crosses it", async () => {
  const api = async (method, path, body, token) => {
    const answer = await fetch(own + path, {
      method,
      headers: { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
    return answer.status === 204 ? undefined : answer.json();
  };
  const tokenOf = async ([identifier, password]) =>
    (await api("POST", "/api/auth/login", { identifier, password, service_id: "launchpad" })).access_token;
  const [token, ownersToken] = [await tokenOf(people.member), await tokenOf(people.owner)];
  const page = await opened({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const crossed = [];
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.exposeFunction("cross", (...values) => void crossed.push(values));
  await page.addInitScript(() => {
    const send =
      (name) =>
      (...values) =>
        void window.cross(name, ...values);
    window.PorticoShell = { version: 1, launch: send("launch"), signOut: send("signOut"), badge: send("badge") };
  });
  const until = (holds, what) => soon(holds).catch(() => assert.fail(`${what}: ${JSON.stringify(crossed)}`));
  const badge = () => crossed.findLast(([name]) => name === "badge")?.[1];
  const launches = () => crossed.filter(([name]) => name === "launch").map(([, ...values]) => values);

  // The web view signs in as the shell does: with a code that pm_launch has returned.
  await page.goto(`${origin}/dashboard`);
  await page.waitForURL(/\/login\?return_to=%2Fdashboard$/);
  const device = { platform: "ios", installed: true };
  const handoff = { service_id: "launchpad", target: "mobile", device, returnTo: "/dashboard" };
  const { url } = await api("POST", "/api/launch", handoff, token);
  assert.ok(url.startsWith(`${origin}/auth/callback?`), "the handoff leads to the web view");
  await page.goto(url);
  await page.waitForURL(`${origin}/dashboard`);
  const { counts } = await api("GET", "/api/actions", undefined, token);
  await until(() => badge() === counts.open, "the badge shows the open actions");

  await page.locator('[data-tile="crm overview"]').getByRole("link", { name: "CRM", exact: true }).tap();
  await until(() => launches().length === 1, "a tap launches");
  assert.deepEqual(launches(), [["crm", null]]);
  assert.equal(page.url(), `${origin}/dashboard`);

  const subject = { type: "user", id: (await api("GET", "/api/auth/me", undefined, token)).user.id };
  // An app that the member has not opened yet.
  const rule = await api("POST", "/api/assignments", { service_id: "social", subject, mode: "required" }, ownersToken);
  await until(() => badge() === counts.open + 1, "the badge follows");
  for (const path of ["/apps", "/settings", "/actions"]) {
    await page.goto(origin + path);
    await still(page);
    await fitsWindow(page, path);
  }
  await page.locator("[data-action]").filter({ hasText: 'Open "Social"' }).getByRole("link", { name: "Open app" }).tap();
  await until(() => launches().length === 2, "an action launches");
  assert.equal(launches()[1][0], "social");
  await api("DELETE", `/api/assignments/${rule.id}`, undefined, ownersToken);
  await until(() => badge() === counts.open, "the badge goes down");
  assert.deepEqual(
    asked.filter((each) => /\/api\/launch$|handoff-code|^http:\/\/(crm|social)\./.test(each)),
    [],
    "the page opens nothing itself",
  );

  await page.getByRole("button", { name: /^Account of/ }).tap();
  await page.getByRole("menuitem", { name: "Sign out", exact: true }).tap();
  await until(() => crossed.some(([name, scope]) => name === "signOut" && scope === "browser"), "the shell signs out");
  assert.equal(page.url(), `${origin}/actions`);
  const code = new URL(url).searchParams.get("sso_code");
  assert.ok(code.length > 20);
  assert.doesNotMatch(JSON.stringify(crossed), new RegExp(`eyJ[\\w-]{8,}\\.|sso_code|${code}`));
  await page.context().close();
});

await step("the first view is small", async () => {
  const { requests, addresses, script } = await firstView(owner.context(), `${origin}/dashboard`);
  assert.ok(requests <= 14, `${requests} requests:\n${addresses.join("\n")}`);
  assert.ok(script <= 200 * 1024, `${script} bytes of script`);
});

await step("a sign-out in another tab asks in place", async () => {
  const other = await owner.context().newPage();
  await other.goto(`${origin}/settings`);
  await still(other);
  await owner.goto(`${origin}/dashboard`);
  await still(owner);
  await other.getByRole("button", { name: /^Account of/ }).click();
  await other.getByRole("menuitem", { name: "Sign out", exact: true }).click();
  await owner.getByRole("dialog").getByText("You signed out in another tab.").waitFor();
  await accessible(owner, "an ended session");
});

await step("four pages for visitors need no scripts", async () => {
  const visitor = await opened({ javaScriptEnabled: false });
  for (const [path, title] of [
    ["/", "All apps of your company behind one sign-in"],
    ["/pricing", "Pricing"],
    ["/portfolio", "Apps"],
    ["/developers", "Build apps for the launchpad"],
  ]) {
    assert.equal((await visitor.goto(`${origin}${path}`)).status(), 200, path);
    await heading(visitor, title);
  }
  await visitor.goto(`${origin}/pricing`);
  await visitor.getByText("from $49 per seat").waitFor();
  await visitor.goto(`${origin}/waitlist`);
  assert.match(await visitor.locator("noscript").first().textContent(), /This form needs JavaScript/);
  assert.ok(await button(visitor, "Join the waitlist").isDisabled());
});

await step("a visitor joins the waitlist and books a demo on a free time", async () => {
  const visitor = await opened();
  for (const path of ["/", "/pricing", "/portfolio", "/developers", "/waitlist", "/demo", "/sales"]) {
    await visitor.goto(`${origin}${path}`);
    await accessible(visitor, path);
  }
  await visitor.goto(`${origin}/waitlist`);
  await visitor.getByRole("textbox", { name: "Email" }).fill("visitor@example.org");
  await visitor.getByLabel("I agree to receive emails").check();
  await button(visitor, "Join the waitlist").click();
  await visitor.getByText("You are on the waitlist.").waitFor();
  await visitor.goto(`${origin}/demo`);
  await visitor.getByLabel("Name").fill("Visitor");
  await visitor.getByRole("textbox", { name: "Email" }).fill("visitor@example.org");
  await visitor.getByLabel("Company").fill("Engines");
  // The first one may be too soon a moment later.
  const time = await visitor.locator("select[name=slot] option").last().getAttribute("value");
  await visitor.getByLabel("Time").selectOption(time);
  await button(visitor, "Send").click();
  await visitor.getByText("Thank you. We will email you.").waitFor();
  await visitor.goto(`${origin}/demo`);
  assert.equal(await visitor.locator(`select[name=slot] option[value="${time}"]`).count(), 0);
  await picture(visitor, "demo");
});

await step("a form shows the widget of a provider and sends its token", async () => {
  const visitor = await opened();
  const widget = "https://widget.example/api.js";
  await visitor.route(widget, (route) =>
    route.fulfill({
      contentType: "text/javascript",
      body: "globalThis.turnstile = { render: (place, { sitekey, action, callback }) => callback(`${sitekey} ${action} ${place.tagName}`) };",
    }),
  );
  let sent;
  await visitor.route(`${origin}/waitlist`, async (route) => {
    if (route.request().method() === "POST") {
      sent = new URLSearchParams(route.request().postData());
      return route.fulfill({ body: "sent" });
    }
    const body = (await (await fetch(`${own}/waitlist`)).text())
      .replace('data-purpose="waitlist"', `data-purpose="waitlist" data-site-key="site" data-widget="${widget}"`)
      .replace('<button type="submit"', '<div data-widget-place></div><button type="submit"');
    return route.fulfill({ contentType: "text/html", body });
  });
  await visitor.goto(`${origin}/waitlist`);
  await visitor.waitForFunction(() => document.forms[0].elements.proof.value !== "");
  await visitor.getByRole("textbox", { name: "Email" }).fill("visitor@example.org");
  await visitor.getByLabel("I agree to receive emails").check();
  await button(visitor, "Join the waitlist").click();
  await visitor.getByText("sent").waitFor();
  assert.deepEqual([sent.get("provider"), sent.get("proof")], ["turnstile", "site waitlist DIV"]);
});

await sell({ step, opened, origin, payments, mailed, verifyRecovery, picture });

await finish();
