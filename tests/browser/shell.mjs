// What people see of the shell, step by step: shell.mjs WANTED (JSON of tests/http/app_shell.py). Ends in "N passed, N failed".
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { accessible, codeOf, fillSignIn as fill, fitsWindow, startSteps } from "./browser.mjs";

const { program, origin, service, identity, ctl, pages, screens, people } = JSON.parse(process.argv[2]);
const { complaints, opened, step, finish } = await startSteps({ program, screens, suite: "shell" });

async function signIn(page, path = "/dashboard", who = "owner") {
  await page.goto(origin + path);
  await page.waitForURL(/\/login/);
  await fillSignIn(page, who);
  await page.waitForSelector("#count:not(:empty)");
}

const fillSignIn = (page, who = "owner") => fill(page, people[who]);

/** The headers of a program that is signed in. */
async function session(who, at = service, serviceId = "crm") {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ identifier: people[who][0], password: people[who][1], service_id: serviceId });
  const answer = await fetch(`${at}/api/auth/login`, { method: "POST", headers, body });
  return { ...headers, Authorization: `Bearer ${(await answer.json()).access_token}` };
}

async function post(address, headers, body) {
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(body) });
  assert.ok(answer.ok, `${address}: ${answer.status} ${await answer.clone().text()}`);
  return answer.json();
}

const count = (page) => page.locator("#count").textContent();
/** Puts another build of the pages where the service has its own: the same one, whose files have other names. */
function replaceBuild(mark) {
  const as = (text) => text.replace(/(-[0-9a-f]{6})[0-9a-f]{2}\.(js|css)/g, `$1${mark}.$2`);
  for (const file of readdirSync(pages, { recursive: true }).filter((each) => /\.(html|js|css|json)$/.test(each))) {
    const text = readFileSync(`${pages}/${file}`, "utf8");
    for (const old of ["", ".br", ".gz"]) rmSync(`${pages}/${file}${old}`, { force: true });
    writeFileSync(`${pages}/${as(file)}`, as(text));
  }
}
const porticoctl = (...words) => execFileSync(ctl[0], [...ctl.slice(1), ...words]);

await step("signs in and lands where one wanted to go; Back does not lead to the sign-in", async () => {
  const page = await opened();
  await page.goto("about:blank");
  await signIn(page, "/dashboard?q=ada#x");
  assert.equal(page.url(), `${origin}/dashboard?q=ada#x`);
  await page.goBack();
  assert.doesNotMatch(page.url(), /login/);
  const kept = await page
    .goto(`${origin}/dashboard`)
    .then(() => page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage), document.cookie]));
  assert.ok(
    kept[0].every((key) => /^portico\.(theme|density)$/.test(key)),
    String(kept[0]),
  );
  assert.ok(
    kept[1].every((key) => key.startsWith("portico.crm.")),
    String(kept[1]),
  );
  assert.equal(kept[2], "");
});

await step("leads from an app's sign-in to a registration that leads back, and says how the first account is made", async () => {
  const page = await opened();
  await page.goto(`${origin}/login?return_to=${encodeURIComponent("/dashboard?q=ada")}`);
  const register = new URL(await page.getByRole("link", { name: "Create account" }).getAttribute("href"));
  assert.deepEqual([register.pathname, [...register.searchParams]], ["/register", [["return_to", `${origin}/dashboard?q=ada`]]]);
  assert.equal(await page.getByText("There are no accounts yet.").count(), 0);
  await page.goto(register.href);
  await page.locator("form input[name=return_to]").waitFor({ state: "attached" });
  await page.route("**/login-config*", async (route) => route.fulfill({ json: { hasAccounts: false } }));
  await page.goto(`${origin}/login`);
  await page.getByText("There are no accounts yet.").waitFor();
  await accessible(page, "the sign-in page before there is an account");
});

