// Uploads a file from the app of social to a bucket: social_bucket.mjs WANTED (JSON of tests/http/social_pages.py). Ends in "N passed, N failed".
import assert from "node:assert/strict";
import { fillSignIn, startSteps } from "./browser.mjs";

const { program, origin, screens, person, bucket, file } = JSON.parse(process.argv[2]);
const { opened, step, finish } = await startSteps({ program, screens, suite: "social-bucket", keep: true });

const page = await opened();
await page.goto(`${origin}/login`);
await fillSignIn(page, person);
await page.getByText("No brands yet").waitFor();
await page.getByRole("textbox", { name: "Name" }).fill("Analytical Engines");
await page.getByRole("button", { name: "Create brand", exact: true }).click();
await page.getByRole("heading", { level: 1, name: "Accounts" }).waitFor();

await step("a file is uploaded to the bucket and shown with its thumbnail", async () => {
  const sent = [];
  page.on("request", (each) => each.method() === "PUT" && sent.push(each.url()));
  await page.goto(`${origin}/library`);
  await page.locator('input[type="file"]').setInputFiles(file);
  const shown = page.getByRole("button", { name: /mill\.png/ }).locator("img");
  await shown.waitFor({ timeout: 60_000 });
  await shown.evaluate((image) => image.decode());
  assert.equal(sent.length, 1);
  assert.ok(sent[0].startsWith(`${bucket}/`), `${sent[0]} is not of the bucket`);
});

await finish();
