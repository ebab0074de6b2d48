// Every page that the apps' own links lead to: walks.mjs WANTED (JSON of tests/http/page_walks.py). Each is walked by keyboard, is looked at while it waits and
// when its service fails, in languages that are long and that are written from right to left, on a phone. And what of a person is left when they have
// signed out. Ends in "N passed, N failed".
import assert from "node:assert/strict";
import { accessible, fillSignIn, startSteps } from "./browser.mjs";

const { program, screens, origins, services, people, part, keyboard } = JSON.parse(process.argv[2]);
// Else Playwright switches off what the step about Back is about.
const { opened, step, finish } = await startSteps({ program, screens, suite: "walks", launch: { ignoreDefaultArgs: ["--disable-back-forward-cache"] }, options: { reducedMotion: "reduce" } });

async function signedIn(page, app, who, path = "/") {
  await page.goto(`${origins[app]}/login?return_to=${encodeURIComponent(path)}`);
  await fillSignIn(page, people[who]);
  await page.waitForURL((url) => url.pathname !== "/login");
  await titled(page);
}
const titled = (page) => page.getByRole("heading", { level: 1 }).first().waitFor();
const still = (page) => page.waitForFunction(() => document.querySelector("main h1") && !document.querySelector("main [aria-busy=true]"));

/** The texts of a person are in a language from now on. */
async function speaks(who, locale) {
  const body = JSON.stringify({ identifier: people[who][0], password: people[who][1], service_id: "identity" });
  const headers = { "Content-Type": "application/json" };
  const { access_token } = await (await fetch(`${services.identity}/api/auth/login`, { method: "POST", headers, body })).json();
  const answer = await fetch(`${services.identity}/api/auth/me/preferences`, { method: "PATCH", headers: { ...headers, Authorization: `Bearer ${access_token}` }, body: JSON.stringify({ shared: { locale } }) });
  assert.ok(answer.ok, `${answer.status}`);
}

const kindOf = (path) => path.replace(/\/[a-z]+_[0-9a-z]{26}/g, "/:id");
/** The pages of this app that a page has links to. */
const linked = (page) =>
  page.evaluate(() => [...document.querySelectorAll("a[href]")].filter((each) => each.origin === location.origin && !each.download && !each.target).map((each) => each.pathname));

/** What can be used by a pointer, and the faults of it that need no walk. In the page. */
function controls() {
  const name = (each) => each.outerHTML.replace(/ (class|style|d)="[^"]*"/g, "").slice(0, 140);
  const patterns = "[role=grid],[role=listbox],[role=tablist],[role=radiogroup],[role=menu],[role=tree],[role=toolbar],[data-column],fieldset";
  const all = [...document.querySelectorAll("a[href],button,input:not([type=hidden]),select,textarea,summary,iframe,[tabindex]")].filter(
    (each) => each.checkVisibility({ visibilityProperty: true }) && !each.disabled && !each.closest("[inert],[aria-hidden=true]") && each.getClientRects().length,
  );
  window.walk = { all, tabbable: all.filter((each) => each.tabIndex >= 0 && !(each.type === "radio" && !each.checked)), seen: new Set(), name };
  const lost = all.filter((each) => each.tabIndex < 0 && !each.closest(patterns) && each.matches("a[href],button,input,select,textarea"));
  const first = all.filter((each) => each.tabIndex > 0);
  // Tab goes on from where the focus was, also when that is gone.
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute("tabindex");
  return [...lost.map((each) => `cannot be reached: ${name(each)}`), ...first.map((each) => `comes before its turn: ${name(each)}`)];
}

