// The patterns of `sdk/web/ui` in a real Chromium, under the policy that the host sends with every page: ui.mjs FOLDER [PART…]
// FOLDER: what `sdk/web/build gallery` wrote. With PART only steps whose names have it. Pictures go to SCREENS, else build/results/screens.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { accessible, fingerOf, fitsWindow } from "./browser.mjs";
import { launch, open, serve } from "./ui_gallery.mjs";

const [folder, ...parts] = process.argv.slice(2);
const screens = process.env.SCREENS ?? "build/results/screens";
await mkdir(screens, { recursive: true });
const server = await serve(folder);
const browser = await launch();
let [passed, failed] = [0, 0];

async function step(name, path, options, act) {
  if (parts.length && !parts.some((part) => name.includes(part))) return;
  const page = await open(browser, server.origin, path, options);
  try {
    await act(page);
    assert.deepEqual(page.complaints, [], "the console is silent");
    passed += 1;
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}\n${error.stack}\n`);
    await page.screenshot({ path: join(screens, `failed-${failed}.png`) }).catch(() => {});
  } finally {
    await page.context().close();
  }
}

const faults = (page, change) => page.evaluate((given) => Object.assign(window.gallery.faults, given), change);
const sent = (page, method) => page.evaluate((wanted) => window.gallery.requests.filter((each) => each.method === wanted).length, method);
const told = (page) => page.evaluate(() => window.gallery.told.at(-1)?.text);
const elements = (page) => page.evaluate(() => document.querySelectorAll("*").length);
const said = (page) => page.locator("[data-said]").textContent();
/** Waits until what a function of the page answers is as wanted. */
const until = (page, act, given) => page.waitForFunction(act, given);
/** Types in one task of the page, so that no load of the machine makes a pause between the letters. */
const typeWithoutPause = (page, text) =>
  page.evaluate((letters) => letters.forEach((letter) => document.execCommand("insertText", false, letter)), [...text]);
const query = (page) => new URL(page.url()).search;
const focusedCard = (page) => page.evaluate(() => document.activeElement?.closest("[data-card]")?.dataset.card);
const columnOf = (page, card) =>
  page.evaluate((id) => document.querySelector(`[data-card="${id}"]`)?.closest("[data-column]")?.dataset.column, card);

const PAGES = {
  list: "/list",
  record: "/record?id=con_1",
  form: "/form",
  board: "/board",
  parts: "/parts",
  resource: "/resource",
  states: "/states",
};
const ready = (page) =>
  page.waitForFunction(
    () =>
      (document.querySelector("h1") && !document.querySelector('main [aria-busy="true"] [class*="bone"]')) ||
      document.querySelector("h1")?.textContent === "States",
  );
for (const [name, path] of Object.entries(PAGES))
  for (const theme of ["light", "dark"])
    await step(`looks: ${name} ${theme}`, path, { dark: theme === "dark" }, async (page) => {
      for (const width of [1280, 768, 320]) {
        await page.setViewportSize({ width, height: 800 });
        await ready(page);
        await page.screenshot({ path: join(screens, `ui-${name}-${width}-${theme}.png`) });
        await fitsWindow(page, `${name} at ${width} px`);
        await accessible(page, `${name} ${width}`);
      }
    });

await step("looks: right to left", "/list#ar", { width: 768 }, async (page) => {
  await page.locator("[data-index]").first().waitFor();
  await page.screenshot({ path: join(screens, "ui-list-rtl.png") });
  const [name, box] = await page.evaluate(() => [
    document.querySelector("[data-index] a").getBoundingClientRect().right,
    document.querySelector('[role="grid"]').getBoundingClientRect().right,
  ]);
  assert.ok(box - name < 120, "names begin at the right");
  await accessible(page, "right to left");
});

await step("list: 200,000 rows are few elements, and one scrolls far", "/list", {}, async (page) => {
  await page.locator('[data-index="0"]').waitFor();
  assert.equal(await page.locator('[role="grid"]').getAttribute("aria-rowcount"), "200001");
  await page.getByText("200,000 entries").waitFor();
  for (let far = 1; far <= 40; far += 1) {
    await page.evaluate((top) => document.querySelector('[role="grid"]').scrollTo(0, top), far * 3_000);
    await page.locator(`[data-index="${Math.floor((far * 3_000) / 40) + 5}"]`).waitFor();
    assert.ok((await elements(page)) <= 1_200, `${await elements(page)} elements`);
  }
  await page.evaluate(() => document.querySelector('[role="grid"]').scrollTo(0, 0));
  await page.locator('[data-index="3"] a').waitFor();
});

await step("list: one searches, and an older answer that is late is dropped", "/list", {}, async (page) => {
  await page.locator('[data-index="0"]').waitFor();
  const before = await sent(page, "GET");
  await faults(page, { delayMs: 400 });
  await page.keyboard.press("/");
  await typeWithoutPause(page, "gra");
  await until(page, (count) => window.gallery.requests.length > count, before);
  await faults(page, { delayMs: 0 });
  await typeWithoutPause(page, "ce");
  await until(page, () => window.gallery.requests.some(({ query }) => query?.q === "grace"));
  await page.getByText("16,667 entries").waitFor();
  await until(page, () => document.querySelector('[role="grid"]').getAttribute("aria-busy") === "false");
  const asked = await page.evaluate((from) => window.gallery.requests.slice(from).map(({ query }) => query.q), before);
  assert.deepEqual([...new Set(asked)], ["gra", "grace"], "asked when typing rests");
  assert.equal(query(page), "?q=grace");
  const names = await page.locator("[data-index] a").allTextContents();
  assert.ok(names.length > 5 && names.every((name) => name.startsWith("Grace")), names.join());
});

await step("list: all of the view is in the address", "/list?stage=Won&nope=1", {}, async (page) => {
  await page.locator('[data-index="0"]').waitFor();
  await page.getByText("An unknown part of this address was ignored: nope.").waitFor();
  assert.equal(query(page), "?stage=Won");
  await page.getByRole("button", { name: "Name", exact: true }).click();
  await page.getByRole("button", { name: "Name", exact: true }).click();
  await until(page, () => location.search === "?stage=Won&sort=-name");
  assert.equal(await page.getByRole("columnheader", { name: "Name" }).getAttribute("aria-sort"), "descending");
  await page.getByRole("button", { name: "Stage: Won" }).click();
  await page.getByRole("checkbox", { name: "Lead" }).check();
  await until(page, () => location.search.includes("stage=Won,Lead"));
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("checkbox", { name: "Tags" }).check();
  const up = page.getByRole("button", { name: "Move Tags up" });
  await up.click();
  assert.equal(await up.getAttribute("aria-disabled"), null);
  await page.keyboard.press("Escape");
  const columns = await page.getByRole("columnheader").allTextContents();
  assert.deepEqual(columns.slice(-2), ["Tags", "Changed"]);
  await page.reload();
  await page.locator('[data-index="0"]').waitFor();
  assert.deepEqual(await page.getByRole("columnheader").allTextContents(), columns);
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("textbox", { name: "Name of the view" }).fill("Mine");
  await page.getByRole("button", { name: "Save" }).click();
  const mine = query(page);
  await page.getByRole("button", { name: "Open deals", exact: true }).click();
  await until(page, () => location.search === "?stage=Lead,Qualified&sort=-updatedAt");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("button", { name: "Mine", exact: true }).click();
  await until(page, (wanted) => location.search === wanted, mine);
});

await step("list: a day of a filter begins in the zone in which the list shows times", "/list", {}, async (page) => {
  await page.locator('[data-index="0"]').waitFor();
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("menuitem", { name: "Created from" }).click();
  const dialog = page.getByRole("dialog", { name: "Created from" });
  const day = dialog.getByLabel("Created from");
  await day.fill("2026-12-01");
  await dialog.getByRole("button", { name: "Filter" }).click();
  await until(page, () => new URLSearchParams(location.search).get("createdFrom") === "2026-11-30T23:00:00.000Z");
  await page.getByRole("button", { name: "Created from: Dec 1, 2026" }).click();
  assert.equal(await day.inputValue(), "2026-12-01");
});

await step("list: a view is replaced only by whoever says so", "/list", {}, async (page) => {
  const open = async () => {
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("button", { name: "Open deals", exact: true }).click();
    await page.locator('[data-index="0"]').waitFor();
    return query(page);
  };
  const before = await open();
  await page.getByRole("button", { name: "Name", exact: true }).click();
  await until(page, () => location.search.includes("sort=name"));
  const after = query(page);
  const ask = page.getByRole("dialog", { name: "Replace the view Open deals?" });
  for (const [answer, stays] of [
    ["Cancel", before],
    ["Replace", after],
  ]) {
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("textbox", { name: "Name of the view" }).fill(" Open deals ");
    await page.keyboard.press("Enter");
    await ask.waitFor();
    await accessible(page, "the question");
    await ask.getByRole("button", { name: answer }).click();
    await ask.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    assert.equal(await open(), stays);
    await page.goBack();
  }
});

await step("list: a column that comes to an end of the order keeps the focus on its button", "/list", {}, async (page) => {
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("button", { name: "Move E-mail up" }).focus();
  await page.keyboard.press("Enter");
  await until(page, () => document.activeElement?.getAttribute("aria-disabled") === "true");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Move E-mail up");
  const columns = () => page.getByRole("columnheader").allTextContents();
  const first = await columns();
  await page.keyboard.press("Enter");
  assert.deepEqual(await columns(), first);
});

await step("list: everything by keyboard", "/list", {}, async (page) => {
  await page.locator('[data-index="0"]').waitFor();
  const at = () => page.evaluate(() => document.activeElement?.dataset.index);
  const goes = async (key, to) => {
    await page.keyboard.press(key);
    await until(page, (wanted) => document.activeElement?.dataset.index === wanted, to);
  };
  await goes("j", "0");
  await goes("j", "1");
  await goes("ArrowDown", "2");
  await goes("k", "1");
  await page.keyboard.press("x");
  await goes("Shift+ArrowDown", "2");
  await goes("Shift+ArrowDown", "3");
  await page.getByText("3 selected").first().waitFor();
  await page.getByRole("button", { name: "Select all 200,000 that match" }).click();
  await page.getByText("all 200,000 that match").first().waitFor();
  await page.locator('[data-index="0"]').focus();
  await page.keyboard.press("x");
  await page.getByText("199,999 selected").first().waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.getByText("selected").count(), 0);
  await page.keyboard.press(" ");
  await page.getByRole("complementary", { name: "Ada Lovelace" }).waitFor();
  await goes("j", "1");
  await page.getByRole("complementary", { name: "Grace Turing" }).waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("complementary").count(), 0);
  assert.equal(await at(), "1");
  await goes("End", "199");
  await goes("Home", "0");
  await page.keyboard.press("Enter");
  await until(page, () => location.pathname === "/record");
  await page.getByRole("button", { name: "Next" }).waitFor();
  await page.keyboard.press("j");
  await until(page, () => location.search === "?id=con_1");
  await page.getByRole("button", { name: "Edit Company" }).waitFor();
  await page.keyboard.press("e");
  await page.locator('[data-field="name"] input').waitFor();
  // Escape that comes before the focus closes the field and stays.
  await page.evaluate(() => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true })));
  await page.locator('[data-field="name"] input').waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => location.search), "?id=con_1");
  await page.keyboard.press("Escape");
  await until(page, () => location.pathname === "/list");
});

await step("list: whoever comes back from a record is where they were", "/list", {}, async (page) => {
  await page.locator('[data-index="0"]').waitFor();
  const focused = (row) => until(page, (wanted) => location.pathname === "/list" && document.activeElement?.dataset.index === wanted, row);
  const seen = () =>
    page.evaluate(() => [document.querySelector('[role="grid"]').scrollTop, document.activeElement.getBoundingClientRect().top]);
  await page.keyboard.press("j");
  await focused("0");
  let row = 0;
  // Each time the end is as far as has been read.
  while (row < 900) {
    await page.keyboard.press("End");
    row = await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => done(Number(document.activeElement?.dataset.index ?? 0)))),
    );
  }
  await until(page, () => !document.querySelector('main [aria-busy="true"]'));
  row = await page.evaluate(() => Number(document.activeElement.dataset.index));
  await page.keyboard.press("ArrowUp");
  const [opened, next] = [String(row - 1), String(row)];
  await focused(opened);
  const before = await seen();
  // By the browser's way back, and by the key; the one that was looked at last has the focus.
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Next" }).waitFor();
  await page.goBack();
  await focused(opened);
  assert.deepEqual(await seen(), before);
  const name = await page.locator(`[data-index="${next}"] a`).textContent();
  const read = await sent(page, "GET");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Next" }).waitFor();
  await page.keyboard.press("j");
  await page.getByText(name).first().waitFor();
  await page.keyboard.press("Escape");
  await focused(next);
  const began = await page.evaluate(
    (from) =>
      window.gallery.requests
        .filter(({ method }) => method === "GET")
        .slice(from)
        .filter(({ path, query }) => path === "/api/contacts" && !query.cursor).length,
    read,
  );
  assert.equal(began, 0, "the list is not read from its beginning");
  // What was changed there is seen here.
  await page.keyboard.press("Enter");
  await page.keyboard.press("e");
  await page.keyboard.type("Zoe Changed");
  await page.keyboard.press("Enter");
  await until(page, () => !document.querySelector('[data-state="saving"]'));
  await page.keyboard.press("Escape");
  await focused(next);
  await page.locator(`[data-index="${next}"]`).getByText("Zoe Changed").waitFor();
});

await step("list: what went wrong says so and goes on", "/list", {}, async (page) => {
  await page.locator('[data-index="0"]').waitFor();
  await faults(page, { refuse: { status: 500, code: "internal", requestId: "01jd0x" } });
  await page.keyboard.press("/");
  await page.keyboard.type("ada");
  await page.getByText("Request 01jd0x").waitFor();
  await accessible(page, "a list that failed");
  await faults(page, { refuse: null });
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator('[data-index="0"]').waitFor();
  await page.getByRole("searchbox").fill("nobody");
  await page.getByText("No results").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.locator('[data-index="0"]').waitFor();
  assert.equal(query(page), "");
});

await step("list: five short pages, then one is asked", "/list", {}, async (page) => {
  await page.locator('[data-index="0"]').waitFor();
  await faults(page, { shortPages: true });
  await page.getByRole("button", { name: "Company", exact: true }).click();
  await page.getByRole("button", { name: "Continue search" }).waitFor();
  const before = await sent(page, "GET");
  await page.getByRole("button", { name: "Continue search" }).click();
  await until(page, (count) => window.gallery.requests.length === count + 5, before);
});

await step("waiting: nothing for 150 ms, then its size, after 10 s a sentence", "/form", {}, async (page) => {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await faults(page, { hang: true });
  await page.getByRole("button", { name: "List" }).click();
  const bones = page.locator('main [aria-busy="true"]').first();
  await bones.waitFor({ state: "attached" });
  assert.equal(await bones.isVisible(), false);
  await page.clock.runFor(200);
  assert.equal(await bones.isVisible(), true);
  assert.equal(await page.getByText("This takes longer than usual.").count(), 0);
  await page.clock.runFor(10_000);
  await page.getByText("This takes longer than usual.").waitFor();
  await page.getByRole("button", { name: "Try again" }).waitFor();
});

await step("record: a change is painted at once, marked, saved, and undone", "/record?id=con_1", {}, async (page) => {
  await page.getByRole("button", { name: "Edit Company" }).waitFor();
  await faults(page, { hang: true });
  await page.getByRole("button", { name: "Edit Company" }).click();
  await page.keyboard.type("Initrode");
  await page.keyboard.press("Enter");
  await page.getByText("Initrode").waitFor();
  assert.equal(await page.locator('[data-state="saving"]').count(), 1);
  assert.match(await page.evaluate(() => document.activeElement?.textContent), /Edit Company/);
  await page.reload();
  await page.getByText("Umbrella").waitFor();
  await page.getByRole("button", { name: "Edit Company" }).click();
  await page.keyboard.type("Initrode");
  await page.keyboard.press("Enter");
  await until(page, () => window.gallery.undo.current().length === 1);
  assert.equal(await page.locator("[data-state]").count(), 0);
  await page.evaluate(() => window.gallery.undo.take());
  await page.getByText("Umbrella").waitFor();
  await page.getByRole("button", { name: "Edit Company" }).click();
  await page.keyboard.type("x");
  await page.keyboard.press("Escape");
  await page.getByText("Umbrella").waitFor();
});

await step("record: what is refused is taken back with a sentence; a rule is told before", "/record?id=con_1", {}, async (page) => {
  await page.getByRole("button", { name: "Edit Company" }).click();
  await page.keyboard.type("Refused");
  await page.keyboard.press("Enter");
  await until(page, () => window.gallery.told.length === 1);
  assert.equal(await told(page), "Company: not changed. Acme pays for this contact.");
  await page.getByText("Umbrella").waitFor();
  const before = await sent(page, "PATCH");
  await page.getByRole("button", { name: "Edit E-mail" }).click();
  await page.keyboard.type("nobody");
  await page.keyboard.press("Enter");
  await page.getByText("Not an e-mail address").waitFor();
  await accessible(page, "a field that is wrong");
  await page.keyboard.press("Escape");
  assert.equal(await sent(page, "PATCH"), before);
});

const meanwhile = (page, body) =>
  page.evaluate((change) => window.gallery.send({ method: "PATCH", path: "/api/contacts/con_1", body: change }), body);

await step("record: others changed other fields, both are in", "/record?id=con_1", {}, async (page) => {
  await page.getByRole("button", { name: "Edit Company" }).waitFor();
  await meanwhile(page, { stage: "Won" });
  await page.getByRole("button", { name: "Edit Company" }).click();
  await page.keyboard.type("Initrode");
  await page.keyboard.press("Enter");
  await until(page, () => window.gallery.told.length === 1);
  assert.match(await told(page), /Both changes are saved/);
  await page.getByText("Won").waitFor();
  await page.getByText("Initrode").waitFor();
});

for (const [choice, stays] of [
  ["Mine", "Initrode"],
  ["Theirs", "Globodyne"],
  ["Cancel", "Initrode"],
])
  await step(`record: the same field was changed, one chooses ${choice}`, "/record?id=con_1", {}, async (page) => {
    await page.getByRole("button", { name: "Edit Company" }).waitFor();
    await meanwhile(page, { company: "Globodyne" });
    await page.getByRole("button", { name: "Edit Company" }).click();
    await page.keyboard.type("Initrode");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Another user also changed this" });
    await dialog.waitFor();
    for (const value of ["Umbrella", "Globodyne", "Initrode"]) await dialog.getByText(value).waitFor();
    await accessible(page, "the conflict");
    const before = await sent(page, "PATCH");
    if (choice === "Cancel") await page.keyboard.press("Escape");
    else {
      await dialog.getByRole("radio", { name: choice }).check();
      await dialog.getByRole("button", { name: "Save" }).click();
    }
    await dialog.waitFor({ state: "detached" });
    await until(
      page,
      (wanted) =>
        document.querySelector('[data-field="company"]').textContent.includes(wanted) && !document.querySelector('[data-state="saving"]'),
      stays,
    );
    assert.equal((await sent(page, "PATCH")) - before, choice === "Mine" ? 1 : 0);
    if (choice !== "Cancel") return;
    // What was typed stays in its field, marked, until it is saved or taken back.
    await page.locator('[data-field="company"]').getByText("not saved").waitFor();
    await accessible(page, "a value that is not saved");
    const list = page.getByRole("button", { name: "List", exact: true });
    await list.click();
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await question.waitFor();
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    assert.equal(new URL(page.url()).pathname, "/record");
    await page.getByRole("button", { name: "Edit Company" }).click();
    await page.keyboard.press("Enter");
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Edit Company" }).click();
    await page.keyboard.press("Escape");
    await until(
      page,
      () => document.querySelector('[data-field="company"]').textContent.includes("Globodyne") && !document.querySelector("[data-state]"),
    );
    assert.equal((await sent(page, "PATCH")) - before, 0);
    await list.click();
    await until(page, () => location.pathname === "/list");
  });

const changed = async (page, to) => {
  await page.getByRole("button", { name: "Edit Company" }).click();
  await page.keyboard.type(to);
  await page.keyboard.press("Enter");
};

await step("record: a conflict begins without the choice of the one before", "/record?id=con_1", {}, async (page) => {
  const dialog = page.getByRole("dialog", { name: "Another user also changed this" });
  await page.getByRole("button", { name: "Edit Company" }).waitFor();
  for (const theirs of ["Globodyne", "Hooli"]) {
    await meanwhile(page, { company: theirs });
    await changed(page, `Not ${theirs}`);
    await dialog.waitFor();
    assert.equal(await dialog.getByRole("radio", { name: "Theirs" }).isChecked(), true);
    await dialog.getByRole("radio", { name: "Mine" }).check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await until(page, () => !document.querySelector("[data-state]"));
  }
});

await step("record: what others have made of a field since is not undone over them", "/record?id=con_1", {}, async (page) => {
  await changed(page, "Initrode");
  await until(page, () => window.gallery.undo.current().length === 1);
  await meanwhile(page, { company: "Globodyne" });
  await page.evaluate(() => void window.gallery.undo.take());
  const dialog = page.getByRole("dialog", { name: "Another user also changed this" });
  for (const value of ["Initrode", "Globodyne", "Umbrella"]) await dialog.getByText(value).waitFor();
  const now = () => page.evaluate(() => window.gallery.send({ method: "GET", path: "/api/contacts/con_1" }).then(({ company }) => company));
  assert.equal(await now(), "Globodyne");
  await dialog.getByRole("radio", { name: "Mine" }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Umbrella").waitFor();
  assert.equal(await now(), "Umbrella");
});

await step("record: what is undone from another page overwrites nobody, and can be tried again", "/record?id=con_1", {}, async (page) => {
  await changed(page, "Initrode");
  await until(page, () => window.gallery.undo.current().length === 1);
  await meanwhile(page, { company: "Globodyne" });
  await page.getByRole("button", { name: "List" }).click();
  await page.locator('[data-index="0"]').waitFor();
  assert.equal(await page.evaluate(() => window.gallery.undo.take().then(String, ({ code }) => code)), "version_conflict");
  assert.equal(await page.evaluate(() => window.gallery.undo.current().length), 1);
  assert.equal(
    await page.evaluate(() => window.gallery.send({ method: "GET", path: "/api/contacts/con_1" }).then(({ company }) => company)),
    "Globodyne",
  );
});

await step("record: after ten minutes on other pages a change is undone, and Back leads to the same row", "/list", {}, async (page) => {
  await page.clock.install();
  await page.locator('[data-index="9"]').focus();
  await page.keyboard.press("Enter");
  await changed(page, "Initrode");
  await until(page, () => window.gallery.undo.current().length === 1);
  await page.getByRole("button", { name: "Form", exact: true }).click();
  await page.getByRole("textbox", { name: "Name" }).waitFor();
  // The cache drops what no page has read for five minutes.
  await page.clock.fastForward("10:00");
  await page.evaluate(() => window.gallery.undo.take());
  assert.equal(
    await page.evaluate(() => window.gallery.send({ method: "GET", path: "/api/contacts/con_9" }).then(({ company }) => company)),
    "Wayne Enterprises",
  );
  await page.goBack();
  await page.getByRole("button", { name: "Next" }).waitFor();
  await page.goBack();
  await until(page, () => location.pathname === "/list" && document.activeElement?.dataset.index === "9");
});

await step("record: Back saves a field that is open, and asks where the rule rejects it", "/list", {}, async (page) => {
  const record = page.getByRole("button", { name: "Record", exact: true });
  const form = page.getByRole("button", { name: "Form", exact: true });
  const warns = () => page.evaluate(() => !window.dispatchEvent(new Event("beforeunload", { cancelable: true })));
  await form.click();
  await record.click();
  await page.getByRole("button", { name: "Edit Company" }).click();
  assert.equal(await warns(), false);
  await page.keyboard.type("Initrode");
  assert.equal(await warns(), true);
  // A dialog over the field, such as the question about another workspace, has the focus for a while.
  await page.evaluate(() => document.body.appendChild(document.createElement("dialog")).showModal());
  // Wait for the next task: a field that loses the focus saves in one.
  await page.evaluate(() => new Promise((done) => setTimeout(done)));
  assert.equal(await page.locator('[data-field="company"] input').inputValue(), "Initrode");
  assert.equal(await sent(page, "PATCH"), 0);
  await page.evaluate(() => document.querySelector("dialog[open]").remove());
  await page.goBack();
  await until(page, () => location.pathname === "/form" && window.gallery.undo.current().length === 1);
  await page.goBack();
  await until(page, () => location.pathname === "/list");
  assert.equal(
    await page.evaluate(() => window.gallery.send({ method: "GET", path: "/api/contacts/con_1" }).then(({ company }) => company)),
    "Initrode",
  );
  await form.click();
  await record.click();
  await page.getByRole("button", { name: "Edit E-mail" }).click();
  await page.keyboard.type("nobody");
  await page.goBack();
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  await question.waitFor();
  await page.keyboard.press("Escape");
  await question.waitFor({ state: "detached" });
  assert.equal(new URL(page.url()).pathname, "/record");
  assert.equal(await page.locator('[data-field="email"] input').inputValue(), "nobody");
  await page.goBack();
  await question.getByRole("button", { name: "Discard" }).click();
  await until(page, () => location.pathname === "/form");
  await page.goBack();
  await until(page, () => location.pathname === "/list");
  assert.equal(await sent(page, "PATCH"), 1);
});

await step("record: what meets others once the page is left is told with what was typed", "/record?id=con_1", {}, async (page) => {
  await page.getByRole("button", { name: "Edit Company" }).waitFor();
  await meanwhile(page, { company: "Globodyne" });
  await faults(page, { hold: true });
  await changed(page, "Initrode");
  await page.getByRole("button", { name: "List" }).click();
  await page.evaluate(() => window.gallery.release());
  await until(page, () => window.gallery.told.length === 1);
  assert.equal(await told(page), "Company: “Initrode” is not saved. Another user changed this.");
});

await step("record: without a network a change waits and is sent when it is back", "/record?id=con_1", {}, async (page) => {
  await page.getByRole("button", { name: "Edit Company" }).waitFor();
  await faults(page, { refuse: { status: 0, code: "unavailable" } });
  await page.getByRole("button", { name: "Edit Company" }).click();
  await page.keyboard.type("Initrode");
  await page.keyboard.press("Enter");
  await page.getByText("not sent").waitFor();
  await faults(page, { refuse: null });
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await until(page, () => window.gallery.undo.current().length === 1);
  await page.getByText("not sent").waitFor({ state: "detached" });
  await page.getByText("Initrode").waitFor();
});

await step("form: rules come before sending, the server speaks at its field, and nothing is sent twice", "/form", {}, async (page) => {
  const name = page.getByRole("textbox", { name: "Name" });
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("This field is required.").waitFor();
  await until(page, () => document.activeElement?.name === "name");
  await accessible(page, "a form that is wrong");
  assert.equal(await sent(page, "POST"), 0);
  await page.getByRole("textbox", { name: "Value" }).fill("1.5");
  await name.fill("taken");
  assert.equal(await page.getByText("This field is required.").count(), 0);
  await page.keyboard.press("Control+Enter");
  await page.getByText("Not a whole number").waitFor();
  await page.getByRole("textbox", { name: "Value" }).fill("15");
  await page.keyboard.press("Control+Enter");
  await page.getByText("There is one already").waitFor();
  await page.getByRole("alert").getByText("planet: No such planet").waitFor();
  await until(page, () => document.activeElement?.name === "name");
  await name.fill("Ada");
  await faults(page, { hold: true });
  const before = await sent(page, "POST");
  await page.getByRole("button", { name: "Create" }).dblclick();
  await page.keyboard.press("Control+Enter");
  await page.evaluate(() => window.gallery.release());
  await until(page, () => window.gallery.told.length === 1);
  assert.equal((await sent(page, "POST")) - before, 1);
});

await step("form: the same creation has the same key, another one another", "/form", {}, async (page) => {
  await faults(page, { refuse: { status: 503, code: "overloaded" } });
  const name = page.getByRole("textbox", { name: "Name" });
  for (const [text, count] of [
    ["Ada", 1],
    ["Ada", 2],
    ["Grace", 3],
  ]) {
    await name.fill(text);
    await page.getByRole("button", { name: "Create" }).click();
    await until(page, (wanted) => window.gallery.requests.filter(({ method }) => method === "POST").length === wanted, count);
    await page.getByRole("alert").waitFor();
  }
  const keys = await page.evaluate(() => window.gallery.requests.filter(({ method }) => method === "POST").map(({ key }) => key));
  assert.ok(keys[0].length >= 8 && keys[0] === keys[1] && keys[1] !== keys[2]);
});

await step("form: what is typed survives a reload, and leaving asks", "/form", {}, async (page) => {
  await page.getByRole("textbox", { name: "Notes" }).fill("x".repeat(5_000));
  page.on("dialog", (dialog) => dialog.accept());
  await page.reload();
  assert.equal((await page.getByRole("textbox", { name: "Notes" }).inputValue()).length, 5_000);
  await page.getByText("Restored your unsaved input.").waitFor();
  await page.getByRole("button", { name: "Board" }).click();
  await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
  await page.keyboard.press("Escape");
  assert.equal(new URL(page.url()).pathname, "/form");
  await page.getByRole("button", { name: "Board" }).click();
  await page.getByRole("button", { name: "Discard" }).click();
  await until(page, () => location.pathname === "/board");
  await page.getByRole("button", { name: "Form" }).click();
  assert.equal(await page.getByRole("textbox", { name: "Notes" }).inputValue(), "");
});

await step("form: what others change is taken over, and what is typed stays and says so", "/form", {}, async (page) => {
  const [email, notes] = ["E-mail", "Notes"].map((name) => page.getByRole("textbox", { name }));
  await notes.fill("Mine");
  await page.getByRole("button", { name: "Another user changes it" }).click();
  await page.getByText("Another user changed this to “Theirs”.").waitFor();
  assert.deepEqual([await email.inputValue(), await notes.inputValue()], ["theirs@example.org", "Mine"]);
  await notes.fill("Theirs");
  await page.getByText("Another user changed this to").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Another user changes it" }).click();
  assert.equal(await notes.inputValue(), "TheirsTheirs");
  await page.getByRole("button", { name: "Board" }).click();
  await until(page, () => location.pathname === "/board");
});

await step("form: a change of another user during a rejected request is shown at its field", "/form", {}, async (page) => {
  const notes = page.getByRole("textbox", { name: "Notes" });
  await page.getByRole("textbox", { name: "Name" }).fill("Ada");
  await notes.fill("Mine");
  await faults(page, { hold: true, refuse: { status: 412, code: "version_conflict" } });
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("button", { name: "Another user changes it" }).click();
  await page.evaluate(() => window.gallery.release());
  await page.getByText("Another user changed this to “Theirs”.").waitFor();
  assert.equal(await notes.inputValue(), "Mine");
  await until(page, () => document.activeElement?.name === "notes");
});

await step("board: a card is carried by keys, and every step is said", "/board", {}, async (page) => {
  const first = page.locator('[data-column="Qualified"] [data-card]').first();
  await first.focus();
  const card = await focusedCard(page);
  await page.keyboard.press(" ");
  assert.match(await said(page), /^Grace Turing lifted\. Qualified, position 1 of 10\./);
  await page.keyboard.press("ArrowRight");
  await until(page, () => document.querySelector("[data-said]").textContent === "Proposal, position 1 of 11");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await until(page, () => document.querySelector("[data-said]").textContent === "Proposal, position 3 of 11");
  await until(page, (id) => document.activeElement?.dataset.card === id, card);
  await page.keyboard.press("Escape");
  await until(page, () => document.querySelector("[data-said]").textContent === "Grace Turing is back in Qualified.");
  assert.equal(await columnOf(page, card), "Qualified");
  await page.keyboard.press(" ");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await until(page, () => window.gallery.requests.filter(({ method }) => method === "PATCH").length === 1);
  assert.equal(await said(page), "Grace Turing dropped. Negotiation, position 1 of 1.");
  await until(
    page,
    (id) => document.activeElement?.dataset.card === id && document.activeElement.closest("[data-column]").dataset.column === "Negotiation",
    card,
  );
});

await step("board: a closed stage says why and takes nothing", "/board", {}, async (page) => {
  await page.locator('[data-column="Lead"] [data-card]').first().focus();
  const card = await focusedCard(page);
  await page.keyboard.press(" ");
  for (let column = 0; column < 4; column += 1) await page.keyboard.press("ArrowRight");
  await until(page, () => document.querySelector("[data-said]").textContent === "Won is closed for Ada Lovelace: not from Lead");
  await page.locator('[data-column="Won"][data-closed]').getByText("not from Lead").waitFor();
  await page.keyboard.press("Enter");
  await until(page, (id) => document.querySelector(`[data-card="${id}"]`).closest("[data-column]").dataset.column === "Lead", card);
  assert.equal(await sent(page, "PATCH"), 0);
  await page.locator('[data-column="Lead"] [data-card]').first().focus();
  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: /Won/ }).waitFor();
  assert.equal(await page.getByRole("menuitem", { name: /Won/ }).isDisabled(), true);
  await accessible(page, "the menu");
  await page.getByRole("menuitem", { name: "Proposal" }).click();
  await until(
    page,
    (id) => document.activeElement?.dataset.card === id && document.activeElement.closest("[data-column]").dataset.column === "Proposal",
    card,
  );
});

await step("board: a move that is refused is painted back, with a sentence", "/board", {}, async (page) => {
  await faults(page, { refuse: { status: 409, code: "conflict", detail: "Somebody moved it." } });
  await page.locator('[data-column="Lead"] [data-card]').first().focus();
  const card = await focusedCard(page);
  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: "Proposal" }).click();
  await until(page, () => window.gallery.told.length === 1);
  assert.equal(await told(page), "Ada Lovelace stays in Lead: Somebody moved it.");
  await until(page, (id) => document.querySelector(`[data-card="${id}"]`).closest("[data-column]").dataset.column === "Lead", card);
});

await step("in another language words of that language go before what the server says", "/board#de", {}, async (page) => {
  await faults(page, { refuse: { status: 409, code: "conflict", detail: "Somebody moved it." } });
  await page.locator('[data-column="Lead"] [data-card]').first().focus();
  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: "Proposal" }).click();
  await until(page, () => window.gallery.told.length === 1);
  assert.match(await told(page), /Der Zustand dieses Eintrags erlaubt es nicht. Einzelheiten: Somebody moved it.$/);
});

/** The middle of a card and of the place where it is to go. */
const way = (page, to) =>
  page.evaluate((column) => {
    const card = document.querySelector('[data-column="Lead"] [data-card]').getBoundingClientRect();
    const target = document.querySelector(`[data-column="${column}"]`).getBoundingClientRect();
    return { from: { x: card.x + 40, y: card.y + 30 }, to: { x: target.x + target.width / 2, y: target.y + 240 } };
  }, to);

await step("board: the mouse carries, Escape brings back, and a click stays a click", "/board", {}, async (page) => {
  const { from, to } = await way(page, "Proposal");
  const card = await page.locator('[data-column="Lead"] [data-card]').first().getAttribute("data-card");
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 20, from.y + 10);
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.locator('[data-column="Proposal"][data-over]').waitFor();
  await page.screenshot({ path: join(screens, "ui-board-drag.png") });
  await page.keyboard.press("Escape");
  assert.equal(await columnOf(page, card), "Lead");
  await page.mouse.up();
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.locator('[data-column="Proposal"][data-over]').waitFor();
  await page.mouse.up();
  await until(page, (id) => document.querySelector(`[data-card="${id}"]`).closest("[data-column]").dataset.column === "Proposal", card);
  await until(page, () => window.gallery.requests.filter(({ method }) => method === "PATCH").length === 1);
  assert.match(await said(page), /dropped\. Proposal, position \d of 11\./);
  await page.mouse.click(from.x, from.y);
  assert.equal(await sent(page, "PATCH"), 1);
});

await step("board: a finger carries after holding, and a swipe scrolls", "/board", { touch: true }, async (page) => {
  const client = await page.context().newCDPSession(page);
  const touch = (type, point) => client.send("Input.dispatchTouchEvent", { type, touchPoints: point ? [point] : [] });
  const { from, to } = await way(page, "Proposal");
  const card = await page.locator('[data-column="Lead"] [data-card]').first().getAttribute("data-card");
  await touch("touchStart", from);
  await page.locator('[data-carrying="pointer"]').waitFor();
  for (let part = 1; part <= 6; part += 1)
    await touch("touchMove", { x: from.x + ((to.x - from.x) * part) / 6, y: from.y + ((to.y - from.y) * part) / 6 });
  await page.locator('[data-column="Proposal"][data-over]').waitFor();
  await touch("touchEnd");
  await until(page, (id) => document.querySelector(`[data-card="${id}"]`).closest("[data-column]").dataset.column === "Proposal", card);
  await (await fingerOf(page)).swipe({ x: from.x, y: from.y + 300 }, { x: from.x, y: from.y + 50 }, 10);
  await until(page, () => document.querySelector('[data-column="Lead"] [data-rows]').parentElement.scrollTop > 50);
  await until(page, () => window.gallery.requests.filter(({ method }) => method === "PATCH").length === 1);
});

await step("board: several cards go together", "/board", {}, async (page) => {
  await page.locator('[data-column="Lead"] [data-card]').first().focus();
  await page.keyboard.press("x");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("x");
  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: "Qualified" }).click();
  await page.getByRole("group", { name: /^Qualified, 12 cards/ }).waitFor();
  await page.getByRole("group", { name: /^Lead, 8 cards/ }).waitFor();
});

await step("board: 5,000 cards are few elements, and all can be walked to", "/board?count=5000", {}, async (page) => {
  await page.getByRole("group", { name: /^Lead, 834 cards/ }).waitFor();
  assert.ok((await elements(page)) <= 1_500, `${await elements(page)} elements`);
  await page.locator('[data-column="Lead"] [data-card]').first().focus();
  await page.keyboard.press("End");
  await until(page, () => document.activeElement?.getAttribute("aria-posinset") === "834");
  await page.keyboard.press("ArrowRight");
  await until(page, () => document.activeElement?.closest("[data-column]")?.dataset.column === "Qualified");
  assert.ok((await elements(page)) <= 1_500);
});

await step("board: at phone width one column is seen, which a picker, swipes and keys change", "/board", { width: 320 }, async (page) => {
  const sees = (stage) =>
    until(
      page,
      (wanted) => {
        const { left, right } = document.querySelector("[data-column]").parentElement.getBoundingClientRect();
        const inside = (column) => column.getBoundingClientRect().right > left + 1 && column.getBoundingClientRect().left < right - 1;
        const seen = [...document.querySelectorAll("[data-column]")].filter(inside).map(({ dataset }) => dataset.column);
        return seen.join() === wanted && document.querySelector("section select").value === wanted;
      },
      stage,
    );
  await sees("Lead");
  await page.getByRole("combobox", { name: "Stage" }).selectOption("Won");
  await sees("Won");
  await page.locator('[data-column="Lead"] [data-card]').first().focus();
  await page.keyboard.press("ArrowRight");
  await sees("Qualified");
});

await step("dialogs: focus goes in, stays in and returns; the page behind stays", "/states", { width: 768, height: 500 }, async (page) => {
  for (const [button, title] of [
    ["Dialog", "Rename the view"],
    ["Confirm", "Delete the pipeline?"],
  ]) {
    await page.getByRole("button", { name: button, exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: title }).waitFor();
    await accessible(page, title);
    const top = await page.evaluate(() => scrollY);
    await page.mouse.move(5, 5);
    await page.mouse.wheel(0, 500);
    for (let press = 0; press < 8; press += 1) {
      await page.keyboard.press("Tab");
      assert.ok(await page.evaluate(() => document.querySelector("dialog[open]").contains(document.activeElement)), "the focus stays in");
    }
    assert.equal(await page.evaluate(() => scrollY), top);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await until(page, (name) => document.activeElement?.textContent === name, button);
    assert.equal(await page.evaluate(() => document.documentElement.classList.contains("ui-locked")), false);
  }
  await page.keyboard.press("Enter");
  const remove = page.getByRole("dialog").getByRole("button", { name: "Delete" });
  assert.equal(await remove.isDisabled(), true);
  await page.getByRole("textbox", { name: "Type Sales to confirm." }).fill("Sales");
  await remove.click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

await step("files: each that is not taken says why", "/parts", {}, async (page) => {
  const file = (name, bytes) => ({ name, mimeType: "text/plain", buffer: Buffer.alloc(bytes, "x") });
  const put = (...files) => page.locator('input[type="file"]').setInputFiles(files);
  await put(file("a.csv", 10), file("empty.csv", 0), file("large.csv", 5_000), file("picture.png", 10));
  for (const text of [
    "empty.csv is empty.",
    "large.csv is too large (5 kB). The limit is 1 kB.",
    "The type of picture.png is not supported. Supported: .csv or .vcf.",
  ])
    await page.getByText(text).waitFor();
  await page.getByText("a.csv", { exact: true }).waitFor();
  await put(...Array.from({ length: 200 }, (_, at) => file(`${at}.csv`, 1)));
  await page.getByText("Select at most 3 files.").waitFor();
  await page.getByText("0.csv, 1.csv, 2.csv").waitFor();
});

await step("rights: what one may never do is not there, what cannot be done now says why", "/parts", {}, async (page) => {
  assert.equal(await page.getByRole("button", { name: "Never" }).count(), 0);
  const off = page.getByRole("button", { name: "Delete" });
  await off.focus();
  await page.keyboard.press("Enter");
  assert.equal(await told(page), undefined);
  assert.equal(await off.getAttribute("aria-disabled"), "true");
  await page.getByRole("button", { name: "Export" }).click();
  assert.equal(await told(page), "Exported");
});

await step("resource: list, record, create, change and delete from a description", "/resource", {}, async (page) => {
  await page.locator('[data-index="0"]').waitFor();
  await page.keyboard.press("c");
  const panel = page.getByRole("dialog", { name: "New entry" });
  await panel.getByRole("button", { name: "Create" }).click();
  await panel.getByText("This field is required.").waitFor();
  await panel.getByRole("textbox", { name: "Name" }).fill("Ada");
  await accessible(page, "creating");
  await page.keyboard.press("Control+Enter");
  await until(page, () => window.gallery.told.at(-1)?.text === "Ada created");
  await panel.waitFor({ state: "detached" });
  // Filters and choices have the texts of the app's catalog, in the list and where a record is typed.
  await page.locator('[data-index="0"]').getByText("New lead").waitFor();
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("menuitem", { name: "Stage of the sale" }).click();
  await page.getByRole("dialog", { name: "Stage of the sale" }).getByText("New lead").waitFor();
  await page.keyboard.press("Escape");
  // The exact time stands beside how long ago it was.
  assert.match(await page.locator('[data-index="2"] time').textContent(), /2026,? .*\d:\d\d.* ago$/);
  await page.locator('[data-index="2"] a').click();
  await until(page, () => location.search === "?open=con_2");
  const record = page.getByRole("dialog", { name: "Édouard Lukas" });
  await record.getByRole("button", { name: "Edit Company" }).click();
  await page.keyboard.type("Initrode");
  await page.keyboard.press("Enter");
  await until(page, () => window.gallery.undo.current().length === 1);
  await record.getByRole("button", { name: /Edit Stage of the sale/ }).click();
  await record.getByRole("combobox", { name: "Stage of the sale" }).click();
  await page.getByRole("option", { name: "New lead" }).waitFor();
  await page.getByRole("option", { name: "Won" }).click();
  await record.getByRole("button", { name: /^Won Edit/ }).waitFor();
  await record.getByRole("button", { name: "Edit Value" }).click();
  await page.keyboard.type("12.5");
  await page.keyboard.press("Enter");
  await record.getByRole("button", { name: /^€12.50 Edit Value/ }).waitFor();
  await record.getByRole("button", { name: "Edit Call at" }).click();
  await record.getByLabel("Call at").fill("2026-12-24T10:00");
  await page.keyboard.press("Enter");
  await record.locator('time[datetime="2026-12-24T09:00:00.000Z"]').waitFor();
  await record.getByRole("button", { name: /^Ada Lovelace.*Edit Referred by/ }).click();
  await record.getByRole("combobox", { name: "Referred by" }).fill("Grace");
  await page
    .getByRole("option", { name: /^Grace/ })
    .first()
    .click();
  await record.getByRole("button", { name: /^Grace .*Edit Referred by/ }).waitFor();
  await accessible(page, "a record with a picker");
  assert.equal(await record.getByRole("button", { name: "Qualify" }).count(), 0);
  await record.getByRole("button", { name: "Block" }).click();
  const question = page.getByRole("dialog", { name: "Block" });
  await question.getByText("Campaigns leave out blocked contacts.").waitFor();
  await question.getByRole("button", { name: "Block" }).click();
  await until(page, () => window.gallery.told.at(-1)?.text === "Block: done");
  await record.getByRole("button", { name: "Block" }).waitFor({ state: "detached" });
  await record.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: "Delete Édouard Lukas?" }).getByRole("button", { name: "Delete" }).click();
  await until(page, () => window.gallery.told.at(-1)?.text === "Édouard Lukas deleted");
  await until(page, () => location.search === "");
});

for (const [name, path] of Object.entries(PAGES))
  await step(`walk: every control of ${name} is reached by Tab, and the focus is seen`, path, {}, async (page) => {
    await ready(page);
    await page.waitForTimeout(0);
    const missed = [];
    const reached = new Set();
    let first;
    for (let press = 0; press < 90; press += 1) {
      await page.keyboard.press("Tab");
      const here = await page.evaluate(() => {
        const it = document.activeElement;
        if (!it || it === document.body) return null;
        const { outlineStyle, borderColor } = getComputedStyle(it);
        const around = it.closest("label");
        const shown =
          outlineStyle !== "none" || it.matches("input, textarea, select") || (around && getComputedStyle(around).outlineStyle !== "none");
        const path = [];
        for (let part = it; part !== document.body; part = part.parentElement) path.unshift([...part.parentElement.children].indexOf(part));
        return { key: path.join("."), shown, what: it.outerHTML.slice(0, 100), borderColor };
      });
      if (!here) break;
      if (here.key === first) break;
      first ??= here.key;
      reached.add(here.key);
      if (!here.shown) missed.push(here.what);
    }
    assert.deepEqual(missed, [], "the focus is seen");
    const unreachable = await page.evaluate(
      (keys) =>
        [...document.querySelectorAll('main :is(a[href], button:enabled, input, select, textarea, [tabindex="0"])')]
          .filter((it) => {
            if (it.tabIndex < 0 || it.offsetParent === null || it.type === "radio") return false;
            const path = [];
            for (let part = it; part !== document.body; part = part.parentElement)
              path.unshift([...part.parentElement.children].indexOf(part));
            return !keys.includes(path.join("."));
          })
          .map((it) => it.outerHTML.slice(0, 120)),
      [...reached],
    );
    assert.deepEqual(unreachable, []);
  });

await browser.close();
server.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
