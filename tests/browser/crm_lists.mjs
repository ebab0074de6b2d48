// Many contacts: exports, changes together, keys, search and the palette.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { accessible, assertSoon, field, go, heading, page, pipeline, stageNamed, stageNow } from "./crm_page.mjs";
import { api, contactNamed, origin, screens, step } from "./crm_steps.mjs";

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
  assert.deepEqual(
    ["displayName", "firstName", "companyName", "lifecycle"].map((each) => head.split(",").includes(each)),
    [true, true, false, false],
  );
  await dialog.waitFor({ state: "detached" });
});

/** A page whose question for a file is answered at once, by one of the browser's own disk; the headless one has nobody to ask. */
const stubPicker = () => {
  window.showSaveFilePicker = async ({ suggestedName }) =>
    (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
};
/** What stands on that disk, by name. */
const onDisk = () =>
  page.evaluate(async () => {
    const found = {};
    for await (const [name, handle] of (await navigator.storage.getDirectory()).entries())
      found[name] = await (await handle.getFile()).text();
    return found;
  });
const clearDisk = () => page.evaluate(async () => (await navigator.storage.getDirectory()).remove({ recursive: true }));

await step("writes an export straight to the disk, and counts its contacts whatever stands in them", async () => {
  const odd = await api("POST", "/api/contacts", {
    displayName: "Crowd “4”",
    companyName: 'Says "yes",\nand "no"\n',
    jobTitle: "END:VCARD\nEND",
    department: "},\n{",
  });
  for (const [format, ending] of [
    ["csv", "csv"],
    ["vcard", "vcf"],
    ["json", "json"],
    ["ndjson", "ndjson"],
  ]) {
    await go("/contacts?q=crowd", "Contacts");
    await page.evaluate(stubPicker);
    await page.getByRole("button", { name: "Export" }).click();
    const dialog = page.getByRole("dialog", { name: "Export contacts" });
    await dialog.getByText("that the list shows").click();
    await dialog.getByLabel("Format").selectOption(format);
    await dialog.getByRole("button", { name: "Download" }).click();
    await page.getByText("4 contacts are downloaded.").first().waitFor();
    const files = await onDisk();
    assert.deepEqual(
      Object.keys(files).map((name) => name.replace(/\d{8}/, "today")),
      [`contacts-today.${ending}`],
    );
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
      handle.createWritable = async () => ({
        write: () => Promise.reject(new DOMException("full", "QuotaExceededError")),
        abort: async () => undefined,
      });
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
  await dialog.getByRole("alert").getByText("Select a change.").waitFor();
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
  const now = async () =>
    Promise.all(
      crowd.map(async (name) =>
        (({ tags, lifecycle, doNotContact }) => [...tags, lifecycle, ...(doNotContact?.email ? ["silent"] : [])].join())(
          await contactNamed(name),
        ),
      ),
    );
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
  await api("PUT", `/api/pipeline/${(await contactNamed("Crowd 3")).id}/move`, {
    pipelineId: pipeline.pipelineId,
    stageId: stageNamed("Qualified"),
  });
  await go("/contacts/bulk", "Bulk changes");
  await page.getByRole("link", { name: "Moved to Contacted" }).click();
  await heading("Bulk change");
  const total = (name) => page.locator("dl > div", { hasText: name }).locator("dd").textContent();
  await page.getByText("Selected").waitFor();
  assert.deepEqual([await total("Selected"), await total("Unchanged"), await total("Not changed")], ["3", "0", "0"]);
  await accessible("the report of a change of many");
  await page.getByRole("button", { name: "Undo this change" }).click();
  await page.getByText("2 contacts are restored.").waitFor();
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
  // As on plain http, where browsers have no such function.
  await page.evaluate(() => delete Crypto.prototype.randomUUID);
  const begun = page.waitForResponse((answer) => answer.url().endsWith("/api/contacts/bulk") && answer.request().method() === "POST");
  await selected().getByRole("button", { name: "Delete" }).click();
  const { bulkId } = await (await begun).json();
  await go(`/contacts/bulk/${bulkId}`, "Bulk change");
  await page.getByText("Selected").waitFor();
  await assertSoon(async () => (await api("GET", "/api/contacts?q=crowd&include=total")).total === 0);
  await page.getByRole("button", { name: "Undo this change" }).click();
  await page.getByText("3 contacts are restored.").waitFor();
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
  // Outside of the field, Escape leads back to the list.
  await field("ownerUserId").getByRole("combobox").and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("m");
  await page.waitForFunction(() => document.activeElement.ariaLabel?.startsWith("Stage on Sales"));
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  for (const [key, name] of [
    ["E", "First name"],
    ["T", "Tags"],
    ["O", "Owner"],
    ["M", "Stage"],
  ])
    assert.match(
      await keys.locator("dl > div", { has: page.locator("kbd", { hasText: new RegExp(`^${key}$`) }) }).textContent(),
      new RegExp(name),
    );
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
  const end = await page.evaluate(
    () =>
      [...document.querySelectorAll("main :is(button, a)")]
        .filter((each) => !each.closest("[aria-live]"))
        .at(-1)
        .getBoundingClientRect().bottom,
  );
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
  await page.getByText(/No results/).waitFor();
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
