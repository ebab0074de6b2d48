// What the steps on the administration's pages have in common.
import assert from "node:assert/strict";
import { accessible, fillSignIn, fitsWindow, kindOf, startSteps } from "./browser.mjs";

export const { program, part, origin, front, screens, people } = JSON.parse(process.argv[2]);
export const { opened, step, finish } = await startSteps({ program, screens, suite: "admin", options: { reducedMotion: "reduce" } });

/** A tab of somebody who is signed in. */
export async function signedIn(who, path = "/profile", options = {}) {
  const page = await opened(options);
  await page.goto(`${origin}/login?return_to=${encodeURIComponent(path)}`);
  await fillSignIn(page, people[who]);
  await page.waitForURL(origin + path);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
}

/** Proves again who one is, where that is asked. */
export const prove = async (page, who) => {
  await page.locator("input[name=proof]").fill(people[who][1]);
  await page.keyboard.press("Enter");
};
export const told = (page, text) => page.getByText(text).first().waitFor();

/** Begins to change a field of a record where it stands; what is typed takes the place of what was there. */
export async function typeInto(page, label, text) {
  await page.getByRole("button", { name: `Edit ${label}` }).click();
  await page.getByRole("textbox", { name: label }).fill(text);
}
/** Picks one of a field's choices, which saves it. */
export const pick = async (page, label, option) => {
  await page.getByRole("button", { name: `Edit ${label}` }).click();
  await page.getByRole("combobox", { name: label }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
};
/** What ends on a page is refused: the record is newer than the one that is shown. */
export const refused = (page, end) => Promise.all([page.waitForResponse((answer) => answer.status() === 412), end()]);
export const clash = (page) => page.getByRole("dialog", { name: "Another user also changed this" });

/** Every page is without faults for axe in both themes, and without sideways scrolling on a phone. */
export async function looked(page, paths) {
  for (const path of paths) {
    await page.goto(origin + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForFunction(() => !document.querySelector("main [aria-busy=true]"));
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await accessible(page, `${path} ${colorScheme}`);
    }
    for (const width of [256, 320]) {
      await page.setViewportSize({ width, height: 700 });
      await fitsWindow(page, `${path} at ${width} px`);
    }
    await page.screenshot({ path: `${screens}/admin${kindOf(path).replace(/\W+/g, "-")}-320.png`, fullPage: true });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.screenshot({ path: `${screens}/admin${kindOf(path).replace(/\W+/g, "-")}.png`, fullPage: true });
  }
}
/** What a page sends to somewhere is answered by a failure of the server until that is lifted. */
export async function failing(page, where, method) {
  await page.route(where, (route) =>
    route.request().method() === method
      ? route.fulfill({
          status: 500,
          contentType: "application/problem+json",
          body: JSON.stringify({ status: 500, code: "internal_error", requestId: "01jd0000000000000000000000", errors: [], details: {} }),
        })
      : route.fallback(),
  );
  return () => page.unroute(where);
}
export const leaving = (page) => page.getByRole("dialog", { name: /^Leave without/ });
export const stay = async (page) => {
  await leaving(page)
    .getByRole("button", { name: /^(Keep editing|Stay)$/ })
    .click();
  await leaving(page).waitFor({ state: "detached" });
};
/** Makes a key and answers the dialog that shows it. */
export async function newKey(page, name) {
  await page.getByLabel("Name").fill(name);
  await page.getByRole("region", { name: "CRM" }).getByText("Read contacts", { exact: false }).first().click();
  await page.getByRole("button", { name: "Create API key" }).click();
  return page.getByRole("dialog", { name: "Your new key" });
}
