// The board by fingers only, on a phone and on a tablet: crm_touch.mjs WANTED (JSON of tests/http/crm_pages.py). Ends in "N passed, N failed".
import assert from "node:assert/strict";
import { accessible, carryCard, fingerOf, middleOf } from "./browser.mjs";
import { api, contactNamed, finish, origin, screens, signedIn, step } from "./crm_steps.mjs";

const { pipelineId, stages } = (await api("GET", "/api/pipeline")).items[0];
const idOf = (stage) => stages.find((each) => each.name === stage).stageId;
const stageOf = async (name) =>
  (({ pipelines: [at] }) => stages.find(({ stageId }) => stageId === at.stageId).name)(await contactNamed(name));
const rule = (change) => api("PUT", `/api/pipeline/${pipelineId}`, change);

for (const [device, width, height] of [
  ["phone", 390, 844],
  ["tablet", 820, 1180],
]) {
  const cards = Array.from({ length: 16 }, (_, at) => `${device} ${String(at).padStart(2, "0")}`);
  for (const displayName of cards) {
    const { id } = await api("POST", "/api/contacts", { displayName });
    await api("PUT", `/api/pipeline/${id}/move`, { pipelineId, stageId: idOf("New") });
  }
  const [first, second, third, fourth] = cards;
  const page = await signedIn("owner", { viewport: { width, height }, hasTouch: true, isMobile: true });
  const finger = await fingerOf(page);
  let sent = 0;
  page.on("request", (request) => request.method() === "PUT" && request.url().endsWith("/move") && ++sent);
  const card = (name) => page.locator("[data-card]", { hasText: name });
  const column = (stage) => page.locator(`[data-column="${idOf(stage)}"]`);
  const said = () => page.locator("[data-said]").textContent();
  const nothingCarried = () => page.locator("[data-carrying]").waitFor({ state: "detached" });
  const drag = (name, stage) => carryCard(page, finger, card(name), idOf(stage));
  const moved = async (name, stage) => {
    await column(stage).locator("[data-card]:not([data-pending])", { hasText: name }).waitFor();
    assert.equal(await stageOf(name), stage);
  };
  await page.goto(`${origin}/pipeline/${pipelineId}?q=${device}`);

  await step(`${device}: a swipe scrolls and lifts nothing`, async () => {
    const { x, y, width: wide } = await card(second).boundingBox();
    await finger.swipe({ x: x + 50, y: y + 40 }, { x: x + 50, y: y - 60 });
    await page.waitForFunction((id) => document.querySelector(`[data-rows="${id}"]`).parentElement.scrollTop > 50, idOf("New"));
    await finger.swipe({ x: x + wide - 40, y: y + 40 }, { x: x + 20, y: y + 40 });
    await page.waitForFunction((id) => document.querySelector(`[data-column="${id}"]`).parentElement.scrollLeft > 50, idOf("New"));
    assert.deepEqual([await said(), sent], ["", 0]);
    await page.reload();
    await card(second).waitFor();
  });

  await step(`${device}: a held card goes to the farthest column and back, as the board scrolls at its edges`, async () => {
    for (const stage of ["Won", "New", "Negotiation", "New"]) {
      await drag(first, stage);
      await page.locator(`[data-column="${idOf(stage)}"][data-over]`).waitFor();
      await finger.up();
      await moved(first, stage);
    }
    assert.equal(sent, 4);
  });

  await step(`${device}: the stage that is seen is the one that the picker names, and it leads to others`, async () => {
    const picker = page.getByRole("combobox", { name: "Stage" });
    for (const at of [3, 0]) {
      await picker.selectOption({ index: at });
      await page.waitForFunction(
        ([id, name]) => {
          const shown = document.querySelector(`[data-column="${id}"]`);
          const stands = Math.abs(shown.getBoundingClientRect().left - shown.parentElement.getBoundingClientRect().left) < 2;
          return stands && document.querySelector("section select").selectedOptions[0].textContent.startsWith(name);
        },
        [stages[at].stageId, stages[at].name],
      );
    }
    await page.screenshot({ path: `${screens}/crm-board-${device}.png` });
    await accessible(page, `the board on a ${device}`);
  });

  await step(`${device}: what is broken off puts the card back: no more touch, a second finger, a page that is not seen`, async () => {
    const hidden = (is) =>
      page.evaluate(
        (state) => {
          Object.defineProperty(document, "visibilityState", { configurable: true, value: state });
          document.dispatchEvent(new Event("visibilitychange"));
        },
        is ? "hidden" : "visible",
      );
    const outside = { x: 20, y: 20 };
    for (const end of [() => finger.second(outside), () => hidden(true), finger.cancel]) {
      await drag(second, "Contacted");
      await end();
      await nothingCarried();
      assert.equal(await said(), `${second} is back in New.`);
      if (end !== finger.cancel) await finger.up();
      await hidden(false);
    }
    assert.deepEqual([sent, await stageOf(second)], [4, "New"]);
  });

  await step(`${device}: a stage that is closed says so while a card is carried, and when it is dropped there`, async () => {
    await rule({
      transitions: [
        { from: idOf("New"), to: idOf("Lost") },
        { from: idOf("New"), to: idOf("Contacted") },
      ],
      requireLostReason: true,
    });
    await page.reload();
    await drag(second, "Qualified");
    await column("Qualified").getByText("Not allowed from New").waitFor();
    await page.screenshot({ path: `${screens}/crm-board-closed-${device}.png` });
    await finger.up();
    await page.getByLabel("Messages").getByText(`Qualified is closed for ${second}: Not allowed from New`).waitFor();
    await nothingCarried();
    assert.deepEqual([sent, await stageOf(second)], [4, "New"]);
  });

  await step(`${device}: lost asks for its reason, and does without a move where none is given`, async () => {
    const dialog = page.getByRole("dialog", { name: "Move to Lost" });
    const dropOnLost = async () => {
      await drag(third, "Lost");
      await finger.up();
      await dialog.waitFor();
    };
    await dropOnLost();
    await dialog.getByRole("button", { name: "Cancel" }).tap();
    await dialog.waitFor({ state: "detached" });
    await column("New").locator("[data-card]:not([data-pending])", { hasText: third }).waitFor();
    assert.deepEqual([sent, await stageOf(third)], [4, "New"]);
    await dropOnLost();
    await dialog.getByRole("textbox").fill("Too dear");
    await dialog.getByRole("button", { name: "Move" }).tap();
    await dialog.waitFor({ state: "detached" });
    await moved(third, "Lost");
    await rule({ transitions: null, requireLostReason: false });
  });

  await step(`${device}: several that are selected by taps go together, and what is not selected opens`, async () => {
    await page.reload();
    await card(first)
      .getByRole("button", { name: `Move ${first}` })
      .tap();
    await page.getByRole("menuitemradio", { name: `Select ${first}` }).tap();
    await card(second).tap();
    await card(fourth).tap();
    await card(fourth).tap();
    assert.equal(await page.locator("[data-picked]").count(), 2);
    assert.equal(await said(), "2 selected");
    await page.getByText("Undo").first().waitFor({ state: "detached" });
    const before = sent;
    await drag(second, "Contacted");
    await page.screenshot({ path: `${screens}/crm-board-several-${device}.png` });
    await finger.up();
    await moved(first, "Contacted");
    await moved(second, "Contacted");
    assert.deepEqual([sent - before, await page.locator("[data-picked]").count()], [2, 0]);
    await card(fourth).tap();
    await page.getByRole("heading", { level: 1, name: fourth }).waitFor();
  });

  await step(`${device}: a card that others move while a finger carries it stays in the hand, and who drops it is told`, async () => {
    await page.goto(`${origin}/pipeline/${pipelineId}?q=${device}`);
    const { id } = await contactNamed(cards[5]);
    await drag(cards[5], "Contacted");
    await api("PUT", `/api/pipeline/${id}/move`, { pipelineId, stageId: idOf("Negotiation") });
    await column("Negotiation").locator(`[data-card="${id}"]`).waitFor();
    const { x, y } = await middleOf(column("Contacted").getByRole("heading"));
    await finger.to({ x, y: y + 80 });
    await page.locator("[data-carrying]").waitFor();
    await finger.up();
    await page.getByLabel("Messages").getByText("Another user moved it to Negotiation.").waitFor();
    assert.equal(await stageOf(cards[5]), "Negotiation");
  });

  await step(`${device}: the menu moves a card, and one goes on with its neighbour`, async () => {
    await page.goto(`${origin}/pipeline/${pipelineId}?q=${device}`);
    await card(fourth)
      .getByRole("button", { name: `Move ${fourth}` })
      .tap();
    await page.getByRole("menuitem", { name: "Proposal" }).tap();
    await moved(fourth, "Proposal");
    await page.waitForFunction((name) => document.activeElement.textContent.includes(name), cards[4]);
    await page.context().close();
  });
}

await finish();
