// What comes from files, what is there twice, and what is deleted.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { accessible, go, heading, page, sendsSlowly } from "./crm_page.mjs";
import { api, contactNamed, origin, screens, step } from "./crm_steps.mjs";

await step("imports a file, shows what is left out before, and takes it back", async () => {
  await go("/imports/new", "Import contacts");
  const rows = [
    "Name,Mail,Firma",
    "Grace Hopper,grace@navy.example,Navy",
    "Alan Turing,alan@park.example,Park",
    "Bad Mail,not-an-address,Nowhere",
    "Ada Lovelace,ada@engines.example,Engines",
  ];
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
  assert.deepEqual(
    [
      await total("Rows").textContent(),
      await total("Created").textContent(),
      await total("Skipped").textContent(),
      await total("Left out").textContent(),
    ],
    ["4", "2", "1", "1"],
  );
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
  const listen = (request) =>
    request.method() === "POST" &&
    /\/api\/contacts\/import/.test(request.url()) &&
    sent.push(new URL(request.url()).pathname.replace(/imp_[^/]+/, "ID"));
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
  const wizard = page.url();
  const twin = await page.context().newPage();
  await twin.goto(wizard);
  await twin.getByRole("button", { name: "Import 1 contact" }).waitFor();
  await page.getByRole("button", { name: "Import 1 contact" }).click();
  await heading("again.csv");
  page.off("request", listen);
  // The same wizard in two tabs imports once.
  await twin.getByRole("button", { name: "Import 1 contact" }).click();
  await twin.waitForURL(page.url());
  await twin.close();
  assert.deepEqual([sent[0], ...new Set(sent.slice(1))], ["/api/contacts/import", "/api/contacts/imports/ID/run"]);
  const undo = async () => {
    await page.getByRole("button", { name: "Undo this import" }).click();
    await page.getByText("1 contact was removed").waitFor();
  };
  await undo();
  const first = page.url();
  await page.goto(wizard);
  await page.getByRole("button", { name: "Import 1 contact" }).click();
  await heading("again.csv");
  assert.notEqual(page.url(), first, "what was undone is imported once more");
  await undo();
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
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "noise.csv", mimeType: "text/csv", buffer: Buffer.from([0, 1, 2, 255, 254, 0, 0, 7]) });
  await page.getByText("save the file in UTF-8 first").waitFor();
  assert.equal(page.url(), `${origin}/imports/new`);
  const gone = join(mkdtempSync(join(tmpdir(), "portico-import-")), "gone.csv");
  writeFileSync(gone, "Name\nAda");
  await page.route("**/api/contacts/import", (route) => (rmSync(dirname(gone), { recursive: true }), route.abort()), { times: 1 });
  await page.locator("input[type=file]").setInputFiles(gone);
  await page.getByText("This file cannot be read: it is a folder, or it was changed or removed.").waitFor();
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
  await page
    .getByRole("listitem")
    .filter({ hasText: `Merged with ${items[0].displayName === "Countess" ? "Ada Lovelace" : "Countess"}` })
    .waitFor();
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
  await page.getByText("This was deleted, or it belongs to another workspace").waitFor();
  await page.getByRole("button", { name: "Restore" }).click();
  await heading("Countess");
});
