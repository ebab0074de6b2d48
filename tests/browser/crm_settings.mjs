// Settings, and what they make of a board.
import assert from "node:assert/strict";
import { accessible, assertSoon, card, go, page, pipeline, stageNamed, stageNow } from "./crm_page.mjs";
import { api, contactNamed, screens, step } from "./crm_steps.mjs";

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
  const [grip, other] = [
    page.getByRole("button", { name: `Move ${before[0]}`, exact: true }),
    page.getByRole("button", { name: `Move ${before[2]}`, exact: true }),
  ];
  await grip.focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction((name) => document.querySelector("[data-said]").textContent.startsWith(`${name}, position 3 of`), before[0]);
  assert.deepEqual((await stagesNow()).slice(0, 3), [before[1], before[2], before[0]]);
  await page.keyboard.press("Escape");
  await page.waitForFunction(
    (name) => document.querySelector("[data-said]").textContent.startsWith(`${name} is back, position 1 of`),
    before[0],
  );
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
  assert.deepEqual(
    stages.slice(0, 3).map(({ name }) => name),
    [before[1], before[2], before[0]],
  );
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
  const stands = (stage) =>
    page
      .locator(`[data-column="${stageNamed(stage)}"]`)
      .getByText("Ada Lovelace")
      .waitFor();
  await stands("New");
  for (const [key, stage] of [
    ["ArrowRight", "Proposal"],
    ["ArrowLeft", "New"],
  ]) {
    await card("Ada Lovelace").focus();
    for (const each of ["Space", key, "Enter"]) await page.keyboard.press(each);
    await stands(stage);
  }
  release();
  await page.getByText("Ada Lovelace moved to New").first().waitFor();
  assert.equal(await page.getByText("Another person").count(), 0);
  assert.equal(await stageNow("Ada Lovelace"), stageNamed("New"));
  assert.equal(asked, 2);
  await page.unrouteAll();
});
