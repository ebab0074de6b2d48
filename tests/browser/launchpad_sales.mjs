// A visitor buys a plan, registers, claims it and changes it: steps of launchpad.mjs, with the payment simulation.
import assert from "node:assert/strict";
import { accessible, smallTargets, still } from "./browser.mjs";

const address = "buyer@engines.example";
const password = "plums-and-seven-lighthouses";

/** @param suite what launchpad.mjs has: its steps, `mailed(address, pattern)`, `verifyRecovery` and the payment simulation with its key */
export async function sell({ step, opened, origin, payments, mailed, verifyRecovery, picture }) {
  const button = (page, name) => page.getByRole("button", { name, exact: true });
  const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();
  const control = async (what, body) => {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(`${payments.url}/_control/${what}`, { method: "POST", headers, body: JSON.stringify(body) });
    assert.equal(answer.status, 200, await answer.text());
  };
  /** Presses a key on what has a role and a name: no pointer is used. */
  const press = async (page, role, name, key) => {
    await page.getByRole(role, { name, exact: true }).first().focus();
    await page.keyboard.press(key);
  };
  const choose = async (page) => {
    await page.goto(`${origin}/pricing`);
    await press(page, "link", "Choose 3 apps", "Enter");
    await heading(page, "Buy 3 apps");
    for (const app of ["CRM", "Calendar", "Social"]) await press(page, "checkbox", app, "Space");
  };

  await step("prices are read on a phone without cut words", async () => {
    const visitor = await opened({ viewport: { width: 320, height: 640 } });
    await visitor.goto(`${origin}/pricing`);
    const choice = visitor.getByRole("link", { name: "Choose 3 apps" });
    // A word breaks where its column is narrower than the word.
    const widths = await choice.evaluate((link) => {
      const whole = link.cloneNode(true);
      whole.style.cssText = "position: absolute; white-space: nowrap";
      link.after(whole);
      return [link.offsetWidth, whole.offsetWidth];
    });
    assert.equal(widths[0], widths[1]);
    await visitor.getByRole("cell", { name: /from \$49 per seat/ }).waitFor();
    assert.equal(await visitor.getByText("Not available yet").count(), 2);
    await accessible(visitor, "prices on a phone");
    await visitor.context().close();
  });

  await step("without scripts a visitor is declined, and cancels", async () => {
    const visitor = await opened({ javaScriptEnabled: false });
    await visitor.goto(`${origin}/checkout?package=three`);
    await button(visitor, "Continue to payment").click();
    await visitor.getByText("Choose exactly as many apps as the package includes.").waitFor();
    await choose(visitor);
    await press(visitor, "button", "Continue to payment", "Enter");
    await visitor.waitForURL(`${payments.url}/c/pay/**`);
    await visitor.getByLabel("Email").fill(address);
    await visitor.getByLabel("Declines (0002)").check();
    await button(visitor, "Pay").click();
    await visitor.getByText("Your card was declined.").waitFor();
    await button(visitor, "Cancel").click();
    await visitor.waitForURL(`${origin}/checkout?package=three&canceled=1`);
    await visitor.getByText("Nothing was charged.").waitFor();
    await visitor.goto(`${origin}/checkout/return`);
    await visitor.getByText("We are waiting for your payment to be confirmed").waitFor();
    await visitor.context().close();
  });

  const buyer = await opened();
  await step("a visitor pays by keyboard, and is led to the registration", async () => {
    await choose(buyer);
    await accessible(buyer, "a checkout");
    assert.deepEqual(await smallTargets(buyer), []);
    await picture(buyer, "checkout");
    await buyer.getByLabel("Seats").fill("2");
    await buyer.keyboard.press("Enter");
    await buyer.waitForURL(`${payments.url}/c/pay/**`);
    await buyer.getByLabel("Email").fill(address);
    await press(buyer, "button", "Pay", "Enter");
    await buyer.waitForURL(`${origin}/checkout/return**`);
    await buyer.getByText("Thank you. Your payment was received.").waitFor();
    await accessible(buyer, "a paid checkout");
    assert.deepEqual(await smallTargets(buyer), []);
    await picture(buyer, "paid");
    await press(buyer, "link", "Create account", "Enter");
    await heading(buyer, "Create an account");
  });

  await step("the buyer registers, signs in and claims the subscription", async () => {
    await buyer.getByLabel("Your name").fill("Buyer");
    await buyer.getByLabel("E-mail address").fill(address);
    await buyer.getByLabel("Password", { exact: true }).fill(password);
    await buyer.getByLabel(/^Organization/).fill("Engines");
    await press(buyer, "checkbox", "I accept the terms", "Space");
    await buyer.locator("#submit:not([disabled])").waitFor();
    await press(buyer, "button", "Create account", "Enter");
    await buyer.getByText("Check your mail").waitFor();
    await buyer.goto(await mailed(address, /https?:\/\/\S+\/verify-email\?token=\S+/));
    await press(buyer, "button", "Confirm address", "Enter");
    await press(buyer, "link", "Sign in", "Enter");
    await buyer.getByLabel("E-mail address").fill(address);
    await buyer.getByLabel("Password", { exact: true }).fill(password);
    await buyer.keyboard.press("Enter");
    await buyer.waitForURL(`${origin}/checkout/claim?signedIn=1`);
    await heading(buyer, "Claim your subscription");
    await accessible(buyer, "a claim");
    assert.deepEqual(await smallTargets(buyer), []);
    assert.ok(await buyer.getByRole("radio", { name: "Engines" }).isChecked());
    await picture(buyer, "claim");
    await press(buyer, "button", "Claim subscription", "Enter");
    await buyer.waitForURL(`${origin}/onboarding`);
    await verifyRecovery(buyer, [address, password], "buyer@home.example");
    await button(buyer, "Finish setup").click();
    await buyer.waitForURL(`${origin}/dashboard`);
  });

  await step("the preview of a plan change is the invoice to the cent", async () => {
    await buyer.goto(`${origin}/settings/billing`);
    await still(buyer);
    await buyer.getByText("Test mode: nothing is charged.").waitFor();
    await buyer.getByText("0 of 2 seats assigned").first().waitFor();
    await accessible(buyer, "billing");
    assert.deepEqual(await smallTargets(buyer), []);
    const packageField = buyer.getByRole("combobox", { name: "Package" });
    // Five apps are more than there are: the page with the prices says that this is not available.
    assert.deepEqual(await packageField.locator("option").allTextContents(), ["Three apps", "Everything"]);
    await packageField.selectOption("everything");
    await buyer.getByLabel("Seats").first().fill("5");
    await buyer.keyboard.press("Enter");
    const charge = buyer.locator("[data-amount]");
    await charge.waitFor();
    const preview = Number(await charge.getAttribute("data-amount"));
    assert.ok(preview > 0, String(preview));
    await buyer
      .getByText("Next invoice on", { exact: true })
      .locator("..")
      .getByText(/20\d\d$/)
      .waitFor();
    await accessible(buyer, "a preview");
    await picture(buyer, "billing");
    const sent = buyer.waitForRequest(/\/api\/billing\/subscriptions\/[^/]+\/change$/);
    await press(buyer, "button", "Confirm change", "Enter");
    const request = await sent;
    // The apps do not differ from the plan, so another member's change of them would stay.
    assert.deepEqual(Object.keys(request.postDataJSON()).sort(), ["package", "prorationDate", "seats"]);
    assert.match((await request.headerValue("If-Match")) ?? "", /^"\d+"$/);
    const dialog = buyer.getByRole("dialog");
    await Promise.race([dialog.waitFor(), buyer.getByText("Plan changed").waitFor()]);
    if (await dialog.isVisible()) {
      await dialog.getByLabel("Password").fill(password);
      await buyer.keyboard.press("Enter");
    }
    await buyer.getByText("0 of 5 seats assigned").first().waitFor();
    // The form shows the new plan, of which nothing differs.
    assert.equal(await packageField.inputValue(), "everything");
    assert.ok(await button(buyer, "Show cost").isDisabled());
    const headers = { Authorization: `Bearer ${payments.key}` };
    const { data } = await (await fetch(`${payments.url}/v1/invoices?limit=1`, { headers })).json();
    assert.equal(data[0].total, preview);
  });

  await step("a seat is assigned once", async () => {
    const member = buyer.getByRole("combobox", { name: "Member" });
    await member.selectOption({ label: "Buyer" });
    await button(buyer, "Assign seat").click();
    await buyer.getByText("1 of 5 seats assigned").first().waitFor();
    await member.locator("option", { hasText: "Buyer" }).waitFor({ state: "detached" });
    assert.equal(await member.inputValue(), "");
    const seat = buyer.getByRole("listitem").filter({ has: button(buyer, "Unassign seat of Buyer") });
    const [chip, row] = [await seat.getByText("Person", { exact: true }).boundingBox(), await seat.boundingBox()];
    assert.ok(chip.width < row.width / 2, `the kind is ${chip.width} wide in ${row.width}`);
    await accessible(buyer, "an assigned seat");
  });

  await step("another checkout of the owner leads to the plan", async () => {
    await buyer.goto(`${origin}/checkout?package=three`);
    await buyer.getByText("This workspace already has a plan.").waitFor();
    await accessible(buyer, "a checkout of an owner with a plan");
    await press(buyer, "link", "Open billing", "Enter");
    await buyer.waitForURL(`${origin}/settings/billing`);
  });

  await step("an expired checkout charges nothing", async () => {
    const visitor = await opened();
    await choose(visitor);
    await press(visitor, "button", "Continue to payment", "Enter");
    await visitor.waitForURL(`${payments.url}/c/pay/**`);
    const page = visitor.url();
    await control("clock", { advance: 86_400 });
    await visitor.goto(page);
    await visitor.getByText("This checkout has expired. Nothing was charged.").waitFor();
    await visitor.goto(`${origin}/checkout/return`);
    await visitor.getByText("The checkout has expired or was canceled.").waitFor();
    await accessible(visitor, "an expired checkout");
    await visitor.context().close();
  });
}
