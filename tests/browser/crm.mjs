// What people do with the CRM's pages, step by step: crm.mjs WANTED (JSON of tests/http/crm_pages.py). Ends in "N passed, N failed".
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { accessible as accessibleOf, fillSignIn, startSteps } from "./browser.mjs";

const { program, origin, service, screens, people } = JSON.parse(process.argv[2]);
const { opened, step, finish } = await startSteps({ program, screens, suite: "crm", keep: true, options: { acceptDownloads: true } });

/** A tab of somebody who is signed in. */
async function signedIn(who, options = {}) {
  const tab = await opened(options);
  tab.setDefaultTimeout(10_000);
  await tab.goto(`${origin}/login`);
  await fillSignIn(tab, people[who]);
  await tab.getByRole("heading", { level: 1, name: "Dashboard" }).waitFor();
  return tab;
}

const token = await (async () => {
  const body = JSON.stringify({ identifier: people.owner[0], password: people.owner[1], service_id: "crm" });
  const answer = await fetch(`${service}/api/auth/login`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  return (await answer.json()).access_token;
})();

/** Another program of the same person, which changes what the page shows. */
async function api(method, path, body) {
  const headers = { Authorization: `Bearer ${token}`, ...(body && { "Content-Type": "application/json" }) };
  const answer = await fetch(service + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}
const contactNamed = async (name) => (await api("GET", `/api/contacts?q=${encodeURIComponent(name)}`)).items.find((each) => each.displayName === name);

const accessible = (what) => accessibleOf(page, what);
const heading = (name) => page.getByRole("heading", { level: 1, name }).waitFor();
/** Goes there within the app, as a link does. */
const go = async (path, name) => {
  await page.goto(origin + path);
  await heading(name);
};

let page = await signedIn("owner");

const places = [
  ["/dashboard", "Dashboard", "No contacts yet"],
  ["/contacts", "Contacts", "No contacts yet"],
  ["/pipeline", "Sales", "No cards yet"],
  ["/imports", "Imports", "Nothing has been imported yet."],
  ["/contacts/duplicates", "Duplicates", "No duplicates found"],
  ["/contacts/bulk", "Changes of many", "No contacts have been changed together yet"],
  ["/settings/fields", "Settings", "No fields of your own yet"],
  ["/settings/tags", "Settings", "No tags yet"],
];
for (const [path, name, words] of places)
  await step(`${path} says what it is for where nothing is there`, async () => {
    await go(path, name);
    await page.getByText(words).first().waitFor();
    await accessible(`${path}, empty`);
  });

await step("asks for little before the first contacts are seen", async () => {
  for (const [path, name, most] of [["/dashboard", "Dashboard", 12], ["/contacts", "Contacts", 12]]) {
    const asked = [];
    // What a key may open next is loaded once the first view is there.
    const listen = (request) => /session-events|\/api\/changes|\/assets\/(palette|ContactPage|fields|useDeed)-/.test(request.url()) || asked.push(request.url());
    // A page that still reads the streams of this origin would have the next one take over, and read once more what it may have missed.
    await page.goto(`${origin}/health`);
    await page.waitForFunction(async () => !(await navigator.locks.query()).held.length);
    page.on("request", listen);
    await go(path, name);
    await page.getByText("No contacts yet").first().waitFor();
    page.off("request", listen);
    assert.ok(asked.length <= most, asked.join("\n"));
  }
});

await step("offers whoever has no contacts a sample, from the dashboard to its undoing", async () => {
  await go("/imports", "Imports");
  await page.getByRole("main").getByRole("link", { name: /sample/ }).waitFor();
  await go("/dashboard", "Dashboard");
  await page.getByRole("link", { name: /sample/ }).waitFor();
  await page.screenshot({ path: `${screens}/crm-first.png` });
  await page.getByRole("link", { name: /sample/ }).click();
  await heading("Import contacts");
  for (const next of ["columns", "preview"]) {
    await page.getByRole("button", { name: "Next" }).click();
    await page.waitForURL(new RegExp(`step=${next}`));
  }
  await page.getByRole("button", { name: "Import 2 contacts" }).click();
  await heading("sample.csv");
  await page.getByRole("button", { name: "Undo this import" }).click();
  await page.getByText("2 contacts were removed").waitFor();
  await go("/dashboard", "Dashboard");
  await page.getByText("No contacts yet").waitFor();
});

await step("makes a contact by keyboard", async () => {
  await go("/contacts", "Contacts");
  await page.getByText("No contacts yet").waitFor();
  await page.keyboard.press("c");
  await heading("New contact");
  await page.getByLabel("First name").fill("Ada");
  await page.getByLabel("Last name").fill("Lovelace");
  await page.getByLabel("E-mail").fill("not an address");
  await page.keyboard.press("Control+Enter");
  assert.equal(await page.getByLabel("E-mail").getAttribute("aria-invalid"), "true");
  await page.getByLabel("E-mail").fill("ada@engines.example");
  await page.keyboard.press("Control+Enter");
  await heading("Ada Lovelace");
  assert.equal((await contactNamed("Ada Lovelace")).emails[0].address, "ada@engines.example");
});

await step("shows whom it may be before a contact is made twice", async () => {
  await go("/contacts/new", "New contact");
  await page.getByLabel("First name").fill("Countess");
  await page.getByLabel("E-mail").fill("ada@engines.example");
  await page.keyboard.press("Control+Enter");
  const dialog = page.getByRole("dialog", { name: "There may be one already" });
  await dialog.getByText("Ada Lovelace").waitFor();
  await dialog.getByRole("button", { name: "Go back" }).click();
  assert.equal((await api("GET", "/api/contacts?include=total")).total, 1);
  await page.keyboard.press("Control+Enter");
  await dialog.getByRole("button", { name: "Create it anyway" }).click();
  await heading("Countess");
  assert.equal((await api("GET", "/api/contacts?include=total")).total, 2);
});

const field = (name) => page.locator(`[data-field="${name}"]`);
async function edit(name, value) {
  await field(name).getByRole("button").first().click();
  await field(name).getByRole("textbox").fill(value);
  await page.keyboard.press("Enter");
}

await step("saves a field in place, also where others have changed other fields", async () => {
  const { id, version } = await contactNamed("Ada Lovelace");
  await go(`/contacts/${id}`, "Ada Lovelace");
  await field("jobTitle").waitFor();
  await api("PUT", `/api/contacts/${id}`, { department: "Mills" });
  await edit("jobTitle", "Analyst");
  await page.getByText("Mills").waitFor();
  await assertSoon(async () => (await api("GET", `/api/contacts/${id}`)).jobTitle === "Analyst");
  const after = await api("GET", `/api/contacts/${id}`);
  assert.deepEqual([after.jobTitle, after.department, after.version], ["Analyst", "Mills", version + 2]);
});

await step("asks where others have changed the same field, and writes nothing before the answer", async () => {
  const { id } = await contactNamed("Ada Lovelace");
  await go(`/contacts/${id}`, "Ada Lovelace");
  await field("jobTitle").getByRole("button").first().click();
  await field("jobTitle").getByRole("textbox").fill("Mine");
  await api("PUT", `/api/contacts/${id}`, { jobTitle: "Theirs" });
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Theirs", { exact: true }).last().waitFor();
  assert.equal((await api("GET", `/api/contacts/${id}`)).jobTitle, "Theirs");
  await dialog.getByRole("radio").last().check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await field("jobTitle").getByText("Mine").waitFor();
  await dialog.waitFor({ state: "hidden" });
  assert.equal((await api("GET", `/api/contacts/${id}`)).jobTitle, "Mine");
});

await step("changes e-mail addresses together, one of them the primary", async () => {
  const { id } = await contactNamed("Ada Lovelace");
  await page.getByRole("button", { name: "Change E-mail addresses" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Add" }).click();
  await dialog.getByRole("textbox", { name: "Address" }).last().fill("countess@lovelace.example");
  await dialog.getByLabel("Primary").last().check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "countess@lovelace.example" }).waitFor();
  await page.getByRole("button", { name: "Change E-mail addresses" }).waitFor();
  await assertSoon(async () => (await api("GET", `/api/contacts/${id}`)).emails.find((each) => each.primary)?.address === "countess@lovelace.example");
});

/** What follows an answer that the page does not wait for. */
async function assertSoon(holds) {
  for (let left = 100; !(await holds()); --left) {
    assert.ok(left > 0, `never: ${holds}`);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
}

await step("keeps a note that is half written over a reload, and shows markup as text", async () => {
  const note = "**Bold** <img src=x onerror=alert(1)> [bad](javascript:alert(1))";
  await page.getByLabel("Note", { exact: true }).fill(note);
  await page.reload();
  await heading("Ada Lovelace");
  assert.equal(await page.getByLabel("Note", { exact: true }).inputValue(), note);
  await page.getByLabel("Note", { exact: true }).press("Control+Enter");
  const entry = page.getByRole("listitem").filter({ hasText: "onerror" });
  await entry.locator("strong", { hasText: "Bold" }).waitFor();
  assert.equal(await entry.locator("img").count(), 0);
  assert.equal(await entry.locator("a[href^=javascript]").count(), 0);
  assert.equal(await page.getByLabel("Note", { exact: true }).inputValue(), "");
});

await step("takes files three at a time, refuses empty ones in a sentence, and gives them back", async () => {
  const files = [1, 2, 3, 4].map((each) => ({ name: `offer ${each} ünï.txt`, mimeType: "text/plain", buffer: Buffer.from(`offer ${each}`) }));
  await page.locator("input[type=file]").setInputFiles([...files, { name: "nothing.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) }]);
  await page.getByText("This file is empty.").waitFor();
  await page.getByRole("button", { name: "Download offer 4 ünï.txt" }).waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download offer 1 ünï.txt" }).click();
  assert.equal((await download).suggestedFilename(), "offer 1 ünï.txt");
  assert.equal(readFileSync(await (await download).path(), "utf8"), "offer 1");
});

/** Chooses a file of 8 MB on a slow line, sees how much of it is sent, and stops that. */
async function sendsSlowly(name, mimeType, progress, stop) {
  const slow = await page.context().newCDPSession(page);
  await slow.send("Network.enable");
  await slow.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 });
  await page.locator("input[type=file]").setInputFiles({ name, mimeType, buffer: Buffer.alloc(8_000_000, "a") });
  await progress.waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll("progress")].some((each) => each.value > 0 && each.value < each.max));
  assert.equal(await progress.getAttribute("max"), "8000000");
  await page.getByRole("button", { name: stop }).click();
  await progress.waitFor({ state: "hidden" });
  await slow.detach();
}

await step("shows how much of a file is sent, and stops on demand", async () => {
  const { id } = await contactNamed("Ada Lovelace");
  await sendsSlowly("film.bin", "application/octet-stream", page.getByRole("progressbar", { name: "film.bin" }), "Do not send film.bin");
  assert.equal((await api("GET", `/api/contacts/${id}/attachments`)).items.some(({ fileName }) => fileName === "film.bin"), false);
});

await step("puts a contact on a stage and says so in the timeline", async () => {
  const { id } = await contactNamed("Ada Lovelace");
  await page.getByRole("button", { name: /^Stage on Sales/ }).click();
  await page.getByRole("menuitemradio", { name: "New" }).click();
  await page.getByRole("button", { name: "Take off" }).waitFor();
  await page.reload();
  await page.getByRole("list").getByText("New", { exact: true }).first().waitFor();
  assert.equal((await api("GET", `/api/contacts/${id}`)).pipelines.length, 1);
  await accessible("a contact");
});

const pipeline = (await api("GET", "/api/pipeline")).items[0];
const stageNamed = (name) => pipeline.stages.find((each) => each.name === name).stageId;
const stageNow = async (name) => (await contactNamed(name)).pipelines[0]?.stageId;
const card = (name) => page.locator("[data-card]", { hasText: name });
const said = () => page.locator("[data-said]").textContent();

await step("moves a card by keyboard, and each step is said", async () => {
  await go("/pipeline", "Sales");
  await card("Ada Lovelace").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowRight");
  assert.match(await said(), /Contacted/);
  await page.keyboard.press("Enter");
  await assertSoon(async () => (await stageNow("Ada Lovelace")) === stageNamed("Contacted"));
  await page.getByText("Ada Lovelace moved to Contacted").waitFor();
  await page.keyboard.press("z");
  await assertSoon(async () => (await stageNow("Ada Lovelace")) === stageNamed("New"));
  await accessible("the board");
});

await step("moves a card by the mouse", async () => {
  const from = await card("Ada Lovelace").boundingBox();
  const to = await page.locator(`[data-column="${stageNamed("Qualified")}"]`).boundingBox();
  await page.mouse.move(from.x + 40, from.y + 20);
  await page.mouse.down();
  await page.mouse.move(to.x + 60, to.y + 80, { steps: 12 });
  await page.mouse.up();
  await assertSoon(async () => (await stageNow("Ada Lovelace")) === stageNamed("Qualified"));
});

await step("says who was faster, and overwrites nothing", async () => {
  const { id } = await contactNamed("Ada Lovelace");
  // Where changes arrive, the card would be seen to move.
  await page.route("**/api/changes", (route) => route.abort());
  await go("/pipeline", "Sales");
  await card("Ada Lovelace").focus();
  await page.keyboard.press("Space");
  await api("PUT", `/api/pipeline/${id}/move`, { pipelineId: pipeline.pipelineId, stageId: stageNamed("Negotiation") });
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.getByText("Somebody else has moved it to Negotiation meanwhile.").first().waitFor();
  assert.equal(await stageNow("Ada Lovelace"), stageNamed("Negotiation"));
  await page.locator(`[data-column="${stageNamed("Negotiation")}"]`).getByText("Ada Lovelace").waitFor();
  await page.unroute("**/api/changes");
});

await step("sees what others move", async () => {
  const { id } = await contactNamed("Ada Lovelace");
  await go("/pipeline", "Sales");
  await card("Ada Lovelace").waitFor();
  await api("PUT", `/api/pipeline/${id}/move`, { pipelineId: pipeline.pipelineId, stageId: stageNamed("Proposal") });
  await page.locator(`[data-column="${stageNamed("Proposal")}"]`).getByText("Ada Lovelace").waitFor();
  await api("PUT", `/api/pipeline/${id}/move`, { pipelineId: pipeline.pipelineId, stageId: stageNamed("Negotiation") });
});

await step("asks for the reason where one is lost, and for stages that are closed says why", async () => {
  const negotiation = stageNamed("Negotiation");
  await api("PUT", `/api/pipeline/${pipeline.pipelineId}`, { requireLostReason: true, transitions: [{ from: negotiation, to: stageNamed("Lost") }] });
  await go("/pipeline", "Sales");
  await card("Ada Lovelace").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowRight");
  assert.match(await said(), /Not allowed from Negotiation/);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Move to Lost" });
  assert.ok(await dialog.getByRole("button", { name: "Move" }).isDisabled());
  await dialog.getByRole("textbox").fill("Too dear");
  await dialog.getByRole("button", { name: "Move" }).click();
  await assertSoon(async () => (await stageNow("Ada Lovelace")) === stageNamed("Lost"));
  const { id } = await contactNamed("Ada Lovelace");
  assert.equal((await api("GET", `/api/pipeline/${id}/history`)).items[0].lostReason, "Too dear");
  await api("PUT", `/api/pipeline/${pipeline.pipelineId}`, { requireLostReason: false, transitions: null });
});

await step("imports a file, shows what is left out before, and takes it back", async () => {
  await go("/imports/new", "Import contacts");
  const rows = ["Name,Mail,Firma", "Grace Hopper,grace@navy.example,Navy", "Alan Turing,alan@park.example,Park", "Bad Mail,not-an-address,Nowhere", "Ada Lovelace,ada@engines.example,Engines"];
  await page.locator("input[type=file]").setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\n")) });
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByLabel("Where Name goes").selectOption({ label: "Shown as" });
  await page.getByLabel("Where Mail goes").selectOption({ label: "E-mail" });
  await page.getByLabel("Where Firma goes").selectOption({ label: "Company" });
  await page.locator("table[aria-busy=false]").waitFor();
  await accessible("columns of an import");
  await page.getByRole("button", { name: "Next" }).click();
  const total = (name) => page.locator("dl > div", { hasText: name }).locator("dd");
  await page.getByRole("button", { name: "Import 2 contacts" }).waitFor();
  assert.deepEqual([await total("Rows").textContent(), await total("Created").textContent(), await total("Skipped").textContent(), await total("Left out").textContent()], ["4", "2", "1", "1"]);
  await page.getByText("Not an e-mail address: correct or remove it.").waitFor();
  assert.equal((await api("GET", "/api/contacts?include=total")).total, 2);
  await page.getByRole("button", { name: "Import 2 contacts" }).click();
  await heading("people.csv");
  assert.equal((await api("GET", "/api/contacts?include=total")).total, 4);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download the rows left out" }).click();
  assert.match(readFileSync(await (await download).path(), "utf8"), /not-an-address/);
  await accessible("the report of an import");
  await page.getByRole("button", { name: "Undo this import" }).click();
  await page.getByText("2 contacts were removed").waitFor();
  assert.equal((await api("GET", "/api/contacts?include=total")).total, 2);
  assert.equal(await page.getByRole("button", { name: "Undo this import" }).count(), 0);
});

await step("goes on in the wizard after a reload, sends the file once, and shows what becomes of its rows", async () => {
  await go("/imports/new", "Import contacts");
  const sent = [];
  const listen = (request) => request.method() === "POST" && /\/api\/contacts\/import/.test(request.url()) && sent.push(new URL(request.url()).pathname.replace(/imp_[^/]+/, "ID"));
  page.on("request", listen);
  const rows = ["Name,Mail", "Katherine Johnson,katherine@orbit.example", "Ada Lovelace,ada@engines.example", "Bad Mail,nowhere"];
  await page.locator("input[type=file]").setInputFiles({ name: "again.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\n")) });
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByLabel("Where Name goes").selectOption({ label: "Shown as" });
  await page.getByLabel("Where Mail goes").selectOption({ label: "E-mail" });
  await page.locator("table[aria-busy=false]").waitFor();
  await page.reload();
  await heading("Import contacts");
  await page.getByLabel("Where Mail goes").waitFor();
  assert.equal(await page.getByLabel("Where Mail goes").inputValue(), "emails[0].address");
  await page.getByRole("button", { name: "Next" }).click();
  const fates = page.getByRole("region", { name: "What becomes of the first rows" }).locator("tbody tr");
  await fates.first().waitFor();
  assert.deepEqual(await fates.evaluateAll((all) => all.map((row) => row.children[1].textContent)), ["Created", "Skipped", "Left out"]);
  await fates.nth(1).getByText("same e-mail address").waitFor();
  await accessible("the preview of an import");
  await page.screenshot({ path: `${screens}/crm-import-preview.png`, fullPage: true });
  await page.reload();
  await page.getByRole("button", { name: "Import 1 contact" }).waitFor();
  for (const before of ["columns", "kind", "file"]) {
    await page.getByRole("button", { name: "Back", exact: true }).click();
    await page.waitForURL(new RegExp(`step=${before}`));
  }
  for (const next of ["kind", "columns", "preview"]) {
    await page.getByRole("button", { name: "Next" }).click();
    await page.waitForURL(new RegExp(`step=${next}`));
  }
  await page.getByRole("button", { name: "Import 1 contact" }).click();
  await heading("again.csv");
  page.off("request", listen);
  assert.deepEqual([sent[0], ...new Set(sent.slice(1))], ["/api/contacts/import", "/api/contacts/imports/ID/run"]);
  await page.getByRole("button", { name: "Undo this import" }).click();
  await page.getByText("1 contact was removed").waitFor();
});

