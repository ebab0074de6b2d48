// Uses the app of social as a team does: social.mjs WANTED (JSON of tests/http/social_pages.py). Ends in "N passed, N failed".
import assert from "node:assert/strict";
import { accessible, fillSignIn, startSteps } from "./browser.mjs";

const { program, origin, screens, people, receiver } = JSON.parse(process.argv[2]);
const { opened, step, finish } = await startSteps({ program, screens, suite: "social", keep: true, options: { timezoneId: "Europe/Berlin" } });

async function signedIn(role, options = {}) {
  const tab = await opened(options);
  await tab.goto(`${origin}/login`);
  await fillSignIn(tab, people[role]);
  await tab.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  return tab;
}

const page = await signedIn("owner");
const heading = (name, on = page) => on.getByRole("heading", { level: 1, name }).waitFor();
const go = async (path, name, on = page) => {
  await on.goto(origin + path);
  await heading(name, on);
};
const button = (name, on = page) => on.getByRole("button", { name, exact: true });
const picture = (name, on = page) => on.screenshot({ path: `${screens}/social-${name}.png`, fullPage: true });

await step("the first visit creates a brand and leads to its accounts", async () => {
  await page.getByText("No brands yet").waitFor();
  await page.getByRole("textbox", { name: "Name" }).fill("Analytical Engines");
  await button("Create brand").click();
  await heading("Accounts");
  await page.getByText("No accounts", { exact: true }).waitFor();
  await accessible(page, "accounts without an account");
});

await step("a network that needs a setting says so and cannot be chosen", async () => {
  await button("Connect account").click();
  assert.ok(await page.getByRole("button", { name: /^LinkedIn/ }).isDisabled());
  await page.getByRole("button", { name: /^Webhook/ }).click();
  await page.getByRole("textbox", { name: "URL" }).fill(receiver);
  await page.getByRole("dialog").getByRole("button", { name: "Connect account" }).click();
  await page.getByText("Copy the signing secret now.").waitFor();
  await button("Close").click();
  await page.getByText("Connected", { exact: true }).first().waitFor();
  await picture("accounts");
});

await step("the composer shows what the network receives and publishes it", async () => {
  await go("/posts/new", "New post");
  await page.getByRole("checkbox", { name: /^Webhook/ }).check();
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("Engines that weave algebraic patterns");
  const preview = page.getByRole("complementary", { name: "Preview" });
  await preview.getByText(/^37 \/ 100,000$/).waitFor();
  await preview.getByText("Engines that weave algebraic patterns").waitFor();
  await accessible(page, "composer");
  await picture("composer");
  await button("Publish now").click();
  await heading("Engines that weave algebraic patterns");
  await page.getByText("Published", { exact: true }).first().waitFor({ timeout: 60_000 });
  await picture("post");
  await accessible(page, "post");
});

await step("typed text survives a reload until it is saved", async () => {
  await go("/posts/new", "New post");
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("Half a thought");
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await heading("New post");
  assert.equal(await page.getByRole("textbox", { name: "Text", exact: true }).inputValue(), "Half a thought");
  await page.getByRole("checkbox", { name: /^Webhook/ }).check();
  await button("Save draft").click();
  await heading("Half a thought");
  await page.getByText("Draft", { exact: true }).first().waitFor();
});

await step("a scheduled post appears in the calendar and returns to a draft", async () => {
  await go("/posts/new", "New post");
  await page.getByRole("checkbox", { name: /^Webhook/ }).check();
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("For tomorrow");
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel("Scheduled for").fill(`${tomorrow}T10:00`);
  await button("Schedule").click();
  await heading("For tomorrow");
  await go(`/calendar?date=${tomorrow}`, "Calendar");
  const entry = page.getByRole("link", { name: /10:00.*For tomorrow/ });
  await entry.waitFor();
  await accessible(page, "calendar");
  await picture("calendar");
  await entry.click();
  await button("Revert to draft").click();
  await page.getByText("Draft", { exact: true }).first().waitFor();
});

await step("a brand that requires approval has its posts decided by another member", async () => {
  await go("/settings", "Settings");
  await page.getByRole("checkbox", { name: "Require approval" }).check();
  await page.getByRole("combobox", { name: "Number of approvals" }).waitFor();
  await accessible(page, "settings");
  const author = await signedIn("member");
  await go("/posts/new", "New post", author);
  await author.getByRole("checkbox", { name: /^Webhook/ }).check();
  await author.getByRole("textbox", { name: "Text", exact: true }).fill("Please approve this");
  await button("Save draft", author).click();
  await heading("Please approve this", author);
  await button("Submit for approval", author).click();
  await author.getByText("Pending approval").first().waitFor();
  assert.equal(await button("Approve", author).count(), 0);
  await go("/approvals", "Approvals");
  await page.getByText("Please approve this").waitFor();
  await picture("approvals");
  await accessible(page, "approvals");
  await page.keyboard.press("j");
  await page.keyboard.press("a");
  await page.getByText("No approvals pending").waitFor();
});

await step("pages fit a phone in the dark theme", async () => {
  const phone = await signedIn("owner", { viewport: { width: 320, height: 700 }, colorScheme: "dark" });
  for (const [path, name] of [["/overview", "Overview"], ["/posts", "Posts"], ["/posts/new", "New post"], ["/calendar", "Calendar"], ["/library", "Media"], ["/accounts", "Accounts"], ["/settings", "Settings"]]) {
    await go(path, name, phone);
    const wider = await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wider <= 0, `${path} is ${wider} px too wide`);
    await accessible(phone, `${path} on a phone`);
  }
  await picture("phone", phone);
});

await finish();
