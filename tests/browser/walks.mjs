// Every page that an app's own links lead to: walks.mjs WANTED (JSON of tests/http/page_walks.py). Each is walked by keyboard, and looked at on a phone and at
// 400 % in long words; from right to left while it waits, when its service fails, after that, and where there is nothing yet. Ends in "N passed, N failed".
import assert from "node:assert/strict";
import { accessible, kindOf, lasting, signedIn, startSteps, still } from "./browser.mjs";
import { leftOut, walked } from "./walk_checks.mjs";

const { program, screens, origins, people, part } = JSON.parse(process.argv[2]);
const { opened, step, finish } = await startSteps({ program, screens, suite: `walk-${part}`, options: { reducedMotion: "reduce" } });

/** The app, whose pages they are, where the walk begins, and who has nothing there yet: a host always has something to show its operator. */
const tours = {
  crm: ["crm", "owner", "/dashboard", "new"],
  calendar: ["calendar", "owner", "/app", "new"],
  admin: ["admin", "owner", "/profile", "new"],
  console: ["admin", "operator", "/platform"],
};
const [app, who, home, nobody] = tours[part];
/** Tabs that are walked in at the same time. */
const together = 3;
const wide = { width: 1280, height: 800 };
const phone = { width: 320, height: 640 };
/** A window of 1280 by 1024 at 400 %. */
const zoomed = { width: 320, height: 256 };

/** Tabs of a person who has set a language, and nothing else. */
async function tabsOf(person, locale, viewport) {
  const first = await opened({ viewport });
  await first.context().route("**/api/auth/me/preferences", (route) => route.fulfill({ json: { shared: { locale }, services: {} } }));
  await signedIn(first, origins[app], people[person], home);
  return [first, ...(await Promise.all(Array.from({ length: together - 1 }, () => first.context().newPage())))];
}

/** Does something with each page, each in one of the tabs; what is wrong with them. */
async function inTabs(tabs, paths, work) {
  const faults = [];
  const left = [...paths];
  const go = async (tab) => {
    for (let path = left.shift(); path; path = left.shift()) {
      const fault = (what) => faults.push(`${path}: ${what}`);
      await work(tab, path, fault).catch((error) => fault(error.message));
    }
  };
  await Promise.all(tabs.map(go));
  return faults;
}

const picture = (page, path, what, options) =>
  page.screenshot({ path: `${screens}/walk-${part}${kindOf(path).replace(/\W+/g, "-")}-${what}.png`, ...options });
async function looked(page, path, what, fault, within) {
  await accessible(page, what, within).catch((error) => fault(error.message));
  for (const each of await lasting(() => page.evaluate(leftOut))) fault(`${what}: ${each}`);
  await picture(page, path, what);
}

/** The pages of this app that a page has links to. */
const linked = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("a[href]")]
      .filter((each) => each.origin === location.origin && !each.download && !each.target && !each.pathname.startsWith("/auth/"))
      .map((each) => each.pathname),
  );
const belongs = (path) => !/^\/(auth\/|login|api\/|$)/.test(path) && (part !== "console" || path.startsWith(home));

/** A page of each kind, and how much stands on it. */
const pages = new Map([[kindOf(home), home]]);
const whole = new Map();
const portions = "main :is(h2, h3, table, [role=grid])";

await step("every page by keyboard, on a phone and at 400 % in long words", async () => {
  const tabs = await tabsOf(who, "en-XA", wide);
  const faults = [];
  for (let found = [home]; found.length;) {
    const next = [];
    const walk = async (page, path, fault) => {
      await page.setViewportSize(wide);
      await page.goto(origins[app] + path);
      await still(page);
      for (const each of await linked(page))
        if (belongs(each) && !pages.has(kindOf(each))) {
          pages.set(kindOf(each), each);
          next.push(each);
        }
      (await walked(page)).forEach(fault);
      for (const [what, size] of [
        ["phone", phone],
        ["zoomed", zoomed],
      ]) {
        await page.setViewportSize(size);
        for (const each of await lasting(() => page.evaluate(leftOut))) fault(`${what}: ${each}`);
        await picture(page, path, what, { fullPage: what === "phone" });
      }
      whole.set(path, await page.locator(portions).count());
    };
    faults.push(...(await inTabs(tabs, found, walk)));
    found = next;
  }
  assert.ok(!faults.length, faults.join("\n"));
});

/** What pages read before they can be anything, and what never ends. */
const frame =
  /\/api\/(auth\/(me|me\/preferences|session-events|refresh|login|login-config|context|app-switcher.*)|changes|app-switcher.*|admin\/context)$/;
const problem = {
  type: "about:blank",
  title: "Internal Server Error",
  status: 500,
  code: "internal_error",
  requestId: "01jd0000000000000000000000",
  errors: [],
  details: {},
};
const refuse = (route) =>
  route.fulfill({ status: 500, contentType: "application/problem+json", body: JSON.stringify(problem) }).catch(() => undefined);

/** How the service answers a tab: `whole`, `waits` (not at all), `fails`. */
async function serviceOf(page) {
  const held = [];
  const service = { state: "whole", refuseHeld: () => held.splice(0).forEach(refuse) };
  await page.route("**/api/**", (route) => {
    if (service.state === "whole" || route.request().method() !== "GET" || frame.test(new URL(route.request().url()).pathname))
      return route.fallback();
    return service.state === "waits" ? held.push(route) : refuse(route);
  });
  return service;
}

/** Clicks each "Try again" of a page once, and waits until none is left, also when answers of the failing service arrive later. */
async function triedAgain(page) {
  const buttons = page.locator("main").getByRole("button", { name: /Try again/ });
  await buttons.evaluateAll((all) => all.forEach((each) => each.click()));
  await buttons.first().waitFor({ state: "detached" });
  await still(page);
}

await step("every page from right to left, while it waits, when its service fails, and after that", async () => {
  const tabs = await tabsOf(who, "ar-XB", phone);
  const services = new Map(await Promise.all(tabs.map(async (page) => [page, await serviceOf(page)])));
  const faults = await inTabs(tabs, pages.values(), async (page, path, fault) => {
    const service = services.get(page);
    service.state = "waits";
    await page.goto(origins[app] + path, { waitUntil: "commit" });
    await page.waitForFunction(() => document.documentElement.dir === "rtl" && document.querySelector("main h1, main [aria-busy=true]"));
    await looked(page, path, "waiting", fault, "main");
    service.state = "fails";
    service.refuseHeld();
    await still(page);
    await looked(page, path, "failed", fault, "main");
    service.state = "whole";
    await triedAgain(page);
    await page
      .waitForFunction(([each, wanted]) => document.querySelectorAll(each).length >= wanted, [portions, whole.get(path)])
      .catch(() => fault("does not come back whole after a failure"));
    await looked(page, path, "rtl", fault);
  });
  assert.ok(!faults.length, faults.join("\n"));
});

if (nobody)
  await step("every page where there is nothing yet", async () => {
    const tabs = await tabsOf(nobody, "ar-XB", phone);
    const paths = [...pages].filter(([kind, path]) => kind === path).map(([, path]) => path);
    const faults = await inTabs(tabs, paths, async (page, path, fault) => {
      await page.goto(origins[app] + path);
      await still(page);
      await looked(page, path, "nothing", fault, "main");
    });
    assert.ok(!faults.length, faults.join("\n"));
  });

await finish();