await step("shows how much of an import is sent, and stops on demand", async () => {
  const known = (await api("GET", "/api/contacts/imports")).items.length;
  await go("/imports/new", "Import contacts");
  await sendsSlowly("many.csv", "text/csv", page.getByRole("progressbar", { name: "Sending many.csv" }), "Cancel");
  await page.getByText("Drop a file here").waitFor();
  assert.equal((await api("GET", "/api/contacts/imports")).items.length, known);
});

await step("refuses what is no file of contacts in a sentence", async () => {
  await go("/imports/new", "Import contacts");
  await page.locator("input[type=file]").setInputFiles({ name: "empty.csv", mimeType: "text/csv", buffer: Buffer.alloc(0) });
  await page.getByRole("alert").waitFor();
  await page.locator("input[type=file]").setInputFiles({ name: "noise.csv", mimeType: "text/csv", buffer: Buffer.from([0, 1, 2, 255, 254, 0, 0, 7]) });
  await page.getByText("save the file in UTF-8 first").waitFor();
  assert.equal(page.url(), `${origin}/imports/new`);
  const gone = join(mkdtempSync(join(tmpdir(), "portico-import-")), "gone.csv");
  writeFileSync(gone, "Name\nAda");
  await page.route("**/api/contacts/import", (route) => (rmSync(dirname(gone), { recursive: true }), route.abort()), { times: 1 });
  await page.locator("input[type=file]").setInputFiles(gone);
  await page.getByText("This cannot be read: it is a folder, or was changed or removed meanwhile.").waitFor();
});