await step("refuses a wrong password in one sentence, and goes on with the right one", async () => {
  const page = await opened();
  await page.goto(`${origin}/login`);
  await page.getByLabel("E-mail").fill(people.owner[0]);
  await page.getByLabel("Password", { exact: true }).fill("wrong");
  await page.keyboard.press("Enter");
  await page.getByText("Incorrect e-mail or password.").waitFor();
  await page.getByLabel("Password", { exact: true }).fill(people.owner[1]);
  await page.getByRole("button", { name: "Show" }).click();
  assert.equal(await page.getByLabel("Password", { exact: true }).inputValue(), people.owner[1]);
  await page.keyboard.press("Enter");
  await page
    .getByRole("button", { name: "Sign in", exact: true })
    .click({ timeout: 1_000 })
    .catch(() => undefined);
  await page.waitForURL(`${origin}/dashboard`);
});

for (const evil of [
  "//evil.example",
  "/\\evil.example",
  "https:evil.example",
  "javascript:alert(1)",
  "%2F%2Fevil.example",
  `/${"x".repeat(3_000)}`,
])
  await step(`drops return_to=${evil.slice(0, 30)}`, async () => {
    const page = await opened();
    await page.goto(`${origin}/login?return_to=${encodeURIComponent(evil)}`);
    await fillSignIn(page);
    await page.waitForURL(`${origin}/dashboard`);
  });

await step("a sign-in in another tab lets this one go on by itself", async () => {
  const page = await opened();
  await page.goto(`${origin}/login?return_to=/contacts`);
  await page.getByLabel("E-mail").waitFor();
  await signIn(await page.context().newPage());
  await page.waitForURL(`${origin}/contacts`);
});

await step("a callback that was not started here says so, once, with a way on", async () => {
  const page = await opened();
  await page.goto(`${origin}/auth/callback?sso_code=invented&state=foreign`);
  await page.getByText("This sign-in was not started in this tab.").waitFor();
  assert.equal(page.url(), `${origin}/auth/callback`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/login/);
});

await step("an app that there is not cannot be launched, and a way back is offered", async () => {
  const page = await opened();
  await signIn(page);
  await page.goto(`${origin}/auth/launch/nowhere`);
  await page.getByText("This app does not exist").waitFor();
  await page.getByRole("button", { name: "Back to Shell" }).click();
  await page.waitForSelector("#count:not(:empty)");
});

await step("the first view is small", async () => {
  const page = await opened();
  await signIn(page);
  const asked = [];
  page.on("request", (request) => request.resourceType() !== "eventsource" && asked.push(new URL(request.url()).pathname));
  await page.reload();
  await page.waitForSelector("#count:not(:empty)");
  assert.ok(asked.length <= 14, asked.join("\n"));
});

