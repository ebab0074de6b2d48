// The board, by keys and by the mouse, alone and with others.
import assert from "node:assert/strict";
import { accessible, assertSoon, card, go, page, pipeline, said, stageNamed, stageNow } from "./crm_page.mjs";
import { api, contactNamed, step } from "./crm_steps.mjs";

await step("moves a card by keyboard, and each step is said", async () => {
  await go("/pipeline", "Sales");
  const below = () =>
    page.locator(`[data-column="${stageNamed("New")}"] [data-card]`).evaluateAll((cards) => {
      const at = cards.findIndex((each) => each.textContent.includes("Ada Lovelace"));
      return at < 0 ? "elsewhere" : (cards[at + 1]?.dataset.card ?? "last");
    });
  await card("Ada Lovelace").focus();
  const before = await below();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowRight");
  assert.match(await said(), /Contacted/);
  await page.keyboard.press("Enter");
  await assertSoon(async () => (await stageNow("Ada Lovelace")) === stageNamed("Contacted"));
  await page.getByText("Ada Lovelace moved to Contacted").waitFor();
  await page.keyboard.press("z");
  await assertSoon(async () => (await stageNow("Ada Lovelace")) === stageNamed("New"));
  // The card is in its place again, with the focus.
  await assertSoon(async () => (await below()) === before);
  await assertSoon(() => card("Ada Lovelace").evaluate((each) => each === document.activeElement));
  await accessible("the board");
});

await step("moves a card by the mouse", async () => {
  // The board has read what was undone.
  await page.locator(`[data-column="${stageNamed("New")}"] [data-card]:not([data-pending])`, { hasText: "Ada Lovelace" }).waitFor();
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
  await page.getByText("Another user moved it to Negotiation.").first().waitFor();
  assert.equal(await stageNow("Ada Lovelace"), stageNamed("Negotiation"));
  await page
    .locator(`[data-column="${stageNamed("Negotiation")}"]`)
    .getByText("Ada Lovelace")
    .waitFor();
  await page.unroute("**/api/changes");
});