await step("merges two with a look before, and takes it back", async () => {
  await go("/contacts/duplicates", "Duplicates");
  await page.getByText("same e-mail address").waitFor();
  await accessible("duplicates");
  await page.getByRole("link", { name: "Compare and merge" }).click();
  await heading("Merge contacts");
  await page.getByText("another value stays").first().waitFor();
  await accessible("a merge");
  await page.getByRole("button", { name: "Merge 2 contacts" }).click();
  await page.getByText("2 contacts merged into").waitFor();
  const { items, total } = await api("GET", "/api/contacts?include=total");
  assert.equal(total, 1);
  await go(`/contacts/${items[0].id}`, items[0].displayName);
  await page.getByRole("group", { name: "Show" }).getByRole("button", { name: "Merges" }).click();
  await page.getByRole("listitem").filter({ hasText: `Merged with ${items[0].displayName === "Countess" ? "Ada Lovelace" : "Countess"}` }).waitFor();
  await go("/contacts/duplicates", "Duplicates");
  await page.getByRole("button", { name: "Undo", exact: true }).last().click();
  await page.getByText("1 contact is back").waitFor();
  assert.equal((await api("GET", "/api/contacts?include=total")).total, 2);
  await page.getByRole("button", { name: "Not the same" }).click();
  await page.getByText("No duplicates found").waitFor();
});

