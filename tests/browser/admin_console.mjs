// What an operator does with the console.
import assert from "node:assert/strict";
import { accessible, still } from "./browser.mjs";
import { origin, front, signedIn, prove, told, looked } from "./admin_steps.mjs";

export const steps = [
  [
    "an operator reloads a service, proves who it is, and sees each step",
    async () => {
      const page = await signedIn("operator", "/platform");
      await page.getByRole("button", { name: "Reload crm" }).click();
      await prove(page, "operator");
      await told(page, "reload: done");
      assert.ok((await page.getByRole("alert").locator("li").count()) > 5);
      await page.getByRole("link", { name: "Operations" }).click();
      await page.getByText("reload", { exact: true }).first().waitFor();
    },
  ],
  [
    "reloads the console itself, and goes on",
    async () => {
      const page = await signedIn("operator", "/platform");
      await page.getByRole("button", { name: "Reload admin" }).click();
      await prove(page, "operator");
      await told(page, "reload: done");
      await page.getByRole("button", { name: "Done" }).click();
    },
  ],
  [
    "switches a service off and on; what the console stands on says why it stays",
    async () => {
      const page = await signedIn("operator", "/platform");
      const needed = page.getByRole("button", { name: "Switch off identity" });
      await needed.waitFor();
      assert.equal(await needed.getAttribute("aria-disabled"), "true");
      await needed.click({ force: true });
      assert.equal(await page.getByRole("dialog").count(), 0);
      await page.getByRole("button", { name: "Switch off crm" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Switch off" }).click();
      await prove(page, "operator");
      await told(page, "disable: done");
      await page.getByRole("region", { name: "crm" }).getByRole("button", { name: "Switch on" }).click();
      await told(page, "enable: done");
    },
  ],
  [
    "the log grows while it is looked at, stays where one scrolls, and tells of one request",
    async () => {
      const page = await signedIn("operator", "/platform/log");
      const log = page.getByRole("log");
      const lines = log.locator("li");
      await lines.first().waitFor();
      await page.request.get(`${front}/nowhere-1`, { headers: { Host: new URL(origin).host } });
      await log.getByText("/nowhere-1").first().waitFor();
      await log.evaluate((box) => ((box.style.maxBlockSize = "7rem"), (box.scrollTop = 0)));
      await page.getByText("paused", { exact: true }).waitFor();
      const answer = await page.request.get(`${front}/nowhere-2`, { headers: { Host: new URL(origin).host } });
      const id = answer.headers()["x-request-id"];
      const links = (of) => log.getByRole("link", { name: `All of request ${of}` });
      assert.equal(await links(id).count(), 0);
      const newest = page.getByRole("button", { name: "To the newest" });
      assert.equal(await newest.evaluate((button) => getComputedStyle(button).position), "absolute", "it lies over the list");
      await newest.click();
      await links(id).first().waitFor();
      await page.getByText("live", { exact: true }).waitFor();
      await links(id).first().click();
      await page.waitForURL(`${origin}/platform/log?request=${id}`);
      await lines.first().waitFor();
      assert.equal(await lines.count(), await links(id).count());
      await page.reload();
      await lines.first().waitFor();
      assert.equal(await lines.count(), await links(id).count());
      await page.getByLabel("Request", { exact: true }).fill("01jd0000000000000000000000");
      await page.keyboard.press("Enter");
      await told(page, "No records of this request");
    },
  ],
  [
    "a record of the log has columns and the name of its user, opens, and is found by its time",
    async () => {
      const page = await signedIn("operator", "/platform/log");
      const log = page.getByRole("log");
      const row = log.getByRole("button", { name: /GET \/api\/auth\/me 200 .* operator\S*$/i }).first();
      await row.waitFor();
      await row.click();
      await page.getByText("paused", { exact: true }).waitFor();
      await log.getByText(/^operator.* \(usr_[0-9a-z]{26}\)$/i).waitFor();
      await accessible(page, "a record of the log");
      await page.getByLabel("Time range").selectOption("Last 5 minutes");
      await page.waitForURL(/range=5$/);
      const times = log.locator("li time");
      await times.first().waitFor();
      const oldest = await times.first().getAttribute("datetime");
      assert.ok(Date.now() - Date.parse(oldest) < 5.5 * 60_000, oldest);
      await page.getByLabel("Time range").selectOption("Everything kept");
      await log.getByText("ready", { exact: true }).first().waitFor();
    },
  ],
  [
    "the console begins with state and load, has addresses in a folded table, and warns of nothing that the daemon set itself",
    async () => {
      const page = await signedIn("operator", "/platform");
      await page.getByRole("button", { name: "Reload crm" }).waitFor();
      const headings = await page.getByRole("main").getByRole("heading", { level: 2 }).allTextContents();
      assert.deepEqual(headings.slice(1, 3), ["Last hour", "Services"]);
      const address = page.getByRole("cell", { name: new URL(front).host, exact: true });
      assert.equal(await address.isVisible(), false);
      await page.getByText(/^\d+ addresses$/).click();
      await address.waitFor();
      assert.equal(await page.getByText("Problems in folders and settings").count(), 0);
    },
  ],
  [
    "a request that failed leads to what the log says of it",
    async () => {
      const page = await signedIn("operator", "/platform");
      const id = "01jd0000000000000000000000";
      await page.route("**/api/system/jobs*", (route) =>
        route.fulfill({
          status: 500,
          contentType: "application/problem+json",
          body: JSON.stringify({ status: 500, code: "internal_error", requestId: id, errors: [], details: {} }),
        }),
      );
      await page.getByRole("link", { name: "Jobs" }).click();
      await page.getByRole("link", { name: "Show log entries of this request" }).click();
      await page.waitForURL(`${origin}/platform/log?request=${id}`);
      await told(page, "No records of this request");
    },
  ],
  [
    "what stands in the host's place is said, and goes when the host answers again",
    async () => {
      const page = await signedIn("operator", "/platform");
      await page.getByRole("button", { name: "Reload crm" }).waitFor();
      await still(page);
      const portal = (route) =>
        route.fulfill({ status: 200, contentType: "text/html", body: "<!doctype html><title>Free WiFi</title><h1>Accept our terms</h1>" });
      await page.route("**/api/system/**", portal);
      await told(page, "The host is not responding");
      await page.getByRole("button", { name: "Reload crm" }).waitFor();
      await accessible(page, "a console that is not answered");
      await page.unroute("**/api/system/**", portal);
      await page.getByText("The host is not responding").waitFor({ state: "detached" });
    },
  ],
  [
    "nobody else sees the console",
    async () => {
      const page = await signedIn("owner", "/profile");
      assert.equal(await page.getByRole("link", { name: "Platform" }).count(), 0);
      await page.goto(`${origin}/platform`);
      await told(page, "You don't have access to this page");
    },
  ],
  [
    "the console is without faults on every page",
    async () => looked(await signedIn("operator", "/platform"), ["/platform", "/platform/operations", "/platform/jobs", "/platform/log"]),
  ],
];
