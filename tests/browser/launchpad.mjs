// Uses the app of launchpad as people do: launchpad.mjs WANTED (JSON of tests/http/launchpad_pages.py). Ends in "N passed, N failed".
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { accessible, fillSignIn, firstView, middleOf, signedIn, smallTargets, startSteps, still } from "./browser.mjs";

const { program, origin, crm, crmApi, screens, people, state } = JSON.parse(process.argv[2]);
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

/** The code that was mailed to an address. */
async function codeFor(address) {
  const folder = `${state}/mail/new`;
  for (const until = Date.now() + 20_000; Date.now() < until; await new Promise((done) => setTimeout(done, 50))) {
    const mails = readdirSync(folder)
      .map((name) => readFileSync(`${folder}/${name}`, "utf8"))
      .filter((text) => text.includes(`<${address}>`));
    const texts = mails.map((text) =>
      Buffer.from(/text\/plain[^]*?base64\r?\n\r?\n([^]*?)--=_/.exec(text)?.[1] ?? "", "base64").toString(),
    );
    const code = texts.map((text) => /^\s+(\d{6})\s*$/m.exec(text)?.[1]).find(Boolean);
    if (code) return code;
  }
  throw new Error(`no code for ${address}`);
}

/** Passes the first step of onboarding with a recovery e-mail. */
async function verifyRecovery(page, [, password], address) {
  await page.getByRole("textbox", { name: "Recovery e-mail" }).fill(address);
  await button(page, "Send code").click();
  await page.getByRole("dialog").getByLabel("Password").fill(password);
  await page.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
  await page.getByText("Enter the code that was sent to").waitFor();
  await page.getByRole("textbox", { name: "Code" }).fill(await codeFor(address));
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
  await owner.locator('[data-tile="crm overview"] [data-source]').waitFor();
  assert.equal(await owner.locator('[data-tile="crm overview"] [data-source]').textContent(), "Live");
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
  await owner.locator('[data-tile="crm overview"]').getByText("No contacts yet").waitFor({ state: "detached", timeout: 30_000 });
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
  await owner.getByRole("radio", { name: "English" }).check();
  await heading(owner, "Settings");
  await owner.getByRole("radio", { name: "System" }).check();
});

await step("an API key is created, shown once and revoked", async () => {
  await owner.goto(`${origin}/settings/api-keys`);
  await button(owner, "Create key").click();
  await owner.getByRole("textbox", { name: "Name" }).fill("Wallboard");
  await owner.getByRole("checkbox", { name: /^Read actions/ }).check();
  await accessible(owner, "a new key");
  await owner.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  const key = await owner.getByRole("textbox", { name: "API key" }).textContent();
  assert.match(key, /^pak_live_/);
  await button(owner, "Done").click();
  await owner.getByText("widgets.read, workflows.read").waitFor();
  await accessible(owner, "keys");
  await button(owner, "Revoke Wallboard").click();
  await owner.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await owner.getByText("No API keys").waitFor();
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
  await owner.getByText("No single member has an assignment.").waitFor();
});

await step("the personal workspace has households and no business categories", async () => {
  await owner.goto(`${origin}/settings/households`);
  await button(owner, "Switch to personal").click();
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
  for (const until = Date.now() + 20_000; Date.now() < until && (await card.count()) === 0;) {
    await member.goto(`${origin}/actions`);
    await still(member);
  }
  await accessible(member, "an invitation");
  await card.getByRole("button", { name: /^Accept/ }).click();
  await member.getByText("Invitation accepted.").waitFor();
  await member.goto(`${origin}/settings/households`);
  await member.getByRole("heading", { level: 2, name: "Family Lovelace" }).waitFor();
  await member.getByRole("button", { name: /Switch workspace/ }).click();
  await member.getByRole("menuitemradio", { name: "acme" }).click();
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
  await owner.getByText(/^No connection/).waitFor();
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
  await owner.getByText("2 min old: CRM does not respond").waitFor();
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
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wider <= 0, `${path} is ${wider} px too wide at ${width}`);
      assert.deepEqual(await smallTargets(page), [], path);
      await accessible(page, `${path} at ${width}`);
    }
    await page.goto(`${origin}/dashboard`);
    await page.locator("[data-source]").first().waitFor();
    await picture(page, `dashboard-${width}`);
    await page.context().close();
  }
});

await step("the first view is small", async () => {
  const { requests, script } = await firstView(owner.context(), `${origin}/dashboard`);
  assert.ok(requests <= 16, `${requests} requests`);
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
  await visitor.getByText("from 49.00 USD a seat").waitFor();
  await visitor.goto(`${origin}/waitlist`);
  assert.match(await visitor.locator("noscript").first().textContent(), /This form needs scripts/);
  assert.ok(await button(visitor, "Join the waitlist").isDisabled());
});

await step("a visitor joins the waitlist and books a demo on a free time", async () => {
  const visitor = await opened();
  for (const path of ["/", "/pricing", "/portfolio", "/developers", "/waitlist", "/demo", "/sales"]) {
    await visitor.goto(`${origin}${path}`);
    await accessible(visitor, path);
  }
  await visitor.goto(`${origin}/waitlist`);
  await visitor.getByLabel("Email").fill("visitor@example.org");
  await visitor.getByLabel("You may write to me").check();
  await button(visitor, "Join the waitlist").click();
  await visitor.getByText("You are on the waitlist.").waitFor();
  await visitor.goto(`${origin}/demo`);
  await visitor.getByLabel("Name").fill("Visitor");
  await visitor.getByLabel("Email").fill("visitor@example.org");
  await visitor.getByLabel("Company").fill("Engines");
  const time = await visitor.locator("select[name=slot] option").nth(1).getAttribute("value");
  await visitor.getByLabel("Time").selectOption(time);
  await button(visitor, "Send").click();
  await visitor.getByText("You will receive an email from us.").waitFor();
  await visitor.goto(`${origin}/demo`);
  assert.equal(await visitor.locator(`select[name=slot] option[value="${time}"]`).count(), 0);
  await picture(visitor, "demo");
});

await finish();