await step("stores several cards in the order in which they are dropped at the end of a column", async () => {
  const stageId = stageNamed("Qualified");
  const ids = [];
  for (const displayName of ["Stack A", "Stack B", "Stack C", "Stack X"]) {
    const { id } = await api("POST", "/api/contacts", { displayName });
    await api("PUT", `/api/pipeline/${id}/move`, { pipelineId: pipeline.pipelineId, stageId });
    ids.push(id);
  }
  await go("/pipeline?q=stack", "Sales");
  for (const name of ["Stack C", "Stack B", "Stack A"]) {
    await card(name).focus();
    await page.keyboard.press("x");
  }
  for (const key of ["Space", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  await assertSoon(async () => {
    const { columns } = await api("GET", `/api/pipeline/${pipeline.pipelineId}/board?q=stack&stageId=${stageId}`);
    return columns[0].items.map(({ displayName }) => displayName).join() === "Stack X,Stack A,Stack B,Stack C";
  });
  await page.locator("[data-pending]").first().waitFor({ state: "detached" });
  for (const id of ids) await api("DELETE", `/api/contacts/${id}?permanent=true`);
});

await step("a column loads more cards again after a stale board response removed them", async () => {
  const [pile, from, to] = ["Qualified", "New", "Contacted"].map(stageNamed);
  const ids = [];
  const add = async (displayName, stageId) => {
    const { id } = await api("POST", "/api/contacts", { displayName });
    await api("PUT", `/api/pipeline/${id}/move`, { pipelineId: pipeline.pipelineId, stageId });
    ids.push(id);
  };
  await add("Pile aside", from);
  for (let at = 0; at < 60; ++at) await add(`Pile ${at}`, pile);
  const rows = (length) => page.locator(`[data-rows="${pile}"][data-length="${length}"]`);
  // Changes would have the board read at other times.
  await page.route("**/api/changes", (route) => route.abort());
  await go("/pipeline?q=pile", "Sales");
  await rows(50).waitFor();
  let answer;
  const gate = new Promise((done) => (answer = done));
  const board = /\/board\?/;
  await page.route(board, async (route) => {
    if (!route.request().url().includes("cursor=")) await gate;
    await route.continue().catch(() => undefined);
  });
  const asked = page.waitForRequest(board);
  await card("Pile aside").focus();
  for (const key of ["Space", "ArrowRight", "Enter"]) await page.keyboard.press(key);
  await asked;
  await rows(50).evaluate(({ parentElement: list }) => (list.scrollTop = list.scrollHeight));
  await rows(60).waitFor();
  answer();
  await page.locator(`[data-column="${to}"] [data-card]:not([data-pending])`, { hasText: "Pile aside" }).waitFor();
  await rows(60).waitFor();
  await page.unroute(board);
  await page.unroute("**/api/changes");
  for (const id of ids) await api("DELETE", `/api/contacts/${id}?permanent=true`);
});

await step("sees what others move", async () => {
  const { id } = await contactNamed("Ada Lovelace");
  await go("/pipeline", "Sales");
  await card("Ada Lovelace").waitFor();
  await api("PUT", `/api/pipeline/${id}/move`, { pipelineId: pipeline.pipelineId, stageId: stageNamed("Proposal") });
  await page
    .locator(`[data-column="${stageNamed("Proposal")}"]`)
    .getByText("Ada Lovelace")
    .waitFor();
  await api("PUT", `/api/pipeline/${id}/move`, { pipelineId: pipeline.pipelineId, stageId: stageNamed("Negotiation") });
});

await step("asks for the reason where one is lost, and for stages that are closed says why", async () => {
  const negotiation = stageNamed("Negotiation");
  await api("PUT", `/api/pipeline/${pipeline.pipelineId}`, {
    requireLostReason: true,
    transitions: [{ from: negotiation, to: stageNamed("Lost") }],
  });
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

await step("a contact is made in a column, and the board says what it holds", async () => {
  await go("/pipeline", "Sales");
  await page.getByRole("navigation", { name: "Breadcrumbs" }).getByText("Sales", { exact: true }).waitFor();
  const counted = async () => Number.parseInt(await page.locator("output").textContent(), 10);
  const before = await counted();
  await page.getByRole("button", { name: "New contact: Contacted" }).click();
  await page.getByRole("textbox", { name: "First name" }).fill("Emmy");
  await page.getByRole("textbox", { name: "Last name" }).fill("Noether");
  await page.getByRole("button", { name: "Create contact" }).click();
  await page
    .locator(`[data-column="${stageNamed("Contacted")}"]`)
    .getByText("Emmy Noether")
    .waitFor();
  assert.equal(await counted(), before + 1);
  assert.equal(await page.getByRole("button", { name: "New contact: Lost" }).count(), 0);
  await accessible("a board with buttons");
  const { id } = await contactNamed("Emmy Noether");
  await go(`/contacts/${id}`, "Emmy Noether");
  await page.waitForFunction(() => document.title === "Emmy Noether · CRM");
  await api("DELETE", `/api/contacts/${id}?permanent=true`);
});

await step("columns of the list fit what is in them", async () => {
  const made = await api("POST", "/api/contacts", {
    firstName: "Wide",
    emails: [{ address: "a.rather.long.address@example-company.test" }],
  });
  await go("/contacts?sort=-updatedAt", "Contacts");
  const cell = page.getByRole("gridcell").filter({ hasText: "a.rather.long.address@example-company.test" });
  await cell.waitFor();
  assert.ok(
    await cell.evaluate((each) =>
      [each, ...each.querySelectorAll("*")].every(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth + 1 || clientWidth === 0),
    ),
  );
  const phone = await page.getByRole("columnheader", { name: "Phone" }).boundingBox();
  assert.ok(phone.width < 160, `${phone.width} px for phones that nobody has`);
  await api("DELETE", `/api/contacts/${made.id}?permanent=true`);
});
