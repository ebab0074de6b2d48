// Uses the app of social as a team does: social.mjs WANTED (JSON of tests/http/social_pages.py). Ends in "N passed, N failed".
import assert from "node:assert/strict";
import { accessible, fillSignIn, fitsWindow, soon, startSteps } from "./browser.mjs";

const { program, origin, service, screens, people, receiver, feed, sandbox } = JSON.parse(process.argv[2]);
const { opened, step, finish } = await startSteps({
  program,
  screens,
  suite: "social",
  keep: true,
  options: { timezoneId: "Europe/Berlin" },
});

async function signedIn(role, options = {}) {
  const tab = await opened(options);
  await tab.goto(`${origin}/login`);
  await fillSignIn(tab, people[role]);
  await tab.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  return tab;
}

const tokens = new Map();
async function tokenOf(role) {
  if (!tokens.has(role)) {
    const body = JSON.stringify({ identifier: people[role][0], password: people[role][1], service_id: "social" });
    const answer = await fetch(`${service}/api/auth/login`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
    tokens.set(role, (await answer.json()).access_token);
  }
  return tokens.get(role);
}

/** Another program of a user. */
async function api(method, path, body, role = "owner") {
  const headers = { Authorization: `Bearer ${await tokenOf(role)}`, ...(body && { "Content-Type": "application/json" }) };
  const answer = await fetch(service + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

/** Intercepts requests until the returned function is called. */
async function held(pattern) {
  let answer;
  const gate = new Promise((done) => (answer = done));
  await page.route(pattern, async (route) => {
    await gate;
    await route.continue().catch(() => undefined);
  });
  return async () => (answer(), await page.unroute(pattern));
}

const page = await signedIn("owner");
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNQcEgAAAFEAMELjZZCAAAAAElFTkSuQmCC";
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
  const sure = page.getByRole("dialog", { name: "Publish now" });
  await sure.getByText("The post is published on its networks immediately.").waitFor();
  await accessible(page, "the question before a post is published");
  await button("Cancel", sure).click();
  await sure.waitFor({ state: "detached" });
  await heading("New post");
  await button("Publish now").click();
  await button("Publish now", sure).click();
  await heading("Engines that weave algebraic patterns");
  await page.getByText("Published", { exact: true }).first().waitFor({ timeout: 60_000 });
  // The time of the click is no time that a user has set.
  assert.equal(await page.getByText("Scheduled for", { exact: true }).count(), 0);
  // A webhook counts nothing.
  const numbers = page.getByRole("region", { name: "Numbers", exact: true });
  await numbers.getByRole("row", { name: /^Webhook .*–.*–.*–/ }).waitFor();
  await numbers.getByRole("button", { name: "Refresh" }).click();
  await page.getByText("1 attempt", { exact: true }).click();
  await page.getByText("Published manually").waitFor();
  await picture("post");
  await accessible(page, "post");
});

await step("a draft without an account says at the field what is missing", async () => {
  await go("/posts/new", "New post");
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("Without an account");
  await button("Save draft").click();
  const accounts = page.getByRole("group", { name: "Accounts", exact: true });
  await accounts.getByRole("alert").getByText("Choose at least one account. A draft needs one, too.").waitFor();
  await page
    .getByRole("checkbox", { name: /^Webhook/ })
    .and(page.locator(":focus"))
    .waitFor();
  await accessible(page, "composer without an account");
  await picture("no-account");
  await page.keyboard.press("Space");
  await accounts.getByRole("alert").waitFor({ state: "detached" });
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("");
});

await step("the composer generates images, says that they are samples, and previews a link", async () => {
  await go("/posts/new", "New post");
  await page.getByRole("checkbox", { name: /^Webhook/ }).check();
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("With a picture");
  await page.getByRole("textbox", { name: "Link", exact: true }).fill(receiver.replace("/posts", "/engine"));
  await button("Preview link").click();
  const card = page.getByRole("figure", { name: "Link preview" });
  await card.getByText("The engine").waitFor();
  await card.getByText("Wheels of brass.").waitFor();
  await button("Generate image").click();
  const dialog = page.getByRole("dialog", { name: "Generate image" });
  await dialog.getByRole("textbox", { name: "Description" }).fill("A loom of brass");
  await dialog.getByRole("combobox", { name: "Images" }).selectOption("4");
  await dialog.getByRole("button", { name: "Generate", exact: true }).click();
  await dialog.getByText("Sample", { exact: true }).waitFor();
  await dialog.getByText("6 of 10 images left this minute").waitFor();
  await accessible(page, "generated images");
  await picture("images");
  const limited = { status: 429, code: "rate_limited", details: { scope: "user", limit: 10 } };
  await page.route("**/api/ai/generate-image?*", (route) =>
    route.fulfill({
      status: 429,
      contentType: "application/problem+json",
      headers: { "Retry-After": "34" },
      body: JSON.stringify(limited),
    }),
  );
  await dialog.getByRole("button", { name: "Generate again" }).click();
  await dialog.getByText("You have reached your limit of 10 images per minute. Try again in 34 seconds.").waitFor();
  await page.unroute("**/api/ai/generate-image?*");
  for (const number of [2, 3, 4]) await dialog.getByRole("checkbox", { name: `Use image ${number}` }).uncheck();
  await dialog.getByRole("button", { name: "Use 1 image" }).click();
  const alt = page.getByRole("textbox", { name: /^Alt text for sample-/ });
  await alt.fill("A loom");
  await alt.blur();
  await page.getByText("Alt text saved").waitFor();
  const [{ brandId }] = (await api("GET", "/api/brands")).items;
  const { mediaId } = (await api("GET", `/api/media?brandId=${brandId}`)).items.find(({ altText }) => altText === "A loom");
  await alt.fill("A loom of");
  await api("PATCH", `/api/media/${mediaId}?brandId=${brandId}`, { altText: "A weaver" });
  await page.getByText("Another user changed this to “A weaver”.").waitFor();
  assert.equal(await alt.inputValue(), "A loom of");
  const patched = await held("**/api/media/*?brandId=*");
  for (const text of ["A loom of brass", "A loom of brass wheels"]) {
    await alt.fill(text);
    await alt.blur();
  }
  const last = page.waitForResponse((answer) => answer.ok() && answer.request().postData()?.includes("brass wheels"));
  await patched();
  await last;
  assert.equal(await alt.inputValue(), "A loom of brass wheels");
  await page.getByText("Alt text saved").nth(2).waitFor();
  await accessible(page, "composer with an image");
  await page.getByRole("button", { name: /^Remove sample-/ }).click();
  await button("Save draft").click();
  await heading("With a picture");
});

/** Starts to upload `card.png` to the post on the page. Returns a function that lets the upload end. */
async function startUpload() {
  const complete = await held("**/api/media/*/complete?*");
  const asked = page.waitForRequest("**/api/media/*/complete?*");
  await button("Add media").click();
  await page.locator('input[type="file"]').setInputFiles({ name: "card.png", mimeType: "image/png", buffer: Buffer.from(dot, "base64") });
  await asked;
  await page.keyboard.press("Escape");
  return complete;
}

await step("text that is typed during an upload stays, also in the kept draft", async () => {
  await go("/posts/new", "New post");
  const text = page.getByRole("textbox", { name: "Text", exact: true });
  const removal = button("Remove card.png");
  await text.fill("Before the upload");
  const complete = await startUpload();
  await text.fill("Typed during the upload");
  await complete();
  await removal.waitFor();
  assert.equal(await text.inputValue(), "Typed during the upload");
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await heading("New post");
  await removal.waitFor();
  assert.equal(await text.inputValue(), "Typed during the upload");
  await page.getByRole("link", { name: "Calendar", exact: true }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await heading("Calendar");
});

await step("a draft that was discarded during an upload stays discarded", async () => {
  await go("/posts/new", "New post");
  const text = page.getByRole("textbox", { name: "Text", exact: true });
  await text.fill("Discarded during the upload");
  const complete = await startUpload();
  await page.getByRole("link", { name: "Media", exact: true }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await heading("Media");
  await complete();
  // Both files are read again, which is the last step of an upload.
  await page
    .getByRole("button", { name: /card\.png.*No alt text/ })
    .nth(1)
    .waitFor();
  await go("/posts/new", "New post");
  assert.equal(await text.inputValue(), "");
});

await step("a server without an image model says what to do", async () => {
  await page.route("**/api/ai/generate-image?*", (route) =>
    route.fulfill({ status: 503, contentType: "application/problem+json", body: '{"status":503,"code":"gateway_unconfigured"}' }),
  );
  await go("/library", "Media");
  await button("Generate image").click();
  await page.getByRole("textbox", { name: "Description" }).fill("A loom");
  await page.getByRole("button", { name: "Generate", exact: true }).click();
  await page.getByRole("alert").getByText("No image model is set up on this server.").waitFor();
  await button("Close").click();
  await page.unroute("**/api/ai/generate-image?*");
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

await step("text that is typed during a save stays, and the next save changes the same post", async () => {
  await go("/posts/new", "New post");
  const text = page.getByRole("textbox", { name: "Text", exact: true });
  await page.getByRole("checkbox", { name: /^Webhook/ }).check();
  await text.fill("Before the save");
  const made = await held((url) => url.pathname === "/api/posts" && !url.searchParams.has("dryRun"));
  await button("Save draft").click();
  await text.fill("Typed during the save");
  await made();
  await page.getByText("Saved", { exact: true }).waitFor();
  assert.equal(await text.inputValue(), "Typed during the save");
  const changed = page.waitForRequest((request) => request.method() === "PUT" && /\/api\/posts\/[^/]+$/.test(request.url()));
  await button("Save draft").click();
  await changed;
  await heading("Typed during the save");
});

await step("a saved post opens its page before the lists are read again", async () => {
  await go("/posts/new", "New post");
  await page.getByRole("checkbox", { name: /^Webhook/ }).check();
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("Saved before the lists");
  const brands = await held((url) => url.pathname === "/api/brands");
  await button("Save draft").click();
  await heading("Saved before the lists");
  await brands();
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
  // Keys move a post, and the focus goes along.
  const after = (days) => new Date(Date.parse(tomorrow) + days * 86_400_000).toISOString().slice(0, 10);
  const on = (day) => page.locator(`[data-day="${day}"]`).getByRole("link", { name: /10:00.*For tomorrow/ });
  await entry.focus();
  await page.keyboard.press("Shift+ArrowRight");
  await on(after(1)).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Shift+ArrowLeft");
  await on(tomorrow).and(page.locator(":focus")).waitFor();
  await entry.click();
  // The page of the editor has read the post before it changes.
  await page.getByRole("link", { name: "Edit" }).click();
  await heading("Edit post");
  await page.goBack();
  await button("Revert to draft").click();
  await page.getByText("Draft", { exact: true }).first().waitFor();
  await page.getByRole("link", { name: "Edit" }).click();
  await heading("Edit post");
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("For the day after");
  await button("Save draft").click();
  await heading("For the day after");
});

await step("a saved post has the time that its field says, and no other", async () => {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const time = page.getByLabel("Scheduled for");
  const edit = async () => {
    await page.getByRole("link", { name: "Edit" }).click();
    await heading("Edit post");
  };
  await go("/posts/new", "New post");
  await page.getByRole("checkbox", { name: /^Webhook/ }).check();
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("With a time");
  // The year is typed digit by digit.
  await time.fill(`${tomorrow}T11:00`);
  await time.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  const next = `${Number(tomorrow.slice(0, 4)) + 1}`;
  await page.keyboard.type(next);
  await soon(async () => (await time.inputValue()) === `${next}${tomorrow.slice(4)}T11:00`);
  await button("Save draft").click();
  await heading("With a time");
  await page.getByText(/^Saved without the time/).waitFor();
  await page.getByText("Draft", { exact: true }).first().waitFor();
  await edit();
  await time.fill(`${tomorrow}T11:00`);
  await button("Schedule").click();
  await heading("With a time");
  await edit();
  assert.equal(await button("Save draft").count(), 0);
  await time.fill(`${tomorrow}T12:30`);
  await button("Save").click();
  await heading("With a time");
  await page
    .getByText(/12:30$/)
    .first()
    .waitFor();
  await edit();
  await time.fill("");
  await button("Save").click();
  await heading("With a time");
  await page.getByText("Draft", { exact: true }).first().waitFor();
});

await step("discarded text is gone, and an address decides over text that is left", async () => {
  const text = page.getByRole("textbox", { name: "Text", exact: true });
  await go("/posts/new?text=From%20a%20trend", "New post");
  await text.fill("To be discarded");
  await page.getByRole("link", { name: "Calendar", exact: true }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await heading("Calendar");
  await go("/posts/new", "New post");
  assert.equal(await text.inputValue(), "");
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
  await button("Add media", author).click();
  await author.locator('input[type="file"]').setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: Buffer.from(dot, "base64") });
  const alt = author.getByRole("textbox", { name: "Alt text for dot.png" });
  await alt.fill("A dot on a card");
  await alt.blur();
  await author.getByText("Alt text saved").waitFor();
  await button("Save draft", author).click();
  await heading("Please approve this", author);
  await button("Submit for approval", author).click();
  await author.getByText("Pending approval").first().waitFor();
  assert.equal(await button("Approve", author).count(), 0);
  await go("/approvals", "Approvals");
  // All that is published is there: text, picture, alternative text, account; and its author.
  const card = page.getByRole("listitem").filter({ hasText: "Please approve this" }).first();
  await card.getByText("Alt text: A dot on a card").waitFor();
  assert.ok(await card.locator("img").evaluate((picture) => picture.decode().then(() => picture.naturalWidth > 0)));
  await card.getByText("member", { exact: false }).first().waitFor();
  assert.equal(await card.getByText("Account", { exact: true }).count(), 1);
  await picture("approvals");
  await accessible(page, "approvals");
  await page.keyboard.press("j");
  await page.keyboard.press("a");
  await page.getByText("No approvals pending").waitFor();
  // Approved without a time it is no draft any more.
  await author.getByText("Approved", { exact: true }).nth(1).waitFor();
  assert.equal(await author.getByText("Draft", { exact: true }).count(), 0);
  const its = author.url();
  await go("/posts", "Posts", author);
  await author.getByRole("row").filter({ hasText: "Please approve this" }).getByText("Approved", { exact: true }).waitFor();
  await author.goto(its);
  await heading("Please approve this", author);
  // An edit asks for approval again, and shows what it changed.
  await author.goto(`${author.url()}/edit`);
  await heading("Edit post", author);
  await author.getByRole("textbox", { name: "Text", exact: true }).fill("Please approve this instead");
  await button("Save draft", author).click();
  await heading("Please approve this instead", author);
  await page.getByText("Please approve this instead").waitFor();
  await page.getByText("Changes since the last approval").click();
  await page
    .getByRole("deletion")
    .filter({ hasText: /Please approve this$/ })
    .waitFor();
  await page.getByRole("insertion").filter({ hasText: "Please approve this instead" }).waitFor();
  await accessible(page, "changes");
  await picture("changes");
  await button("Approve").click();
  await page.getByText("No approvals pending").waitFor();
});

const rows = page.getByRole("listitem").filter({ hasText: "Queued" });
const focused = (text) => rows.filter({ hasText: text }).and(page.locator(":focus")).waitFor();
/** A member submits posts for approval. Returns their texts in the order of the page, and the items by their texts. */
async function queue(...texts) {
  const [{ brandId }] = (await api("GET", "/api/brands")).items;
  const [{ integrationId }] = (await api("GET", `/api/integrations?brandId=${brandId}`)).items;
  const queued = new Map();
  for (const text of texts) {
    const { postId } = await api("POST", "/api/posts", { brandId, text, targets: [{ integrationId }] }, "member");
    const { items } = await api("GET", `/api/posts/${postId}?include=items`, null, "member");
    for (const { contentId } of items) await api("POST", `/api/content-ops/items/${contentId}/submit`, {}, "member");
    queued.set(text, items[0].contentId);
  }
  await go("/approvals", "Approvals");
  await rows.nth(texts.length - 1).waitFor();
  return [await rows.evaluateAll((all) => all.map((each) => each.textContent.match(/Queued \d/)[0])), queued];
}

await step("keys decide the item that has the focus, once, and no other", async () => {
  const [[, second, third]] = await queue("Queued 1", "Queued 2", "Queued 3");
  const approved = [];
  const hear = (asked) => asked.url().endsWith("/approve") && approved.push(asked.url());
  page.on("request", hear);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await focused(second);
  await page.keyboard.down("a");
  await rows.filter({ hasText: second }).waitFor({ state: "detached" });
  await focused(third);
  // A key that is still down, and one while no item has the focus.
  await page.keyboard.down("a");
  await page.keyboard.up("a");
  await page.getByRole("heading", { level: 1, name: "Approvals" }).click();
  await page.keyboard.press("a");
  await page.getByRole("checkbox", { name: "Select all" }).check();
  await button("Approve 2 selected").click();
  await page.getByText("No approvals pending").waitFor();
  page.off("request", hear);
  assert.equal(approved.length, 3);
});

await step("a key decides no item that got the focus because the one before was decided elsewhere", async () => {
  const [[first, second], queued] = await queue("Queued 4", "Queued 5");
  await page.keyboard.press("j");
  await focused(first);
  await api("POST", `/api/content-ops/items/${queued.get(first)}/reject`, { reason: "Not now" });
  await focused(second);
  await page.keyboard.press("a");
  await page.keyboard.press("j");
  await page.keyboard.press("r");
  await button("Reject", page.getByRole("dialog", { name: "Reject" })).click();
  await page.getByText("No approvals pending").waitFor();
  assert.equal((await api("GET", `/api/content-ops/items/${queued.get(second)}`)).approvalState, "rejected");
});

await step("where approval is required a post is submitted, and a refusal leaves one draft", async () => {
  const made = [];
  const hear = (asked) => {
    const { pathname, searchParams } = new URL(asked.url());
    if (asked.method() === "POST" && pathname === "/api/posts" && !searchParams.has("dryRun")) made.push(asked);
  };
  page.on("request", hear);
  await go("/posts/new", "New post");
  await page.getByRole("checkbox", { name: /^Webhook/ }).check();
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("Submitted at once");
  await button("Submit for approval").waitFor();
  assert.equal(await button("Publish now").count(), 0);
  await page.route("**/api/content-ops/items/*/submit", (route) =>
    route.fulfill({ status: 409, contentType: "application/problem+json", body: '{"status":409,"code":"action_not_allowed"}' }),
  );
  await button("Submit for approval").click();
  await page.getByText(/^The post is saved as a draft/).waitFor();
  await page.unroute("**/api/content-ops/items/*/submit");
  await button("Submit for approval").click();
  await heading("Submitted at once");
  page.off("request", hear);
  assert.equal(made.length, 1);
  await page.getByText("Pending approval").first().waitFor();
  await button("Revert to draft").click();
  await page.getByText("Draft", { exact: true }).first().waitFor();
});

await step("a post that another tab saved shows both versions", async () => {
  await go("/posts/new", "New post");
  await page.getByRole("checkbox", { name: /^Webhook/ }).check();
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("First version");
  await button("Save draft").click();
  await heading("First version");
  await page.getByRole("link", { name: "Edit" }).click();
  await heading("Edit post");
  const address = page.url();
  const other = await signedIn("owner");
  await other.goto(address);
  await heading("Edit post", other);
  await other.getByRole("textbox", { name: "Text", exact: true }).fill("Version of the other tab");
  await button("Save draft", other).click();
  await heading("Version of the other tab", other);
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("Version of this tab");
  await button("Save draft").click();
  await page.getByText("This post was changed elsewhere").waitFor();
  await page.getByText("Version of the other tab").waitFor();
  await accessible(page, "two versions");
  await picture("versions");
  await button("Keep my version").click();
  await button("Save draft").click();
  await heading("Version of this tab");
});

await step("a trend becomes a suggestion, which is edited and approved", async () => {
  // Whoever edits a suggestion may approve it where no approval is required.
  await go("/settings", "Settings");
  const saved = page.waitForResponse((answer) => answer.request().method() === "PATCH" && answer.ok());
  await page.getByRole("checkbox", { name: "Require approval" }).uncheck();
  await saved;
  await go("/trends", "Trends");
  await page.getByRole("button", { name: "Trends", exact: true, pressed: true }).waitFor();
  await go("/trends?view=sources", "Trends");
  await page.getByRole("textbox", { name: "Name" }).fill("Mill news");
  await page.getByRole("textbox", { name: "URL" }).fill(feed);
  await page.getByRole("button", { name: "Add source" }).click();
  await page.getByRole("heading", { name: "Mill news" }).waitFor();
  await accessible(page, "sources");
  await button("Trends").click();
  const card = page.getByRole("listitem").filter({ hasText: "A mill that calculates" });
  for (let turn = 0; turn < 60 && (await card.count()) === 0; turn++) {
    await page.waitForTimeout(500);
    await page.reload();
    await heading("Trends");
  }
  await card.first().waitFor();
  await accessible(page, "trends");
  await picture("trends");
  await card.getByRole("button", { name: "Save", exact: true }).click();
  await card.getByRole("button", { name: "Saved", exact: true }).waitFor();
  await card.getByRole("button", { name: "Create suggestions" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox", { name: "Webhook" }).waitFor();
  await accessible(page, "suggest");
  await dialog.getByRole("button", { name: "Create suggestions" }).click();
  await heading("Approvals");
  await page.getByText("A mill that calculates").first().waitFor();
  // The text is edited before it becomes a post of the account.
  const suggestion = page.getByRole("listitem").filter({ hasText: "A mill that calculates" });
  await suggestion.getByRole("button", { name: "Edit", exact: true }).click();
  const edit = page.getByRole("dialog", { name: "Edit suggestion" });
  const text = edit.getByRole("textbox", { name: "Text" });
  await text.fill("Come and see a mill that calculates");
  await page.mouse.click(5, 5);
  await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Keep editing" }).click();
  // Another user saves the same suggestion, and the page reads it.
  const [{ brandId }] = (await api("GET", "/api/brands")).items;
  const { items } = await api("GET", `/api/content-ops/deck?brandId=${brandId}`);
  const [{ item }] = items.filter((each) => each.item.text.includes("A mill that calculates"));
  const theirs = "A mill that calculates, says a colleague";
  await api("PATCH", `/api/content-ops/items/${item.contentId}`, { text: theirs });
  await suggestion.getByText(theirs).first().waitFor();
  assert.equal(await text.inputValue(), "Come and see a mill that calculates");
  await edit.getByRole("button", { name: "Save" }).click();
  const conflict = page.getByRole("dialog", { name: "Another user also changed this" });
  await conflict.getByText(theirs).waitFor();
  assert.equal((await api("GET", `/api/content-ops/items/${item.contentId}`)).text, theirs);
  await accessible(page, "a suggestion that two users changed");
  await conflict.getByRole("radio").last().check();
  await conflict.getByRole("button", { name: "Save" }).click();
  await edit.waitFor({ state: "detached" });
  await page.getByText("Come and see a mill that calculates").waitFor();
  await suggestion.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("dialog").getByRole("combobox", { name: "Account" }).waitFor();
  await accessible(page, "approve a suggestion");
  await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
  await page.getByText("No approvals pending").waitFor();
  await go("/posts", "Posts");
  await page.getByText("Come and see a mill that calculates").first().waitFor();
});

await step("analytics lists published posts", async () => {
  await go("/analytics", "Analytics");
  await page.getByRole("row", { name: /Total 1/ }).waitFor();
  await accessible(page, "analytics");
  await picture("analytics");
});

await step("a published post is deleted here and at its networks", async () => {
  await go("/posts", "Posts");
  await page.getByText("Engines that weave algebraic patterns").first().click();
  await heading("Engines that weave algebraic patterns");
  await button("Delete").click();
  const dialog = page.getByRole("dialog", { name: "Delete this post?" });
  await dialog.getByRole("checkbox", { name: /^Also delete from the networks/ }).check();
  await accessible(page, "delete a published post");
  await dialog.getByRole("button", { name: "Delete everywhere" }).click();
  await heading("Posts");
  await page.getByText("Deleted here and from the networks").waitFor();
  await page.getByText("Engines that weave algebraic patterns").first().waitFor({ state: "detached" });
});

await step("a second brand is created", async () => {
  await go("/settings", "Settings");
  await button("New brand").click();
  const card = page.getByRole("region", { name: "New brand" });
  await card.getByRole("textbox", { name: "Name" }).fill("Zuse");
  await button("Create brand").click();
  await card.waitFor({ state: "detached" });
  await page.getByLabel("Brand", { exact: true }).first().waitFor();
});

await step("a post is shown with its own brand, and another brand leaves it", async () => {
  const choice = page.getByLabel("Brand", { exact: true }).first();
  const choose = async (name) => {
    const saved = page.waitForResponse((answer) => answer.request().method() === "PATCH" && answer.ok());
    await choice.click();
    await page.getByRole("option", { name }).click();
    await saved;
  };
  await go("/posts", "Posts");
  await page.getByText("Version of this tab").first().click();
  await heading("Version of this tab");
  const address = page.url();
  await go("/posts", "Posts");
  await choose("Zuse");
  await page.goto(address);
  await heading("Version of this tab");
  await soon(async () => (await choice.inputValue()) === "Analytical Engines");
  await page.getByRole("link", { name: "Edit" }).click();
  await heading("Edit post");
  await page.getByRole("checkbox", { name: /^Webhook/, checked: true }).waitFor();
  await page.goto(address);
  await heading("Version of this tab");
  await choose("Zuse");
  await heading("Posts");
  await choose("Analytical Engines");
});

await step("a day of a filter begins in the brand's zone", async () => {
  const tab = await signedIn("owner", { timezoneId: "America/Los_Angeles" });
  await go("/posts", "Posts", tab);
  await button("Filter", tab).click();
  await tab.getByRole("menuitem", { name: "Scheduled from" }).click();
  const dialog = tab.getByRole("dialog", { name: "Scheduled from" });
  await dialog.getByLabel("Scheduled from").fill("2026-12-24");
  await dialog.getByRole("button", { name: "Filter" }).click();
  await tab.waitForURL((url) => url.searchParams.get("scheduledFrom") === "2026-12-23T23:00:00.000Z");
  await button("Scheduled from: 24 Dec 2026", tab).waitFor();
});

await step("approvals and overview of all brands are on one page", async () => {
  await go("/approvals?brand=all", "Approvals");
  const choice = page.getByLabel("Brand", { exact: true }).first();
  assert.equal(await choice.inputValue(), "All brands");
  await page.getByText("No approvals pending").waitFor();
  await choice.click();
  await page.getByRole("option", { name: "Zuse" }).click();
  await page.waitForURL(`${origin}/approvals`);
  await choice.click();
  await page.getByRole("option", { name: "Analytical Engines" }).click();
  await go("/overview?brand=all", "Overview");
  await page.getByText("Zuse: ").waitFor();
  await accessible(page, "the overview of all brands");
  await picture("all-brands");
});

await step("with two brands an account is checked; a file is uploaded, described and deleted", async () => {
  await go("/accounts", "Accounts");
  await button("Check now").first().click();
  await page.getByText("Checked", { exact: true }).waitFor();
  // A check of an account on this machine is no self-test, so the page does not ask for another one.
  const network = page.getByRole("listitem").filter({ hasText: /^Webhook/ });
  await network.getByText(/at a loopback, private or test host/).waitFor();
  assert.equal(await network.getByText(/self-test/).count(), 0);
  await go("/library", "Media");
  await page.locator('input[type="file"]').setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("A mill") });
  await page
    .getByRole("alert")
    .getByText(/\.mov, \.webm/)
    .waitFor();
  await page.locator('input[type="file"]').setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: Buffer.from(dot, "base64") });
  const tile = page.getByRole("button", { name: /dot\.png.*No alt text/ });
  await tile.click();
  const panel = page.getByRole("dialog", { name: "dot.png" });
  await panel.getByRole("textbox", { name: "Alt text" }).fill("A dot");
  await panel.getByRole("button", { name: "Save" }).click();
  await panel.waitFor({ state: "detached" });
  // An earlier step has uploaded a file of the same name.
  const described = page.getByRole("button", { name: /^A dot dot\.png/ });
  await described.click();
  await panel.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete dot.png?" });
  await dialog.getByRole("button", { name: "Delete" }).click();
  await tile.waitFor({ state: "detached" });
  await described.waitFor({ state: "detached" });
});

await step("an account is connected at its own server", async () => {
  await go("/accounts", "Accounts");
  await button("Connect account").click();
  await page.getByRole("button", { name: /^Mastodon/ }).click();
  await page.getByRole("textbox", { name: "Server URL" }).fill(sandbox);
  await page.getByRole("dialog").getByRole("button", { name: "Connect account" }).click();
  await button("Allow").click();
  await heading("Accounts");
  await page
    .getByRole("heading", { name: /sandbox/i })
    .or(page.getByText(/Mastodon/))
    .first()
    .waitFor();
});

await step("a post is planned, written and published with the keyboard alone", async () => {
  const reach = async (target, key = "Tab") => {
    for (let turn = 0; turn < 150; turn++) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press(key);
    }
    assert.fail(`${key} does not reach ${target}`);
  };
  const press = async (target, key, way) => {
    await reach(target, way);
    await page.keyboard.press(key);
  };
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  await go(`/calendar?date=${tomorrow}`, "Calendar");
  await press(button(`New post on ${tomorrow}`), "Enter");
  await heading("New post");
  await press(page.getByRole("checkbox", { name: /^Mastodon/ }), "Space");
  await reach(page.getByRole("textbox", { name: "Text", exact: true }));
  await page.keyboard.type("Cards of the loom");
  await reach(page.getByRole("textbox", { name: "Link", exact: true }));
  await page.keyboard.type("https://example.org/looms");
  const preview = page.getByRole("complementary", { name: "Preview" });
  await preview.getByRole("figure", { name: "Link preview" }).waitFor();
  await press(preview.getByText("Settings for Mastodon"), "Enter");
  await reach(preview.getByRole("combobox", { name: "Visibility" }));
  await page.keyboard.type("Unl");
  await reach(preview.getByRole("textbox", { name: "Content warning" }));
  await page.keyboard.type("Weaving");
  await reach(preview.getByRole("textbox", { name: "Languages" }));
  await page.keyboard.type("de");
  await press(preview.getByRole("button", { name: "Customize text" }), "Enter");
  await reach(preview.getByRole("textbox", { name: "Text for Mastodon" }));
  await page.keyboard.type("Cards of the loom, for the fediverse");
  await preview.getByText("Cards of the loom, for the fediverse", { exact: false }).first().waitFor();
  await accessible(page, "composer with settings of a network");
  await picture("settings-of-a-network");
  await press(button("Publish now"), "Enter", "Shift+Tab");
  await press(button("Publish now", page.getByRole("dialog", { name: "Publish now" })), "Enter");
  await heading("Cards of the loom");
  await page.getByText("Published", { exact: true }).first().waitFor({ timeout: 60_000 });
});

await step("pages fit a phone in the dark theme", async () => {
  const phone = await signedIn("owner", { viewport: { width: 320, height: 700 }, colorScheme: "dark" });
  for (const [path, name] of [
    ["/overview", "Overview"],
    ["/posts", "Posts"],
    ["/posts/new", "New post"],
    ["/calendar", "Calendar"],
    ["/trends", "Trends"],
    ["/library", "Media"],
    ["/accounts", "Accounts"],
    ["/analytics", "Analytics"],
    ["/settings", "Settings"],
  ]) {
    await go(path, name, phone);
    await fitsWindow(phone, path);
    await accessible(phone, `${path} on a phone`);
  }
  await picture("phone", phone);
  // On a phone the calendar begins at today, which may be the last day of its month.
  await go("/calendar", "Calendar", phone);
  const today = phone.locator("[data-today]");
  await soon(() =>
    today.evaluate((day) => {
      const { top, bottom } = day.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    }),
  );
});

await finish();