await step("the palette and keys act, and the focus returns", async () => {
  const page = await opened();
  await signIn(page);
  const search = page.getByRole("button", { name: "Search or go to…" });
  await search.focus();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("brok");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${origin}/contacts`);
  await page.keyboard.press("?");
  await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  await page.goto(`${origin}/dashboard`);
  await page.waitForSelector("#count:not(:empty)");
  await page.keyboard.press("c");
  await page.waitForFunction(() => document.activeElement.id === "name");
  await page.keyboard.type("c?");
  assert.equal(await page.locator("#name").inputValue(), "c?");
  await search.focus();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").waitFor();
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement?.textContent?.startsWith("Search or go to…"));
});

await step("theme, language and sidebar follow the person to another browser", async () => {
  const page = await opened();
  await signIn(page, "/dashboard", "member");
  const saved = () =>
    page.waitForResponse((response) => response.url().endsWith("/preferences") && response.request().method() === "PATCH");
  const account = page.getByRole("button", { name: /^(Account of|Konto von)/ });
  await account.click();
  await Promise.all([saved(), page.getByRole("menuitemradio", { name: "Dark" }).click()]);
  await Promise.all([saved(), page.getByRole("menuitemradio", { name: "Deutsch" }).click()]);
  await page.getByRole("heading", { name: "Menschen" }).waitFor();
  await page.keyboard.press("Escape");
  await Promise.all([saved(), page.getByRole("button", { name: "Einklappen" }).click()]);
  const other = await opened();
  await signIn(other, "/dashboard", "member");
  await other.getByRole("heading", { name: "Menschen" }).waitFor();
  assert.deepEqual(await other.evaluate(() => [document.documentElement.lang, document.documentElement.dataset.theme]), ["de", "dark"]);
  await other.getByRole("button", { name: "Seitenleiste ausklappen" }).waitFor();
  // No flash: the theme is there before the first style.
  await other.addInitScript(() =>
    document.addEventListener("DOMContentLoaded", () => (window.early = document.documentElement.dataset.theme)),
  );
  await other.reload();
  assert.equal(await other.evaluate(() => window.early), "dark");
});

await step("without a network a bar says so, and the change is sent once when it is back", async () => {
  const page = await opened();
  await signIn(page);
  const before = Number.parseInt(await count(page));
  // Also to who only reads.
  for (const [offline, state] of [
    [true, "visible"],
    [false, "hidden"],
  ]) {
    await page.context().setOffline(offline);
    await page.getByText("You are offline").waitFor({ state });
  }
  await page.context().setOffline(true);
  await page.getByLabel("Given name").fill("Offline");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText(/You are offline.*1 change is not saved yet/).waitFor();
  assert.equal(Number.parseInt(await count(page)), before);
  await page.context().setOffline(false);
  await page.getByText(`${before + 1} p`).waitFor();
  await page.getByText("You are offline").waitFor({ state: "hidden" });
});

await step("a lost answer creates once", async () => {
  const page = await opened();
  await signIn(page);
  const before = Number.parseInt(await count(page));
  const keys = [];
  await page.route("**/api/contacts", async (route) => {
    if (route.request().method() !== "POST") return route.fallback();
    keys.push(await route.request().headerValue("Idempotency-Key"));
    if (keys.length > 1) return route.continue();
    // The server does it, and its answer is lost.
    const headers = {
      Authorization: await route.request().headerValue("Authorization"),
      "Content-Type": "application/json",
      "Idempotency-Key": keys[0],
    };
    await fetch(`${service}/api/contacts`, { method: "POST", body: route.request().postData(), headers });
    return route.abort("connectionreset");
  });
  await page.getByLabel("Given name").fill("Once");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByLabel("Messages").getByText("Once").waitFor();
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
  await page.getByText(`${before + 1} p`).waitFor();
});

await step("a session that is ended elsewhere is signed in again in place, and nothing typed is lost", async () => {
  const page = await opened();
  await signIn(page);
  const before = Number.parseInt(await count(page));
  await page.getByLabel("Note").fill("half written");
  await page.getByLabel("Given name").fill("Still here");
  await fetch(`${service}/api/auth/sessions?except=current`, { method: "DELETE", headers: await session("owner") });
  await page.getByRole("heading", { name: "Sign in again to continue" }).waitFor();
  assert.equal(page.url(), `${origin}/dashboard`);
  assert.equal(await page.getByLabel("E-mail").inputValue(), people.owner[0]);
  await page.getByLabel("Password", { exact: true }).fill(people.owner[1]);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Sign in again to continue" }).waitFor({ state: "detached" });
  assert.equal(await page.getByLabel("Note").inputValue(), "half written");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText(`${before + 1} p`).waitFor();
});

await step("a service that is switched off says so and comes back with what was typed", async () => {
  const page = await opened();
  await signIn(page);
  const before = Number.parseInt(await count(page));
  await page.getByLabel("Given name").fill("Patient");
  porticoctl("disable", "crm");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "Shell is turned off" }).waitFor();
  porticoctl("enable", "crm");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText(`${before + 1} p`).waitFor();
  assert.equal(await page.getByLabel("Given name").inputValue(), "Patient");
});

await step("what needs a fresh proof asks for it, and goes on by itself", async () => {
  const page = await opened();
  await signIn(page);
  await page.getByRole("link", { name: "Broken" }).click();
  await page.getByRole("button", { name: "Prove it" }).click();
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Password").fill(people.owner[1]);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Proven" }).waitFor();
  assert.equal(await page.getByRole("dialog").count(), 0);
});

await step("a part that throws says so, and the rest works", async () => {
  const page = await opened();
  await signIn(page);
  await page.goto(`${origin}/contacts`);
  await page.getByRole("button", { name: "Break it" }).click();
  await page.getByRole("heading", { name: "Something went wrong here" }).waitFor();
  assert.equal(await page.locator("#rest").textContent(), "The rest");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: "Break it" }).waitFor();
  assert.equal(
    complaints.splice(0).every((each) => each.includes("boom")),
    true,
  );
});

await step("a part of the app that is gone is tried three times, then a new version is offered", async () => {
  const page = await opened();
  await signIn(page);
  let tries = 0;
  await page.route(/\/assets\/broken-/, (route) => (++tries, route.abort()));
  await page.route("**/build.json", (route) => route.fulfill({ json: { service: "crm", build: "2", entry: "/assets/index-other.js" } }));
  await page.getByRole("link", { name: "Broken" }).click();
  await page.getByRole("heading", { name: "A new version is available" }).waitFor();
  assert.equal(tries, 3);
  complaints.length = 0;
});

await step(
  "a stream that is broken is marked after a minute, replaced by reading again, and the mark goes when it is back, also where it never was",
  async () => {
    const page = await opened();
    await page.clock.install();
    const refused = (route) => route.abort();
    await page.route("**/api/changes", refused);
    await signIn(page);
    const mark = page.getByText("Live updates are off. The page updates every 30 seconds.");
    const made = async () => post(`${service}/api/contacts`, await session("owner"), { firstName: "Unheard" });
    const reads = async (after) => {
      const before = Number.parseInt(await count(page));
      await made();
      await after();
      await page.getByText(`${before + 1} p`).waitFor();
    };
    const back = () => page.waitForResponse((answer) => answer.url().endsWith("/api/changes") && answer.ok());
    for (const breaks of [() => undefined, () => porticoctl("reload", "crm")]) {
      breaks();
      await page
        .waitForEvent("requestfailed", { predicate: (request) => request.url().endsWith("/api/changes"), timeout: 1_000 })
        .catch(() => undefined);
      // The clock of the page advances between these calls, on a slow machine by some seconds.
      await page.clock.fastForward(25_000);
      assert.equal(await mark.count(), 0);
      await page.clock.fastForward(37_000);
      await mark.waitFor();
      await reads(() => page.clock.fastForward(31_000));
      await reads(() => page.clock.fastForward(31_000));
      await page.unroute("**/api/changes", refused);
      await Promise.all([back(), page.clock.fastForward(31_000)]);
      await mark.waitFor({ state: "detached" });
      await page.clock.fastForward(61_000);
      await reads(() => undefined);
      assert.equal(await mark.count(), 0);
      await page.route("**/api/changes", refused);
    }
  },
);

await step("another build is offered, comes with the next change of page where nothing is unsaved, and not twice in a minute", async () => {
  const page = await opened();
  await page.clock.install();
  await signIn(page);
  const offer = page.getByText("A new version is available");
  const entry = () => page.evaluate(() => document.scripts[0].src);
  const [old, link] = [await entry(), (name) => page.getByRole("link", { name }).click()];
  const another = (mark) => {
    replaceBuild(mark);
    porticoctl("reload", "crm");
  };
  another("a2");
  await offer.waitFor();
  // Young as it is, it goes on as it was; so does one on which something would be lost.
  await link("Broken");
  await page.getByRole("button", { name: "Break it" }).waitFor();
  await link("People");
  await page.clock.fastForward(61_000);
  await page.getByLabel("Note").fill("half written");
  await offer.waitFor();
  await link("Broken");
  assert.equal(await entry(), old);
  await page.goBack();
  await page.waitForSelector("#count:not(:empty)");
  await page.getByLabel("Note").fill("");
  await Promise.all([page.waitForEvent("load"), link("Broken")]);
  await page.getByRole("button", { name: "Break it" }).waitFor();
  assert.match(await entry(), /a2\.js$/);
  assert.equal(await offer.count(), 0);
  another("a3");
  await offer.waitFor();
  await link("People");
  await page.waitForSelector("#count:not(:empty)");
  assert.match(await entry(), /a2\.js$/);
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Reload" }).click()]);
  await page.waitForSelector("#count:not(:empty)");
  assert.match(await entry(), /a3\.js$/);
});

await step("a workspace that is switched in one tab is switched in all; what is unsaved is asked about", async () => {
  const page = await opened();
  await post(`${identity}/api/organizations`, await session("owner", identity, "identity"), { name: "Globex" });
  await signIn(page);
  const other = await page.context().newPage();
  await other.goto(`${origin}/dashboard`);
  await other.waitForSelector("#count:not(:empty)");
  const switchTo = async (tab, from, to) => {
    await tab.getByRole("button", { name: `${from} Owner Switch workspace` }).click();
    await tab.getByRole("menuitemradio", { name: to }).click();
    await tab.getByRole("button", { name: `${to} Owner Switch workspace` }).waitFor();
  };
  await switchTo(page, "acme", "Globex");
  await other.getByRole("button", { name: "Globex Owner Switch workspace" }).waitFor();
  await other.getByText("Switched to Globex.").waitFor();
  await other
    .locator("#count")
    .and(other.getByText("0 people", { exact: true }))
    .waitFor();
  await other.getByLabel("Note").fill("of Globex");
  await switchTo(page, "Globex", "acme");
  await other.getByRole("heading", { name: "You switched to acme in another tab" }).waitFor();
  await other.getByRole("button", { name: "Switch back to Globex" }).click();
  await other.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(await other.getByLabel("Note").inputValue(), "of Globex");
  await page.getByRole("button", { name: "Globex Owner Switch workspace" }).waitFor();
});

await step("a second factor is asked for in place", async () => {
  const before = await session("admin");
  const { access_token } = await post(`${service}/api/auth/step-up`, before, { factor: "password", password: people.admin[1] });
  const headers = { ...before, Authorization: `Bearer ${access_token}` };
  const { enrollmentId, secret } = await post(`${service}/api/auth/mfa/totp/enroll`, headers, { name: "Phone" });
  const { recoveryCodes } = await post(`${service}/api/auth/mfa/totp/activate`, headers, { enrollmentId, code: codeOf(secret) });
  const page = await opened();
  await page.goto(`${origin}/login`);
  await fillSignIn(page, "admin");
  await page.getByLabel("Six-digit code").fill("000000");
  await page.getByText("Incorrect code.").waitFor();
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill(recoveryCodes[0]);
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.waitForSelector("#count:not(:empty)");
});

await step("signing out ends all tabs", async () => {
  const page = await opened();
  await signIn(page);
  const other = await page.context().newPage();
  await other.goto(`${origin}/dashboard`);
  await other.waitForSelector("#count:not(:empty)");
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
  await page.waitForURL(/\/login/);
  await other.getByRole("heading", { name: "Sign in again to continue" }).waitFor();
});

for (const colorScheme of ["light", "dark"])
  await step(`all can use it: ${colorScheme}`, async () => {
    const page = await opened({ colorScheme });
    const picture = (name) => page.screenshot({ path: `${screens}/shell-${name}-${colorScheme}.png` });
    await page.goto(`${origin}/login`);
    await page.getByLabel("E-mail").waitFor();
    await accessible(page, "login");
    await picture("login");
    await fillSignIn(page);
    await page.waitForSelector("#count:not(:empty)");
    await accessible(page, "page");
    await picture("page");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    await accessible(page, "palette");
    await picture("palette");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Account of/ }).click();
    await accessible(page, "account");
    await picture("account");
    await page.keyboard.press("Escape");
    for (const width of [320, 768]) {
      await page.setViewportSize({ width, height: 640 });
      await fitsWindow(page, `${width} px`);
      await accessible(page, `${width} px`);
      await picture(width);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("dialog").waitFor();
    await accessible(page, "drawer");
    await picture("drawer");
  });

await step("a language from right to left", async () => {
  const headers = await session("member");
  await fetch(`${service}/api/auth/me/preferences`, {
    method: "PATCH",
    headers,
    body: JSON.stringify({ shared: { locale: "ar-XB", sidebarFolded: null } }),
  });
  const page = await opened({ locale: "ar-XB" });
  await page.goto(`${origin}/login`);
  await page.locator("#password").waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.dir), "rtl");
  await page.locator("[name=identifier]").fill(people.member[0]);
  await page.locator("#password").fill(people.member[1]);
  await page.keyboard.press("Enter");
  await page.waitForSelector("#count:not(:empty)");
  await page.waitForFunction(() => document.documentElement.dir === "rtl");
  await accessible(page, "right to left");
  await page.screenshot({ path: `${screens}/shell-rtl-1280.png` });
  await page.setViewportSize({ width: 320, height: 640 });
  await fitsWindow(page, "right to left at 320 px");
  await page.screenshot({ path: `${screens}/shell-rtl-320.png` });
});

await finish();
