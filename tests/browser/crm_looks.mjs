// What work that goes on shows, languages and clocks, narrow windows, and the pages as they look.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fillSignIn, firstView, fitsWindow, lasting, middleOf, smallTargets } from "./browser.mjs";
import { accessible, assertSoon, go, goOnIn, page, pipeline } from "./crm_page.mjs";
import { api, contactNamed, opened, origin, people, screens, signedIn, step } from "./crm_steps.mjs";

await step(
  "an import that runs shows how far it is and what has become of its rows, and offers no file of those left out yet",
  async () => {
    const { items } = await api("GET", "/api/contacts/imports?limit=1");
    const { importId, fileName } = items[0];
    await page.route(`**/api/contacts/imports/${importId}`, (route) => {
      const totals = { rows: 80_000, created: 79_996, updated: 0, skipped: 0, failed: 4 };
      return route.fulfill({
        json: {
          ...items[0],
          status: "running",
          finishedAt: null,
          progress: 40,
          totals,
          errorCount: 4,
          errors: [
            {
              row: 78,
              line: 79,
              column: "E-mail",
              field: "emails[0].address",
              code: "invalid_email",
              message: "",
              value: "ada(at)engines.example",
            },
          ],
          errorFileUrl: `/api/contacts/imports/${importId}/errors.csv`,
        },
      });
    });
    await go(`/imports/${importId}`, fileName);
    await page.getByText("40 of 100").waitFor();
    assert.equal(await page.getByRole("progressbar").getAttribute("value"), "40");
    await page.getByText("79,996").waitFor();
    assert.equal(await page.getByRole("button", { name: "Download the rows left out" }).count(), 0);
    await accessible("an import that runs");
    await page.setViewportSize({ width: 320, height: 700 });
    const remedy = page.getByText("Not an e-mail address").first();
    await remedy.waitFor();
    assert.ok(
      (await remedy.boundingBox()).width > 100 && (await remedy.evaluate((cell) => cell.getBoundingClientRect().right <= innerWidth)),
    );
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.unrouteAll();
  },
);

await step("takes a saved view back that was removed, in its place", async () => {
  await go("/contacts?q=crowd", "Contacts");
  const views = page.getByRole("button", { name: "Views" });
  const names = () => page.getByRole("button", { name: /^Crowd \d seen$/ }).allTextContents();
  await views.click();
  for (const name of ["Crowd 1 seen", "Crowd 2 seen"]) {
    await page.getByLabel("Name of the view").fill(name);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name, exact: true }).waitFor();
  }
  await page.getByRole("button", { name: "Remove Crowd 1 seen" }).click();
  await page.getByText("View Crowd 1 seen removed").waitFor();
  await assertSoon(async () => (await names()).join() === "Crowd 2 seen");
  assert.notEqual(await page.evaluate(() => document.activeElement?.tagName), "BODY");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Undo/ }).click();
  await views.click();
  await assertSoon(async () => (await names()).join() === "Crowd 1 seen,Crowd 2 seen");
  await assertSoon(async () => (await api("GET", "/api/auth/me/preferences")).services.crm.contactViews.length === 2);
  await page.keyboard.press("Escape");
});

await step("says how long ago something was by the server's clock, not by the computer's", async () => {
  await api("POST", "/api/contacts", { displayName: "Moment" });
  const before = page;
  goOnIn(await opened());
  await page.clock.install({ time: Date.now() + 86_400_000 });
  await page.clock.resume();
  await page.goto(`${origin}/login?return_to=/contacts%3Fq%3Dmoment`);
  await fillSignIn(page, people.owner);
  await page
    .getByRole("row", { name: /Moment/ })
    .getByText(/now|seconds? ago|minutes? ago/)
    .waitFor();
  await page.context().close();
  goOnIn(before);
});

