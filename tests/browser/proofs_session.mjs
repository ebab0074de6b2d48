// Nobody is thrown out: many tabs over many lives of the access token, and refreshes that go wrong.
import assert from "node:assert/strict";
import { counted, heading, pass, profile, serverNow, signedIn, soon, step, unseen, wanted } from "./proofs_kit.mjs";

const { origin } = wanted;
const tabs = wanted.long ? 20 : 5;
const lives = wanted.long ? 10 : 2;
/** As the setting says; a refresh is due at 80 to 90 % of it. */
const life = 60;
const refreshes = () => counted("portico_http_requests_total", { route: "POST /api/auth/refresh" });
const tokenOf = (page) => page.evaluate(() => sessionStorage["portico.crm.token"] ?? "");
/** Each tab keeps beside the token what it knows of the clock. */
const issued = (kept) => JSON.parse(kept || "{}").token;

async function opened(count, at = 0) {
  const context = await profile();
  await context.clock.install({ time: serverNow() + at });
  // On a loaded machine a held answer may take longer than a tab waits for it. The clock brings its own limit.
  await context.addInitScript(() => (AbortSignal.timeout = () => new AbortController().signal));
  const pages = [await signedIn(context)];
  while (pages.length < count) {
    const page = await context.newPage();
    await page.goto(`${origin}/${pages.length % 2 ? "contacts" : "pipeline"}`);
    await heading(page, pages.length % 2 ? "Contacts" : "Sales");
    pages.push(page);
  }
  return [context, pages];
}

/** All tabs hold the same token, which is another than `old`. */
const renewed = (pages, old) =>
  soon(async () => {
    const all = new Set((await Promise.all(pages.map(tokenOf))).map(issued));
    return all.size === 1 && !all.has(old);
  });

async function nobodyIsAsked(context, pages) {
  for (const page of pages) assert.equal(await page.getByRole("dialog").count(), 0);
  assert.deepEqual(context.complaints, []);
}

async function oneRefreshALife(context, pages, count) {
  for (let at = 0; at < count; ++at) {
    const [before, old] = [await refreshes(), issued(await tokenOf(pages[0]))];
    await pass(0.9 * life, context);
    await renewed(pages, old);
    assert.equal((await refreshes()) - before, 1, `life ${at}`);
  }
  await nobodyIsAsked(context, pages);
}

await step(`${tabs} tabs over ${lives} lives of the access token refresh once a life, on two streams`, async () => {
  const [context, pages] = await opened(tabs);
  await renewed(pages, "");
  await oneRefreshALife(context, pages, lives);
  const streams = await counted("portico_http_streams");
  assert.ok(streams <= 2, `${streams} streams`);

  // The answer comes when all have been waiting for it.
  let release;
  const held = new Promise((done) => (release = done));
  let late = 0;
  await context.route("**/api/auth/refresh", async (route) => (++late, await held, route.continue()));
  let [before, old] = [await refreshes(), issued(await tokenOf(pages[0]))];
  await pass(0.9 * life, context);
  await soon(() => late > 0);
  await Promise.all(pages.map((page) => page.evaluate(() => new Promise((done) => requestIdleCallback(done)))));
  release();
  await renewed(pages, old);
  assert.deepEqual([late, (await refreshes()) - before], [1, 1], "late");
  await context.unroute("**/api/auth/refresh");

  // The server gets it twice, and answers twice.
  await context.route(
    "**/api/auth/refresh",
    async (route) => (assert.equal((await unseen(route.request())).status, 200), route.continue()),
    { times: 1 },
  );
  [before, old] = [await refreshes(), issued(await tokenOf(pages[0]))];
  await pass(0.9 * life, context);
  await renewed(pages, old);
  assert.equal((await refreshes()) - before, 2, "twice");

  // The answer is lost: the cookie of the browser is an old one by then.
  await context.route(
    "**/api/auth/refresh",
    async (route) => (assert.equal((await unseen(route.request())).status, 200), route.abort("connectionreset")),
    { times: 1 },
  );
  [before, old] = [await refreshes(), issued(await tokenOf(pages[0]))];
  await pass(0.9 * life, context);
  await renewed(pages, old);
  assert.equal((await refreshes()) - before, 2, "lost");
  await nobodyIsAsked(context, pages);

  // The lid is closed for an hour, and the network is there a moment after the page.
  old = issued(await tokenOf(pages[0]));
  await context.setOffline(true);
  await pass(3_600, context);
  before = await refreshes();
  await context.setOffline(false);
  await renewed(pages, old);
  const woken = (await refreshes()) - before;
  assert.ok(woken <= 2, `${woken} refreshes after sleep`);
  await oneRefreshALife(context, pages, 1);
  for (const page of pages.slice(0, 3)) {
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
  }
  await nobodyIsAsked(context, pages);
  return `${streams} streams`;
});

for (const [name, wrong] of [
  ["ahead", 86_400_000],
  ["behind", -86_400_000],
].slice(wanted.long ? 0 : 1))
  await step(`a computer whose clock is a day ${name} refreshes once a life`, async () => {
    const [context, pages] = await opened(3, wrong);
    await oneRefreshALife(context, pages, 2);
  });
