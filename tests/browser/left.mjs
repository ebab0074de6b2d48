// What a browser still has of a person who has signed out, and of pages that were closed: left.mjs WANTED (JSON of tests/http/page_walks.py). Ends in
// "N passed, N failed".
import assert from "node:assert/strict";
import { signedIn, startSteps, still } from "./browser.mjs";

const { program, screens, origins, services, people } = JSON.parse(process.argv[2]);
// Else Playwright switches off what the step about Back is about.
const { opened, step, finish } = await startSteps({
  program,
  screens,
  suite: "left",
  launch: { ignoreDefaultArgs: ["--disable-back-forward-cache"] },
  options: { reducedMotion: "reduce" },
});

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

await step("after a sign-out nothing of the person is in the tab's memory, and Back shows nothing of them", async () => {
  const page = await opened();
  await signedIn(page, origins.crm, people.admin);
  const name = await readsContact(page);
  const address = await page.evaluate(() => document.querySelector("main a[href^='mailto:']")?.textContent);
  const [kept] = await page.evaluate(() =>
    Object.values(sessionStorage)
      .map((each) => JSON.parse(each).token)
      .filter(Boolean),
  );
  const secrets = [name, address, kept];
  assert.ok(
    secrets.every((each) => each?.length > 5),
    String(secrets),
  );
  const before = await stringsOf(page);
  for (const each of secrets)
    assert.ok(
      before.some((text) => text.includes(each)),
      "what is looked for is found where it is",
    );
  await signOut(page);
  const after = await stringsOf(page);
  assert.deepEqual(
    secrets.filter((each) => after.some((text) => text.includes(each))),
    [],
  );
  assert.deepEqual(await page.evaluate(() => Object.values(sessionStorage).filter((each) => each.includes("eyJ"))), []);
  await page.goBack();
  await page.waitForURL(/\/login/);
  await page.getByLabel("E-mail").waitFor();
  assert.equal(await page.getByText(name).count(), 0);
});

await step("a page that the browser has kept shows itself to the same person only, and follows changes again", async () => {
  const page = await opened();
  await page.addInitScript(() => addEventListener("pageshow", ({ persisted }) => (document.documentElement.dataset.kept = persisted)));
  await signedIn(page, origins.crm, people.admin);
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
  const [path, token] = await page.evaluate(() => [
    location.pathname,
    Object.values(sessionStorage)
      .map((each) => JSON.parse(each).token)
      .find(Boolean),
  ]);
  const change = (jobTitle) =>
    fetch(`${services.crm}/api${path}`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ jobTitle }),
    });
  assert.equal((await change("Resumed")).status, 200);
  await page.locator("main").getByText("Resumed").first().waitFor();
  // They sign out elsewhere while it is kept.
  await page.goto(`${origins.identity}/forgot-password`);
  const ended = await fetch(`${services.crm}/api/auth/logout`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", "X-Platform-Auth": "1", "X-Service-ID": "crm" },
    body: JSON.stringify({ scope: "browser" }),
  });
  assert.ok(ended.ok, `${ended.status} ${await ended.clone().text()}`);
  await page.goBack({ waitUntil: "commit" });
  await page.waitForURL(/\/login/);
  await page.getByLabel("E-mail").waitFor();
  assert.equal(await page.getByText(name).count(), 0);
});

await step("pages that are opened and closed again leave no growing heap", async () => {
  const page = await opened();
  await signedIn(page, origins.crm, people.admin);
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

await finish();