await step("names keys as they stand on the person's keyboard, and breaks no word of German on a phone", async () => {
  await go("/contacts/new", "New contact");
  await page.getByText("Ctrl ↵ saves").waitFor();
  await api("PATCH", "/api/auth/me", { locale: "de" });
  await go("/contacts/new", "Neuer Kontakt");
  await page.getByText("Strg ↵ speichert").waitFor();
  await page.setViewportSize({ width: 320, height: 700 });
  await go("/contacts", "Kontakte");
  await page.getByRole("button", { name: "Spalten" }).click();
  const [word, lines] = await page
    .getByText("Schlagwörter", { exact: true })
    .last()
    .evaluate((label) => {
      const range = document.createRange();
      range.selectNodeContents(label.lastChild);
      return [range.toString().trim(), new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size];
    });
  assert.deepEqual([word, lines], ["Schlagwörter", 1]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await api("PATCH", "/api/auth/me", { locale: "en" });
});

await step("breaks no currency, and lays nothing over what is primary in the narrowest window", async () => {
  await page.setViewportSize({ width: 256, height: 700 });
  await go(`/contacts/${(await contactNamed("Ada Lovelace")).id}`, "Ada Lovelace");
  await page.getByRole("button", { name: "Change E-mail addresses" }).click();
  const row = page.getByRole("dialog").locator("[class*=editRow]").first();
  const [primary, bin] = [await row.getByText("Primary").boundingBox(), await row.getByRole("button").boundingBox()];
  assert.ok(bin.x >= primary.x + primary.width || bin.y + bin.height <= primary.y, "the sign that removes touches what is primary");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  const widget = await api("GET", "/api/widget");
  const metrics = widget.metrics.map((each) => (each.format === "currency" ? { ...each, value: 37_768_000, currency: "USD" } : each));
  await page.route("**/api/widget", (route) => route.fulfill({ json: { ...widget, metrics } }));
  await api("PATCH", "/api/auth/me/preferences", { shared: { locale: "ar-XB" } });
  for (const width of [320, 768, 1024]) {
    await page.setViewportSize({ width, height: 700 });
    await page.goto(`${origin}/dashboard`);
    const sum = page.getByText(/377,680/);
    await sum.waitFor();
    const lines = await sum.evaluate((value) => {
      const range = document.createRange();
      const at = value.firstChild.data.indexOf("US$");
      range.setStart(value.firstChild, at);
      range.setEnd(value.firstChild, at + 3);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    });
    assert.equal(lines, 1, `the currency is broken at ${width} px`);
  }
  await api("PATCH", "/api/auth/me/preferences", { shared: { locale: null } });
  await page.unrouteAll();
  await page.setViewportSize({ width: 1280, height: 800 });
});

await step("is again at the button that began it, when a pipeline is left", async () => {
  await go("/settings/pipelines", "Settings");
  for (const name of ["New pipeline", "Change Sales"]) {
    await page.getByRole("button", { name }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.waitForFunction((label) => (document.activeElement.ariaLabel ?? document.activeElement.textContent) === label, name);
  }
});

await step("a file that is dropped beside its place is not opened, and one on it is taken", async () => {
  await go("/imports/new", "Import contacts");
  const tools = await page.context().newCDPSession(page);
  const file = join(mkdtempSync(join(tmpdir(), "portico-drop-")), "dropped.csv");
  writeFileSync(file, "Name\nAda");
  const drop = async (target) => {
    const { x, y } = await middleOf(target);
    const data = { items: [], files: [file], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"]) await tools.send("Input.dispatchDragEvent", { type, x, y, data });
  };
  const pages = page.context().pages().length;
  await drop(page.getByRole("heading", { level: 1 }));
  await drop(page.getByText("Drop a file here"));
  await page.waitForURL(/step=kind/);
  assert.deepEqual([new URL(page.url()).pathname, page.context().pages().length], ["/imports/new", pages]);
  rmSync(dirname(file), { recursive: true });
});

const ada = (await contactNamed("Ada Lovelace")).id;
const looked = [
  "/dashboard",
  "/contacts",
  "/contacts/new",
  `/contacts/${ada}`,
  `/pipeline/${pipeline.pipelineId}`,
  "/imports",
  "/imports/new",
  "/contacts/duplicates",
  "/contacts/bulk",
  "/settings/pipelines",
  "/settings/fields",
  "/settings/tags",
];
for (const colorScheme of ["light", "dark"])
  await step(`fits a phone, a tablet and a desk in the ${colorScheme} theme`, async () => {
    await page.emulateMedia({ colorScheme });
    for (const path of looked) {
      await page.goto(origin + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
      for (const width of [320, 768, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await page.screenshot({
          path: `${screens}/crm${path.replace(ada, "one").replace(pipeline.pipelineId, "one").replaceAll("/", "-")}-${width}-${colorScheme}.png`,
        });
        await fitsWindow(page, `${path} at ${width} px`);
        if (colorScheme === "light" && width !== 768)
          assert.deepEqual(await lasting(() => smallTargets(page)), [], `${path} has small targets at ${width} px`);
        if (width === 320 || colorScheme === "dark") await accessible(`${path} at ${width} px, ${colorScheme}`);
      }
    }
  });

await step("opens with at most 14 requests and 200 KiB of script", async () => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const path of ["/dashboard", "/contacts", `/pipeline/${pipeline.pipelineId}`, "/imports", "/settings/pipelines"]) {
    const { requests, script } = await firstView(page.context(), origin + path);
    assert.ok(requests > 5 && requests <= 14, `${path}: ${requests} requests`);
    assert.ok(script > 50_000 && script <= 200 * 1024, `${path}: ${script} bytes of script`);
  }
});

await step("shows the focus of the sidebar in forced colours", async () => {
  await go("/contacts", "Contacts");
  await page.emulateMedia({ forcedColors: "active" });
  await page.keyboard.press("Tab");
  for (const link of await page.locator("nav a").filter({ visible: true }).all()) {
    const outline = () =>
      link.evaluate((each) => ["outlineStyle", "outlineWidth", "outlineOffset"].map((name) => getComputedStyle(each)[name]).join(" "));
    await page.locator("#page").focus();
    const before = await outline();
    await link.focus();
    assert.notEqual(await outline(), before, await link.textContent());
    assert.match(await outline(), /^solid [23]px/);
  }
  await page.emulateMedia({ forcedColors: "none" });
});

await step("wraps the titles of columns on a phone", async () => {
  await page.setViewportSize({ width: 320, height: 700 });
  await page.goto(`${origin}/pipeline/${pipeline.pipelineId}`);
  const title = page.locator("#page h2").first();
  await title.waitFor();
  await title.evaluate((each) => (each.textContent = "Angebotsnachverfolgungsbesprechung mit der Geschäftsleitung"));
  const [cut, lines] = await title.evaluate((each) => [
    each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight + 1,
    each.getBoundingClientRect().height / parseFloat(getComputedStyle(each).lineHeight),
  ]);
  assert.equal(cut, false);
  assert.ok(lines > 1.5);
  await page.setViewportSize({ width: 1280, height: 800 });
});

await step("shows a member only what a member may do", async () => {
  goOnIn(await signedIn("member"));
  await go("/settings/pipelines", "Settings");
  await page.getByText("Default pipeline").waitFor();
  assert.equal(await page.getByRole("button", { name: /New pipeline|Change/ }).count(), 0);
  await go(`/contacts/${ada}`, "Ada Lovelace");
  await page.getByRole("button", { name: "Delete", exact: true }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Delete for good" }).count(), 0);
});
