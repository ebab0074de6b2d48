// Contacts: from the first one to what is kept of them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { accessible, assertSoon, card, field, go, heading, page, pipeline, sendsSlowly, stageNamed } from "./crm_page.mjs";
import { api, contactNamed, origin, screens, step } from "./crm_steps.mjs";

const places = [
  ["/dashboard", "Dashboard", "No contacts yet"],
  ["/contacts", "Contacts", "No contacts yet"],
  ["/pipeline", "Sales", "No cards yet"],
  ["/imports", "Imports", "Nothing has been imported yet."],
  ["/contacts/duplicates", "Duplicates", "No duplicates found"],
  ["/contacts/bulk", "Bulk changes", "No bulk changes yet"],
  ["/settings/fields", "Settings", "No custom fields yet"],
  ["/settings/tags", "Settings", "No tags yet"],
];
for (const [path, name, words] of places)
  await step(`${path} says what it is for where nothing is there`, async () => {
    await go(path, name);
    await page.getByText(words).first().waitFor();
    await accessible(`${path}, empty`);
  });

await step("asks for little before the first contacts are seen", async () => {
  for (const [path, name, most] of [
    ["/dashboard", "Dashboard", 12],
    ["/contacts", "Contacts", 12],
  ]) {
    const asked = [];
    // What a key may open next is loaded once the first view is there.
    const listen = (request) =>
      /session-events|\/api\/changes|\/assets\/(palette|ContactPage|fields|useDeed)-/.test(request.url()) || asked.push(request.url());
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
  await page
    .getByRole("main")
    .getByRole("link", { name: /sample/ })
    .waitFor();
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
  await assertSoon(
    async () => (await api("GET", `/api/contacts/${id}`)).emails.find((each) => each.primary)?.address === "countess@lovelace.example",
  );
});

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
  const files = [1, 2, 3, 4].map((each) => ({
    name: `offer ${each} ünï.txt`,
    mimeType: "text/plain",
    buffer: Buffer.from(`offer ${each}`),
  }));
  await page
    .locator("input[type=file]")
    .setInputFiles([...files, { name: "nothing.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) }]);
  await page.getByText("This file is empty.").waitFor();
  await page.getByRole("button", { name: "Download offer 4 ünï.txt" }).waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download offer 1 ünï.txt" }).click();
  assert.equal((await download).suggestedFilename(), "offer 1 ünï.txt");
  assert.equal(readFileSync(await (await download).path(), "utf8"), "offer 1");
});

await step("shows how much of a file is sent, and stops on demand", async () => {
  const { id } = await contactNamed("Ada Lovelace");
  await sendsSlowly("film.bin", "application/octet-stream", page.getByRole("progressbar", { name: "film.bin" }), "Do not send film.bin");
  assert.equal(
    (await api("GET", `/api/contacts/${id}/attachments`)).items.some(({ fileName }) => fileName === "film.bin"),
    false,
  );
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

await step("restores the value and the place of a card that was taken off the board", async () => {
  const { id } = await contactNamed("Ada Lovelace");
  const stageId = stageNamed("New");
  const onNew = (contactId, more) => api("PUT", `/api/pipeline/${contactId}/move`, { stageId, ...more });
  const cards = async () => (await api("GET", `/api/pipeline/${pipeline.pipelineId}/board?stageId=${stageId}`)).columns[0].items;
  await onNew(id, { value: 120_000 });
  const below = await api("POST", "/api/contacts", { firstName: "Below" });
  await onNew(below.id);
  const before = await cards();
  assert.equal(before.map(({ displayName, value }) => `${displayName} ${value}`).join(), "Ada Lovelace 120000,Below null");
  await page.getByRole("button", { name: "Take off" }).click();
  await page.getByText("Ada Lovelace taken off the board").waitFor();
  await assertSoon(async () => (await cards()).length === 1);
  await page.keyboard.press("z");
  await assertSoon(async () => JSON.stringify(await cards()) === JSON.stringify(before));
  await go("/pipeline", "Sales");
  await card("Ada Lovelace").getByText("1,200").waitFor();
  await onNew(id, { value: null });
  await api("DELETE", `/api/contacts/${below.id}?permanent=true`);
});
