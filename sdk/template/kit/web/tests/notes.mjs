import assert from "node:assert/strict";
import { inBrowser } from "@portico/tools/browse.mjs";

await inBrowser([
  [
    "a note is written, changed and deleted",
    async ({ page, accessible }) => {
      await page.getByText("No notes yet").waitFor();
      await accessible();
      await page.getByRole("button", { name: "New note" }).first().click();
      await page.getByLabel("Title").fill("Feed the lions");
      await accessible();
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("link", { name: "Feed the lions" }).click();
      await page.getByRole("button", { name: "Add Text" }).click();
      await page.getByRole("textbox", { name: "Text" }).fill("At noon");
      await page.getByRole("textbox", { name: "Text" }).press("Control+Enter");
      await page.getByRole("button", { name: "Edit Text" }).waitFor();
      await page.setViewportSize({ width: 320, height: 700 });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
      await accessible();
      await page.reload();
      await page.getByText("At noon").waitFor();
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByText("No notes yet").waitFor();
    },
  ],
]);