await step("deletes with a way back", async () => {
  const { id } = await contactNamed("Countess");
  await go(`/contacts/${id}`, "Countess");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await heading("Contacts");
  await page.goto(`${origin}/contacts/${id}`);
  await page.getByText("Deleted, or not in this workspace").waitFor();
  await page.getByRole("button", { name: "Restore" }).click();
  await heading("Countess");
});

const selected = () => page.getByRole("region", { name: /selected|that match/ });
/** Selects contacts of the list that is shown. */
async function pick(...names) {
  for (const name of names) await page.getByRole("checkbox", { name: `Select ${name}` }).check();
}
const crowd = ["Crowd 1", "Crowd 2", "Crowd 3"];

await step("exports the selected ones", async () => {
  for (const displayName of crowd) await api("POST", "/api/contacts", { displayName });
  await go("/contacts?q=crowd", "Contacts");
  await pick("Crowd 1", "Crowd 3");
  // As in a browser that has no question for a place on the disk.
  await page.evaluate(() => delete window.showSaveFilePicker);
  await selected().getByRole("button", { name: "Export" }).click();
  const dialog = page.getByRole("dialog", { name: "Export contacts" });
  assert.ok(await dialog.getByRole("radio", { name: "The 2 selected contacts" }).isChecked());
  const file = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download" }).click();
  const text = readFileSync(await (await file).path(), "utf8");
  assert.deepEqual(text.match(/Crowd \d/g), ["Crowd 1", "Crowd 3"]);
  assert.ok(text.includes("companyName"));
  await dialog.waitFor({ state: "detached" });
  await selected().getByRole("button", { name: "Export" }).click();
  await dialog.getByText("Fields: 21 of 21").click();
  for (const name of ["Company", "Lifecycle"]) await dialog.getByRole("checkbox", { name }).uncheck();
  await accessible("the fields of an export");
  const fewer = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download" }).click();
  const [head] = readFileSync(await (await fewer).path(), "utf8").split("\r\n");
  assert.deepEqual(["displayName", "firstName", "companyName", "lifecycle"].map((each) => head.split(",").includes(each)), [true, true, false, false]);
  await dialog.waitFor({ state: "detached" });
});

