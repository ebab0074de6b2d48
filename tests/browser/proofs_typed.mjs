// Nothing typed is lost: a note that is half written, and what happens to sessions, networks, services and hosts meanwhile.
import assert from "node:assert/strict";
import { client, heading, kill, operate, profile, signedIn, start, step, unseen, wanted } from "./proofs_kit.mjs";

const { origin } = wanted;
const words = (what) => `${what}: ${"what was said at the table, word for word. ".repeat(200)}`.slice(0, 5_000);
const owner = await client();
let contact;

const field = (page) => page.getByLabel("Note", { exact: true });
const saves = (page) => field(page).press("Control+Enter");
/** How often a note is there, asked by somebody whom no reload has cost a token. */
async function notes(text) {
  const { items } = await (await client()).api("GET", `/api/contacts/${contact}/notes?limit=100`);
  return items.filter(({ body }) => body === text).length;
}
async function written(what) {
  const context = await profile();
  const page = await signedIn(context);
  await page.goto(`${origin}/contacts/${contact}`);
  await heading(page, "Ada Lovelace");
  await field(page).fill(words(what));
  return [context, page];
}
/** The note is there once, and the page knows it. */
async function savedOnce(page, context, what) {
  await page.waitForFunction(() => document.querySelector("textarea")?.value === "");
  assert.equal(await notes(words(what)), 1);
  assert.equal(await page.getByRole("dialog").count(), 0);
  assert.deepEqual(context.complaints, []);
}

await step("a contact to write about", async () => {
  contact = (await owner.api("POST", "/api/contacts", { displayName: "Ada Lovelace" })).id;
});

await step("a note outlives a session that is ended elsewhere", async () => {
  const [context, page] = await written("ended");
  await (await client()).api("DELETE", "/api/auth/sessions?except=current");
  const dialog = page.getByRole("dialog", { name: "Sign in again to continue" });
  await dialog.waitFor();
  await dialog.getByLabel("Password", { exact: true }).fill(wanted.people.owner[1]);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(await field(page).inputValue(), words("ended"));
  await saves(page);
  await savedOnce(page, context, "ended");
});

await step("a note that is sent without a network is saved once when it is back, also when its answer was lost", async () => {
  const [context, page] = await written("offline");
  await context.setOffline(true);
  await page.waitForFunction(() => !navigator.onLine);
  await saves(page);
  await page.getByText(/You are offline.*1 change is not saved yet/).waitFor();
  assert.equal(await notes(words("offline")), 0);
  await context.setOffline(false);
  await savedOnce(page, context, "offline");

  await field(page).fill(words("lost"));
  let tries = 0;
  await page.route("**/notes", async (route) => {
    if (route.request().method() !== "POST" || tries++) return route.fallback();
    assert.equal((await unseen(route.request())).status, 201);
    return route.abort("connectionreset");
  });
  await saves(page);
  await savedOnce(page, context, "lost");
  assert.equal(tries, 2);
});

await step("a note is saved once while its service is replaced", async () => {
  const [context, page] = await written("reloaded");
  await operate("reload", "crm");
  assert.equal(await field(page).inputValue(), words("reloaded"));
  const again = operate("reload", "crm");
  await saves(page);
  await again;
  await savedOnce(page, context, "reloaded");
});

await step("a note is saved once after its service was switched off", async () => {
  const [context, page] = await written("disabled");
  await operate("disable", "crm");
  await saves(page);
  await page.getByRole("heading", { name: "CRM is turned off" }).waitFor();
  await operate("enable", "crm");
  // By hand, or by itself.
  void page
    .getByRole("button", { name: "Try again" })
    .click()
    .catch(() => undefined);
  await savedOnce(page, context, "disabled");
});

await step("a note is saved once although the host is killed under it", async () => {
  const [context, page] = await written("killed");
  // Under way when the host ends.
  const sent = page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/notes"));
  await saves(page);
  await sent;
  kill();
  await page
    .getByText(/You are offline/)
    .or(page.getByText("Note added"))
    .first()
    .waitFor({ timeout: 5_000 })
    .catch(() => undefined);
  await start();
  // Saved once; or nobody knows, as the host died between its beginning and its end: then that is said, and nothing is lost nor written twice.
  const alert = page.locator("form").getByRole("alert");
  await page.waitForFunction(() => document.querySelector("textarea")?.value === "" || document.querySelector("form [role=alert]"));
  if (await alert.count()) {
    assert.match(await alert.innerText(), /Check whether it was saved before you try again/);
    assert.equal(await field(page).inputValue(), words("killed"));
    if (await notes(words("killed"))) await field(page).fill("");
    else await saves(page);
  }
  await savedOnce(page, context, "killed");

  kill();
  await field(page).fill(words("down"));
  await saves(page);
  await page.getByText(/You are offline.*1 change is not saved yet/).waitFor();
  await start();
  await savedOnce(page, context, "down");
});

/** Somebody who works without a pause, and takes offence at whatever the page says of a fault. */
async function robot(context, page, name, stopped) {
  const made = [];
  while (!stopped()) {
    const text = `${name} ${made.length}`;
    await field(page).fill(text);
    await saves(page);
    made.push(text);
    await page.waitForFunction(() => document.querySelector("textarea")?.value === "");
    const [other, title] = made.length % 3 ? ["/contacts", "Contacts"] : ["/pipeline", "Sales"];
    await page
      .getByRole("link", { name: title === "Sales" ? "Pipeline" : "Contacts" })
      .first()
      .click();
    await heading(page, title);
    assert.equal(await page.getByRole("alert").count(), 0, `${other}: ${await page.getByRole("alert").allTextContents()}`);
    await page.goBack();
    await heading(page, "Ada Lovelace");
  }
  return made;
}

const reloads = wanted.long ? 50 : 5;
await step(`${reloads} reloads in a row while robots work in three tabs: no error is seen, and no request is doubled`, async () => {
  const context = await profile();
  const pages = [await signedIn(context), await context.newPage(), await context.newPage()];
  const complaints = [];
  for (const page of pages) {
    await page.goto(`${origin}/contacts/${contact}`);
    await heading(page, "Ada Lovelace");
    page.on(
      "response",
      (answer) => answer.status() >= 400 && ![401, 503].includes(answer.status()) && complaints.push(`${answer.status()} ${answer.url()}`),
    );
  }
  let done = false;
  const work = pages.map((page, at) => robot(context, page, `robot ${at}`, () => done));
  const failed = Promise.race(work.map((each) => each.then(() => new Promise(() => undefined))));
  await Promise.race([
    failed,
    (async () => {
      for (let at = 0; at < reloads; ++at) await operate("reload", "crm");
    })(),
  ]);
  done = true;
  const made = (await Promise.all(work)).flat();
  const all = [];
  for (let cursor = ""; cursor !== null;) {
    const answer = await (
      await client()
    ).api("GET", `/api/contacts/${contact}/notes?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    all.push(...answer.items.map(({ body }) => body));
    cursor = answer.nextCursor;
  }
  assert.deepEqual(all.filter((body) => body.startsWith("robot")).sort(), made.sort());
  assert.deepEqual(complaints, []);
  assert.deepEqual(context.complaints, []);
  return `${made.length} notes`;
});