/** Where Tab has led, and what is wrong with that; null when it has left the page. In the page. */
function stop() {
  const at = document.activeElement;
  const { walk } = window;
  if (!at || at === document.body || at === document.documentElement) return null;
  // A field for a date has several stops; the browser marks those within it.
  if (at === walk.last) return { again: false, faults: [] };
  const again = walk.seen.has(at) && at.tagName !== "IFRAME";
  walk.seen.add(at);
  walk.last = at;
  const faults = [];
  const marked = (each) => {
    const style = each && getComputedStyle(each);
    return style && ((style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none");
  };
  // The mark may be around what a field is part of.
  if (at.tagName !== "IFRAME" && ![at, at.parentElement, at.nextElementSibling, ...(at.labels ?? []), at.closest("[role=row],[role=gridcell]")].some(marked)) faults.push(`focus is not seen: ${walk.name(at)}`);
  const { left, top, right, bottom } = at.getBoundingClientRect();
  if (right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight) faults.push(`focus is out of sight: ${walk.name(at)}`);
  else {
    const [x, y] = [(Math.max(left, 0) + Math.min(right, innerWidth)) / 2, (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2];
    const over = document.elementFromPoint(x, y);
    if (over && !at.contains(over) && !over.contains(at) && ![...(at.labels ?? [])].some((label) => label.contains(over)) && !over.closest("label,[data-portal]")) faults.push(`focus is covered: ${walk.name(at)} by ${walk.name(over)}`);
  }
  return { again, faults };
}

/** Walks a page by Tab until that leaves it: every control is reached once, in the order of the page, is in sight and shows that it has the focus. */
async function walked(page, path) {
  const faults = await page.evaluate(controls);
  const most = 3 * (await page.evaluate(() => window.walk.all.length)) + 200;
  let steps = 0;
  for (; steps < most; ++steps) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(stop);
    if (!at || at.again) break;
    faults.push(...at.faults);
  }
  if (steps === most) faults.push("Tab does not come to an end");
  faults.push(...(await page.evaluate(() => window.walk.tabbable.filter((each) => each.isConnected && each.checkVisibility() && !each.disabled && !window.walk.seen.has(each)).map((each) => `Tab does not reach ${window.walk.name(each)}`))));
  // Of what arrows lead through, one is reached by Tab, and from there the next.
  for (const widget of await page.locator("[role=grid],[role=tablist],[role=radiogroup]").all()) {
    const items = await widget.evaluate((box) => [...box.querySelectorAll("[tabindex='-1']")].filter((each) => each.checkVisibility()).length);
    if (items < 2) continue;
    const moved = await widget.evaluate((box) => (box.querySelector("[tabindex='0']") ?? box).focus()).then(async () => {
      const before = await page.evaluateHandle(() => document.activeElement);
      for (const key of ["ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
      return page.evaluate((from) => document.activeElement !== from || document.activeElement.hasAttribute("aria-activedescendant"), before);
    });
    if (!moved) faults.push(`arrows do not lead through ${await widget.evaluate((box) => window.walk.name(box))}`);
  }
  return faults.map((each) => `${path}: ${each}`);
}

const wide = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

/** What pages read before they can be anything, and what never ends. */
const frame = /\/api\/(auth\/(me|me\/preferences|session-events|refresh|login|login-config|context|app-switcher.*)|changes|app-switcher.*|admin\/context)$/;

const tours = { crm: ["crm", "owner", "/dashboard"], calendar: ["calendar", "owner", "/app"], admin: ["admin", "owner", "/profile"], console: ["admin", "operator", "/platform"] };
for (const [name, [app, who, home]] of Object.entries(tours).filter(([name]) => part === name)) {
  const pages = new Map([[kindOf(home), home]]);
  await step(`${name}: every page by keyboard, and on a phone in long words`, async () => {
    await speaks(who, "en-XA");
    const page = await opened();
    await signedIn(page, app, who, home);
    const faults = [];
    for (const path of pages.values()) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(origins[app] + path);
      await still(page);
      for (const each of await linked(page)) if (!/^\/(auth\/|login|api\/|$)/.test(each) && !pages.has(kindOf(each)) && (name !== "console" || each.startsWith(home))) pages.set(kindOf(each), each);
      if (keyboard) faults.push(...(await walked(page, path)));
      await page.setViewportSize({ width: 320, height: 640 });
      const over = await wide(page);
      if (over > 0) faults.push(`${path}: scrolls sideways by ${over} px in en-XA`);
      await page.screenshot({ path: `${screens}/walk-${name}${kindOf(path).replace(/\W+/g, "-")}-xa.png`, fullPage: true });
    }
    assert.deepEqual(faults, []);
  });

  await step(`${name}: every page from right to left, while it waits, when its service fails, and with what it shows`, async () => {
    await speaks(who, "ar-XB");
    const page = await opened({ viewport: { width: 320, height: 640 } });
    let state = "whole";
    const held = [];
    await page.route("**/api/**", (route) => {
      if (state === "whole" || route.request().method() !== "GET" || frame.test(new URL(route.request().url()).pathname)) return route.fallback();
      if (state === "waits") return held.push(route);
      return refuse(route);
    });
    const refuse = (route) => route.fulfill({ status: 500, contentType: "application/problem+json", body: JSON.stringify({ type: "about:blank", title: "Internal Server Error", status: 500, code: "internal_error", requestId: "01jd0000000000000000000000", errors: [], details: {} }) }).catch(() => undefined);
    await signedIn(page, app, who, home);
    const faults = [];
    const looked = async (path, what) => {
      await accessible(page, `${path}, ${what}`).catch((error) => faults.push(error.message));
      const over = await wide(page);
      if (over > 0) faults.push(`${path}: scrolls sideways by ${over} px, ${what}`);
      await page.screenshot({ path: `${screens}/walk-${name}${kindOf(path).replace(/\W+/g, "-")}-${what}.png` });
    };
    for (const path of pages.values()) {
      state = "waits";
      await page.goto(origins[app] + path, { waitUntil: "commit" });
      await page.waitForFunction(() => document.documentElement.dir === "rtl" && document.querySelector("main h1, main [aria-busy=true]"));
      await looked(path, "waiting");
      state = "fails";
      held.splice(0).forEach(refuse);
      await still(page).catch(() => faults.push(`${path}: does not say that its service fails`));
      await looked(path, "failed");
      state = "whole";
      await page.goto(origins[app] + path);
      await still(page);
      await looked(path, "rtl");
    }
    assert.deepEqual(faults, []);
  });
  await speaks(who, "en");
}

/** What a tab holds of texts, garbage left out. */
async function stringsOf(page) {
  const tools = await page.context().newCDPSession(page);
  const chunks = [];
  tools.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => chunks.push(chunk));
  await tools.send("HeapProfiler.takeHeapSnapshot");
  return JSON.parse(chunks.join("")).strings;
}
async function signOut(page) {
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
  await page.waitForURL(/\/login/);
  await page.getByLabel("E-mail").waitFor();
}
/** A contact is read, by way of the list. */
async function readsContact(page, at = 1) {
  await page.getByRole("navigation").getByRole("link", { name: "Contacts", exact: true }).click();
  const link = page.locator(`[data-index='${at}'] a`).first();
  await link.waitFor();
  const name = await link.textContent();
  await link.click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
  await still(page);
  return name;
}

if (part === "left") {
  await step("after a sign-out nothing of the person is in the tab's memory, and Back shows nothing of them", async () => {
    const page = await opened();
    await signedIn(page, "crm", "admin");
    const name = await readsContact(page);
    const address = await page.evaluate(() => document.querySelector("main a[href^='mailto:']")?.textContent);
    const [kept] = await page.evaluate(() => Object.values(sessionStorage).map((each) => JSON.parse(each).token).filter(Boolean));
    const secrets = [name, address, kept];
    assert.ok(secrets.every((each) => each?.length > 5), String(secrets));
    const before = await stringsOf(page);
    for (const each of secrets) assert.ok(before.some((text) => text.includes(each)), "what is looked for is found where it is");
    await signOut(page);
    const after = await stringsOf(page);
    assert.deepEqual(secrets.filter((each) => after.some((text) => text.includes(each))), []);
    assert.deepEqual(await page.evaluate(() => Object.values(sessionStorage).filter((each) => each.includes("eyJ"))), []);
    await page.goBack();
    await page.waitForURL(/\/login/);
    await page.getByLabel("E-mail").waitFor();
    assert.equal(await page.getByText(name).count(), 0);
  });

  await step("a page that the browser has kept shows itself to the same person only, and follows changes again", async () => {
    const page = await opened();
    await page.addInitScript(() => addEventListener("pageshow", ({ persisted }) => (document.documentElement.dataset.kept = persisted)));
    await signedIn(page, "crm", "admin");
    const name = await readsContact(page, 2);
    const back = async () => {
      await page.goto(`${origins.identity}/forgot-password`);
      await page.goBack({ waitUntil: "commit" });
    };
    await back();
    await page.waitForFunction(() => document.documentElement.style.opacity === "");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.kept), "true", "the browser has not kept it");
    await page.getByRole("heading", { level: 1, name }).waitFor();
    // Another program of the person changes it.
    const [path, token] = await page.evaluate(() => [location.pathname, Object.values(sessionStorage).map((each) => JSON.parse(each).token).find(Boolean)]);
    const change = (jobTitle) => fetch(`${services.crm}/api${path}`, { method: "PUT", headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }, body: JSON.stringify({ jobTitle }) });
    assert.equal((await change("Resumed")).status, 200);
    await page.locator("main").getByText("Resumed").first().waitFor();
    // They sign out elsewhere while it is kept.
    await page.goto(`${origins.identity}/forgot-password`);
    const ended = await fetch(`${services.crm}/api/auth/logout`, { method: "POST", headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", "X-Platform-Auth": "1", "X-Service-ID": "crm" }, body: JSON.stringify({ scope: "browser" }) });
    assert.ok(ended.ok, `${ended.status} ${await ended.clone().text()}`);
    await page.goBack({ waitUntil: "commit" });
    await page.waitForURL(/\/login/);
    await page.getByLabel("E-mail").waitFor();
    assert.equal(await page.getByText(name).count(), 0);
  });

  await step("pages that are opened and closed again leave no growing heap", async () => {
    const page = await opened();
    await signedIn(page, "crm", "admin");
    const tools = await page.context().newCDPSession(page);
    const used = async () => {
      await tools.send("HeapProfiler.collectGarbage");
      const { usedSize } = await tools.send("Runtime.getHeapUsage");
      const { nodes } = await tools.send("Memory.getDOMCounters");
      return { usedSize, nodes };
    };
    const round = async (times) => {
      for (let left = times; left; --left)
        for (const path of ["/contacts", "/pipeline", "/settings", "/dashboard"]) {
          await page.locator(`nav a[href="${path}"]`).first().click();
          await page.waitForURL((url) => url.pathname.startsWith(path));
          await still(page);
        }
    };
    await round(3);
    const before = await used();
    await round(10);
    const after = await used();
    assert.ok(after.usedSize < before.usedSize + 1.5 * 2 ** 20, `${before.usedSize} bytes, then ${after.usedSize}`);
    assert.ok(after.nodes < before.nodes + 2_000, `${before.nodes} nodes, then ${after.nodes}`);
  });
}

await finish();