/** A page whose question for a file is answered at once, by one of the browser's own disk; the headless one has nobody to ask. */
const stubPicker = () => {
  window.showSaveFilePicker = async ({ suggestedName }) => (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
};
/** What stands on that disk, by name. */
const onDisk = () =>
  page.evaluate(async () => {
    const found = {};
    for await (const [name, handle] of (await navigator.storage.getDirectory()).entries()) found[name] = await (await handle.getFile()).text();
    return found;
  });
const clearDisk = () => page.evaluate(async () => (await navigator.storage.getDirectory()).remove({ recursive: true }));

await step("writes an export straight to the disk, and counts its contacts whatever stands in them", async () => {
  const odd = await api("POST", "/api/contacts", { displayName: "Crowd “4”", companyName: 'Says "yes",\nand "no"\n', jobTitle: "END:VCARD\nEND", department: "},\n{" });
  for (const [format, ending] of [["csv", "csv"], ["vcard", "vcf"], ["json", "json"], ["ndjson", "ndjson"]]) {
    await go("/contacts?q=crowd", "Contacts");
    await page.evaluate(stubPicker);
    await page.getByRole("button", { name: "Export" }).click();
    const dialog = page.getByRole("dialog", { name: "Export contacts" });
    await dialog.getByText("that the list shows").click();
    await dialog.getByLabel("Format").selectOption(format);
    await dialog.getByRole("button", { name: "Download" }).click();
    await page.getByText("4 contacts are downloaded.").first().waitFor();
    const files = await onDisk();
    assert.deepEqual(Object.keys(files).map((name) => name.replace(/\d{8}/, "today")), [`contacts-today.${ending}`]);
    assert.ok(["Crowd 1", "Crowd 2", "Crowd 3", "Crowd “4”"].every((name) => Object.values(files)[0].includes(name)));
    await clearDisk();
  }
  await api("DELETE", `/api/contacts/${odd.id}`);
});

await step("leaves no file where an export is cut, cannot be written or is not wanted any more, and says so", async () => {
  const names = Array.from({ length: 30 }, (_, at) => `"Row ${at}"`);
  let rest;
  const server = createServer((request, answer) => {
    answer.writeHead(200, { "Content-Type": "text/csv" });
    answer.write(`displayName\r\n${names.join("\r\n")}\r\n`);
    rest = answer;
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const half = (route) => route.continue({ url: `http://127.0.0.1:${server.address().port}/` });
  await page.route("**/api/contacts/export*", half);
  const dialog = page.getByRole("dialog", { name: "Export contacts" });
  const begin = async (stub) => {
    await go("/contacts?q=crowd", "Contacts");
    await page.evaluate(stub);
    await page.getByRole("button", { name: "Export" }).click();
    await dialog.getByText("that the list shows").click();
    await dialog.getByRole("button", { name: "Download" }).click();
  };
  await begin(stubPicker);
  await dialog.getByText("30 of 3 contacts").waitFor();
  assert.equal(await dialog.getByRole("progressbar").getAttribute("max"), "3");
  await accessible("an export that goes on");
  rest.destroy();
  await dialog.getByText("The download was cut. There is no file: try again.").waitFor();
  assert.deepEqual(await onDisk(), {});
  await begin(stubPicker);
  await dialog.getByText("30 of 3 contacts").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.getByRole("button", { name: "Download" }).waitFor();
  assert.equal(await dialog.getByRole("alert").count(), 0);
  await assertSoon(async () => Object.keys(await onDisk()).length === 0);
  await begin(stubPicker);
  await dialog.getByText("30 of 3 contacts").waitFor();
  const warned = page.waitForEvent("dialog");
  const leaving = page.goto(`${origin}/dashboard`);
  const question = await warned;
  assert.equal(question.type(), "beforeunload");
  await question.accept();
  await leaving;
  await assertSoon(async () => Object.keys(await onDisk()).length === 0);
  await begin(() => {
    window.showSaveFilePicker = async ({ suggestedName }) => {
      const handle = await (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
      handle.createWritable = async () => ({ write: () => Promise.reject(new DOMException("full", "QuotaExceededError")), abort: async () => undefined });
      return handle;
    };
  });
  await dialog.getByText("could not be written to the disk").waitFor();
  assert.deepEqual(await onDisk(), {});
  await begin(() => (window.showSaveFilePicker = () => Promise.reject(new DOMException("no", "AbortError"))));
  await dialog.getByRole("button", { name: "Download" }).waitFor();
  assert.equal(await dialog.getByRole("alert").count(), 0);
  rest.destroy();
  await page.unroute("**/api/contacts/export*", half);
  server.close();
});

await step("changes the selected ones together, and takes it back from the toast", async () => {
  await go("/contacts?q=crowd", "Contacts");
  await pick("Crowd 1", "Crowd 2");
  await selected().getByRole("button", { name: "Change" }).click();
  const dialog = page.getByRole("dialog", { name: "Change 2 contacts" });
  await dialog.getByRole("button", { name: "Change" }).click();
  await dialog.getByRole("alert").getByText("Choose what is to be changed.").waitFor();
  await dialog.getByRole("combobox", { name: "Add tags" }).fill("guest");
  await page.keyboard.press("Enter");
  await dialog.getByRole("combobox", { name: "Lifecycle" }).click();
  await page.getByRole("option", { name: "Customer" }).click();
  await dialog.getByRole("combobox", { name: "Do not contact" }).click();
  await page.getByRole("option", { name: "No e-mail", exact: true }).click();
  await page.getByRole("option").first().waitFor({ state: "hidden" });
  await accessible("a change of many");
  await page.screenshot({ path: `${screens}/crm-bulk-dialog.png` });
  await dialog.getByRole("button", { name: "Change" }).click();
  await page.getByText("2 contacts changed").waitFor();
  const now = async () => Promise.all(crowd.map(async (name) => (({ tags, lifecycle, doNotContact }) => [...tags, lifecycle, ...(doNotContact?.email ? ["silent"] : [])].join())(await contactNamed(name))));
  assert.deepEqual(await now(), ["guest,customer,silent", "guest,customer,silent", "lead"]);
  assert.equal(await selected().count(), 0);
  await page.getByRole("button", { name: /^Undo/ }).click();
  await assertSoon(async () => (await now()).join() === "lead,lead,lead");
});

await step("puts all that match on a stage, and takes it back from the report but for who has gone on", async () => {
  await go("/contacts?q=crowd", "Contacts");
  await pick("Crowd 1");
  await selected().getByRole("button", { name: "Select all 3 that match" }).click();
  await selected().getByRole("button", { name: "Change" }).click();
  const dialog = page.getByRole("dialog", { name: "Change 3 contacts" });
  await dialog.getByRole("combobox", { name: "Stage" }).click();
  await page.getByRole("option", { name: "Contacted" }).click();
  await dialog.getByRole("button", { name: "Change" }).click();
  await page.getByText("3 contacts changed").waitFor();
  await api("PUT", `/api/pipeline/${(await contactNamed("Crowd 3")).id}/move`, { pipelineId: pipeline.pipelineId, stageId: stageNamed("Qualified") });
  await go("/contacts/bulk", "Changes of many");
  await page.getByRole("link", { name: "Put on Contacted" }).click();
  await heading("Change of many");
  const total = (name) => page.locator("dl > div", { hasText: name }).locator("dd").textContent();
  await page.getByText("Selected").waitFor();
  assert.deepEqual([await total("Selected"), await total("Were so already"), await total("Not changed")], ["3", "0", "0"]);
  await accessible("the report of a change of many");
  await page.getByRole("button", { name: "Undo this change" }).click();
  await page.getByText("2 contacts are again as before.").waitFor();
  await page.getByText("1 contact stays: it was changed since.").waitFor();
  assert.deepEqual(await Promise.all(crowd.map(stageNow)), [undefined, undefined, stageNamed("Qualified")]);
  assert.equal(await page.getByRole("button", { name: "Undo this change" }).count(), 0);
  await page.screenshot({ path: `${screens}/crm-bulk-report.png` });
});

await step("says why all but some cannot be changed together", async () => {
  await go("/contacts?q=crowd", "Contacts");
  await pick("Crowd 1");
  await selected().getByRole("button", { name: "Select all 3 that match" }).click();
  await page.getByRole("checkbox", { name: "Select Crowd 2" }).uncheck();
  const change = selected().getByRole("button", { name: "Change" });
  assert.equal(await change.getAttribute("aria-disabled"), "true");
  await change.press("Enter");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.screenshot({ path: `${screens}/crm-bulk-selection.png` });
});

await step("deletes all that match although the page is left, and brings them back", async () => {
  await go("/contacts?q=crowd", "Contacts");
  await pick("Crowd 1");
  await selected().getByRole("button", { name: "Select all 3 that match" }).click();
  const begun = page.waitForResponse((answer) => answer.url().endsWith("/api/contacts/bulk") && answer.request().method() === "POST");
  await selected().getByRole("button", { name: "Delete" }).click();
  const { bulkId } = await (await begun).json();
  await go(`/contacts/bulk/${bulkId}`, "Change of many");
  await page.getByText("Selected").waitFor();
  assert.equal((await api("GET", "/api/contacts?q=crowd&include=total")).total, 0);
  await page.getByRole("button", { name: "Undo this change" }).click();
  await page.getByText("3 contacts are again as before.").waitFor();
  assert.equal((await api("GET", "/api/contacts?q=crowd&include=total")).total, 3);
  await api("POST", "/api/contacts/bulk", { filter: { q: "crowd" }, change: { delete: true } });
  await assertSoon(async () => (await api("GET", "/api/contacts?q=crowd&include=total")).total === 0);
});

await step("edits tags, owner and stage by keys, on a record and in the list", async () => {
  const { id } = await contactNamed("Ada Lovelace");
  await go(`/contacts/${id}`, "Ada Lovelace");
  await field("tags").waitFor();
  await page.keyboard.press("t");
  await page.keyboard.type("keyed");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await assertSoon(async () => (await contactNamed("Ada Lovelace")).tags.includes("keyed"));
  await page.keyboard.press("o");
  await field("ownerUserId").getByRole("combobox").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("m");
  assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /^Stage on Sales/);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keys" });
  for (const [key, name] of [["E", "First name"], ["T", "Tags"], ["O", "Owner"], ["M", "Stage"]]) assert.match(await keys.locator("dl > div", { has: page.locator("kbd", { hasText: new RegExp(`^${key}$`) }) }).textContent(), new RegExp(name));
  await page.keyboard.press("Escape");
  await go("/contacts?tag=keyed", "Contacts");
  const focusedOn = (label) => page.waitForFunction((wanted) => document.activeElement.labels?.[0]?.textContent.startsWith(wanted), label);
  await page.getByRole("link", { name: "Ada Lovelace" }).waitFor();
  await page.keyboard.press("t");
  const dialog = page.getByRole("dialog", { name: "Change 1 contact" });
  await dialog.getByRole("button", { name: "Change" }).waitFor();
  await focusedOn("Add tags");
  await page.keyboard.type("listed");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Change" }).click();
  await assertSoon(async () => (await contactNamed("Ada Lovelace")).tags.includes("listed"));
  await dialog.waitFor({ state: "hidden" });
  await page.keyboard.press("o");
  await focusedOn("Owner");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
});

await step("gives a phone's page as much room more as toasts take", async () => {
  const { id } = await contactNamed("Ada Lovelace");
  await page.setViewportSize({ width: 320, height: 640 });
  await go(`/contacts/${id}`, "Ada Lovelace");
  await page.getByRole("button", { name: /^Stage on Sales/ }).click();
  await page.getByRole("menuitemradio", { name: "Qualified" }).click();
  const toast = page.getByRole("button", { name: /^Undo/ });
  await toast.waitFor();
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  const end = await page.evaluate(() => [...document.querySelectorAll("main :is(button, a)")].filter((each) => !each.closest("[aria-live]")).at(-1).getBoundingClientRect().bottom);
  await toast.hover();
  await page.screenshot({ path: `${screens}/crm-toast-phone.png` });
  assert.ok(end <= (await toast.boundingBox()).y, "a toast covers the page's end");
  await api("PUT", `/api/pipeline/${id}/move`, { pipelineId: pipeline.pipelineId, stageId: stageNamed("Lost") });
  await page.setViewportSize({ width: 1280, height: 800 });
});

await step("finds, filters and sorts, all of it in the address", async () => {
  await api("PUT", `/api/contacts/${(await contactNamed("Countess")).id}`, { tags: ["vip"] });
  await page.goto(`${origin}/contacts?q=lovelace`);
  await page.getByRole("link", { name: "Ada Lovelace" }).waitFor();
  assert.equal(await page.locator("mark").first().textContent(), "Lovelace");
  await page.goto(`${origin}/contacts?tag=vip`);
  await page.getByRole("link", { name: "Countess" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "Ada Lovelace" }).count(), 0);
  await page.goto(`${origin}/contacts?q=nobody-at-all`);
  await page.getByText(/Nothing matches/).waitFor();
  await page.goto(`${origin}/contacts`);
  const sort = page.getByRole("columnheader", { name: "Name" }).getByRole("button");
  await sort.click();
  await page.waitForURL(/sort=displayName/);
  await sort.click();
  await page.waitForURL(/sort=-displayName/);
  await accessible("the list");
});

await step("finds contacts in the palette, and drops what was answered to older letters", async () => {
  await go("/dashboard", "Dashboard");
  const older = /contacts\?.*q=countess/;
  const asked = new Promise((ready) => void page.route(older, ready));
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("countess");
  await asked;
  const dropped = page.waitForEvent("requestfailed", (request) => older.test(request.url()));
  await page.getByRole("combobox").fill("lovelace");
  await page.getByRole("option", { name: "Ada Lovelace" }).waitFor();
  await dropped;
  await page.unroute(older);
  assert.deepEqual(await page.getByRole("option", { name: /Lovelace|Countess/ }).allTextContents(), ["Ada Lovelace"]);
  await accessible("the palette with records");
  await page.screenshot({ path: `${screens}/crm-palette.png` });
  await page.keyboard.press("Enter");
  await heading("Ada Lovelace");
});

await step("sets up fields, tags and stages", async () => {
  await go("/settings/fields", "Settings");
  assert.equal(await page.getByRole("link", { name: "API keys" }).getAttribute("href"), "/auth/launch/admin?return_to=/api-keys");
  await page.getByRole("button", { name: "New field" }).click();
  const panel = page.getByRole("dialog");
  await panel.getByLabel("Label").fill("Budget");
  await panel.getByLabel("Key").fill("Not a key");
  await panel.getByRole("button", { name: "Save" }).click();
  assert.equal(await panel.getByLabel("Key").getAttribute("aria-invalid"), "true");
  await panel.getByLabel("Key").fill("budget");
  await panel.getByRole("button", { name: "Save" }).click();
  await page.getByText("budget", { exact: true }).waitFor();
  await go("/settings/tags", "Settings");
  await page.getByRole("button", { name: "Rename vip" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("very important");
  await page.keyboard.press("Enter");
  await page.getByText("very important").waitFor();
  await go("/settings/pipelines", "Settings");
  await page.getByRole("button", { name: "Change Sales" }).click();
  const stagesNow = () => page.getByLabel("Stage", { exact: true }).evaluateAll((all) => all.map((each) => each.value));
  const before = await stagesNow();
  const [grip, other] = [page.getByRole("button", { name: `Move ${before[0]}`, exact: true }), page.getByRole("button", { name: `Move ${before[2]}`, exact: true })];
  await grip.focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction((name) => document.querySelector("[data-said]").textContent.startsWith(`${name}, position 3 of`), before[0]);
  assert.deepEqual((await stagesNow()).slice(0, 3), [before[1], before[2], before[0]]);
  await page.keyboard.press("Escape");
  await page.waitForFunction((name) => document.querySelector("[data-said]").textContent.startsWith(`${name} is back, position 1 of`), before[0]);
  assert.deepEqual(await stagesNow(), before);
  const [from, to] = [await grip.boundingBox(), await other.boundingBox()];
  await page.mouse.move(from.x + 14, from.y + 14);
  await page.mouse.down();
  await page.mouse.move(to.x + 14, to.y + 14, { steps: 8 });
  await page.mouse.up();
  await page.waitForFunction((name) => document.querySelector("[data-said]").textContent.startsWith(`${name} dropped`), before[0]);
  assert.deepEqual((await stagesNow()).slice(0, 3), [before[1], before[2], before[0]]);
  await page.screenshot({ path: `${screens}/crm-stages.png` });
  await page.getByRole("button", { name: "Add a stage" }).click();
  await page.getByLabel("Stage", { exact: true }).last().fill("Cold");
  await page.getByRole("button", { name: "Remove Lost" }).click();
  await page.getByText("1 card of Lost goes to").waitFor();
  await accessible("settings of a pipeline");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Change Sales" }).waitFor();
  const { stages } = (await api("GET", "/api/pipeline")).items[0];
  assert.deepEqual(stages.slice(0, 3).map(({ name }) => name), [before[1], before[2], before[0]]);
  assert.deepEqual([stages.some(({ name }) => name === "Cold"), stages.some(({ name }) => name === "Lost")], [true, false]);
  assert.equal(await stageNow("Ada Lovelace"), stageNamed(before[1]));
});

await step("has only the cards in the page that are seen, and keeps the place in a long column while others change it", async () => {
  const stageId = stageNamed("Qualified");
  const put = async (displayName) => {
    const { id } = await api("POST", "/api/contacts", { displayName });
    return api("PUT", `/api/pipeline/${id}/move`, { pipelineId: pipeline.pipelineId, stageId });
  };
  for (let at = 0; at < 130; at += 10) await Promise.all(Array.from({ length: 10 }, (_, more) => put(`Long ${at + more}`)));
  await go("/pipeline", "Sales");
  const rows = page.locator(`[data-rows="${stageId}"]`);
  await assertSoon(async () => {
    await rows.evaluate((list) => (list.parentElement.scrollTop = list.scrollHeight));
    return Number(await rows.getAttribute("data-length")) >= 130;
  });
  assert.ok((await page.locator("[data-card]").count()) < 60, "cards out of sight are in the page");
  const before = await rows.evaluate((list) => list.parentElement.scrollTop);
  const length = Number(await rows.getAttribute("data-length"));
  await put("Long latecomer");
  await assertSoon(async () => Number(await rows.getAttribute("data-length")) === length + 1);
  assert.equal(await rows.evaluate((list) => list.parentElement.scrollTop), before);
});

await step("a card that is moved twice before the first answer goes its way in order", async () => {
  const { id } = await contactNamed("Ada Lovelace");
  await api("PUT", `/api/pipeline/${id}/move`, { pipelineId: pipeline.pipelineId, stageId: stageNamed("New") });
  await go(`/pipeline/${pipeline.pipelineId}`, "Sales");
  let release;
  const held = new Promise((done) => (release = done));
  let asked = 0;
  await page.route("**/api/pipeline/*/move", async (route) => {
    if (++asked === 1) await held;
    await route.continue();
  });
  const stands = (stage) => page.locator(`[data-column="${stageNamed(stage)}"]`).getByText("Ada Lovelace").waitFor();
  await stands("New");
  for (const [key, stage] of [["ArrowRight", "Proposal"], ["ArrowLeft", "New"]]) {
    await card("Ada Lovelace").focus();
    for (const each of ["Space", key, "Enter"]) await page.keyboard.press(each);
    await stands(stage);
  }
  release();
  await page.getByText("Ada Lovelace moved to New").first().waitFor();
  assert.equal(await page.getByText("Somebody else").count(), 0);
  assert.equal(await stageNow("Ada Lovelace"), stageNamed("New"));
  assert.equal(asked, 2);
  await page.unrouteAll();
});

await step("an import that runs shows how far it is and what has become of its rows, and offers no file of those left out yet", async () => {
  const { items } = await api("GET", "/api/contacts/imports?limit=1");
  const { importId, fileName } = items[0];
  await page.route(`**/api/contacts/imports/${importId}`, (route) => {
    const totals = { rows: 80_000, created: 79_996, updated: 0, skipped: 0, failed: 4 };
    return route.fulfill({ json: { ...items[0], status: "running", finishedAt: null, progress: 40, totals, errorCount: 4, errors: [{ row: 78, line: 79, column: "E-mail", field: "emails[0].address", code: "invalid_email", message: "", value: "ada(at)engines.example" }], errorFileUrl: `/api/contacts/imports/${importId}/errors.csv` } });
  });
  await go(`/imports/${importId}`, fileName);
  await page.getByText("40 of 100").waitFor();
  assert.equal(await page.getByRole("progressbar").getAttribute("value"), "40");
  await page.getByText("79,996").waitFor();
  assert.equal(await page.getByRole("button", { name: "Download the rows left out" }).count(), 0);
  await accessible("an import that runs");
  await page.setViewportSize({ width: 320, height: 700 });
  const remedy = page.getByText("Not an e-mail address").first();
  await remedy.waitFor();
  assert.ok((await remedy.boundingBox()).width > 100 && (await remedy.evaluate((cell) => cell.getBoundingClientRect().right <= innerWidth)));
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.unrouteAll();
});

await step("takes a saved view back that was removed, in its place", async () => {
  await go("/contacts?q=crowd", "Contacts");
  const views = page.getByRole("button", { name: "Views" });
  const names = () => page.getByRole("button", { name: /^Crowd \d seen$/ }).allTextContents();
  await views.click();
  for (const name of ["Crowd 1 seen", "Crowd 2 seen"]) {
    await page.getByLabel("Name of the view").fill(name);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name, exact: true }).waitFor();
  }
  await page.getByRole("button", { name: "Remove Crowd 1 seen" }).click();
  await page.getByText("View Crowd 1 seen removed").waitFor();
  await assertSoon(async () => (await names()).join() === "Crowd 2 seen");
  assert.notEqual(await page.evaluate(() => document.activeElement?.tagName), "BODY");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Undo/ }).click();
  await views.click();
  await assertSoon(async () => (await names()).join() === "Crowd 1 seen,Crowd 2 seen");
  await assertSoon(async () => (await api("GET", "/api/auth/me/preferences")).services.crm.contactViews.length === 2);
  await page.keyboard.press("Escape");
});

