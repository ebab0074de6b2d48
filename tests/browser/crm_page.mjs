// The tab in which the steps on the CRM's pages follow one another, and what is done in it.
import assert from "node:assert/strict";
import { accessible as accessibleOf, soon } from "./browser.mjs";
import { api, contactNamed, origin, signedIn } from "./crm_steps.mjs";

export let page = await signedIn("owner");
/** Goes on in another one. */
export const goOnIn = (tab) => (page = tab);

/** What follows an answer that the page does not wait for. */
export const assertSoon = soon;
export const accessible = (what) => accessibleOf(page, what);
export const heading = (name) => page.getByRole("heading", { level: 1, name }).waitFor();
/** Goes there within the app, as a link does. */
export const go = async (path, name) => {
  await page.goto(origin + path);
  await heading(name);
};
export const field = (name) => page.locator(`[data-field="${name}"]`);

/** Chooses a file of 8 MB on a slow line, sees how much of it is sent, and stops that. */
export async function sendsSlowly(name, mimeType, progress, stop) {
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

export const pipeline = (await api("GET", "/api/pipeline")).items[0];
export const stageNamed = (name) => pipeline.stages.find((each) => each.name === name).stageId;
export const stageNow = async (name) => (await contactNamed(name)).pipelines[0]?.stageId;
export const card = (name) => page.locator("[data-card]", { hasText: name });
export const said = () => page.locator("[data-said]").textContent();