await step("says how long ago something was by the server's clock, not by the computer's", async () => {
  await api("POST", "/api/contacts", { displayName: "Moment" });
  const before = page;
  page = await opened();
  await page.clock.install({ time: Date.now() + 86_400_000 });
  await page.clock.resume();
  await page.goto(`${origin}/login?return_to=/contacts%3Fq%3Dmoment`);
  await fillSignIn(page, people.owner);
  await page.getByRole("row", { name: /Moment/ }).getByText(/now|seconds? ago|minutes? ago/).waitFor();
  await page.context().close();
  page = before;
});

await step("names keys as they stand on the person's keyboard, and breaks no word of German on a phone", async () => {
  await go("/contacts/new", "New contact");
  await page.getByText("Ctrl ↵ saves").waitFor();
  await api("PATCH", "/api/auth/me", { locale: "de" });
  await go("/contacts/new", "Neuer Kontakt");
  await page.getByText("Strg ↵ speichert").waitFor();
  await page.setViewportSize({ width: 320, height: 700 });
  await go("/contacts", "Kontakte");
  await page.getByRole("button", { name: "Spalten" }).click();
  const [word, lines] = await page.getByText("Schlagwörter", { exact: true }).last().evaluate((label) => {
    const range = document.createRange();
    range.selectNodeContents(label.lastChild);
    return [range.toString().trim(), new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size];
  });
  assert.deepEqual([word, lines], ["Schlagwörter", 1]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await api("PATCH", "/api/auth/me", { locale: "en" });
});

const ada = (await contactNamed("Ada Lovelace")).id;
const looked = ["/dashboard", "/contacts", "/contacts/new", `/contacts/${ada}`, `/pipeline/${pipeline.pipelineId}`, "/imports", "/imports/new", "/contacts/duplicates", "/contacts/bulk", "/settings/pipelines", "/settings/fields", "/settings/tags"];
for (const colorScheme of ["light", "dark"])
  await step(`fits a phone, a tablet and a desk in the ${colorScheme} theme`, async () => {
    await page.emulateMedia({ colorScheme });
    for (const path of looked) {
      await page.goto(origin + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
      for (const width of [320, 768, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await page.screenshot({ path: `${screens}/crm${path.replace(ada, "one").replace(pipeline.pipelineId, "one").replaceAll("/", "-")}-${width}-${colorScheme}.png` });
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${path} scrolls sideways at ${width} px`);
        if (width === 320 || colorScheme === "dark") await accessible(`${path} at ${width} px, ${colorScheme}`);
      }
    }
  });

await step("shows a member only what a member may do", async () => {
  page = await signedIn("member");
  await go("/settings/pipelines", "Settings");
  await page.getByText("Default pipeline").waitFor();
  assert.equal(await page.getByRole("button", { name: /New pipeline|Change/ }).count(), 0);
  await go(`/contacts/${ada}`, "Ada Lovelace");
  await page.getByRole("button", { name: "Delete", exact: true }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Delete for good" }).count(), 0);
});

await finish();
