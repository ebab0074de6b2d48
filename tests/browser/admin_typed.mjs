// Nothing that is typed, chosen or shown once is lost, and nothing wrong is passed over.
import assert from "node:assert/strict";
import { accessible, codeOf, fillSignIn } from "./browser.mjs";
import { front, origin, screens, people, opened, signedIn, prove, told, refused, failing, leaving, stay, newKey } from "./admin_steps.mjs";

export const steps = [
  [
    "a policy that two change at once: what is typed stays, and is saved on top of the other's",
    async () => {
      const page = await signedIn("owner", "/organization/security");
      const days = page.getByLabel("Maximum lifetime of API keys");
      await days.fill("364");
      const other = await page.context().newPage();
      await other.goto(`${origin}/organization/security`);
      await other.getByLabel("Sign out after inactivity").fill("123");
      await other.getByRole("button", { name: "Save" }).click();
      await told(other, "The policy is saved");
      await refused(page, () => page.getByRole("button", { name: "Save" }).click());
      await told(page, "Another user changed this.");
      await page.waitForFunction(() => [...document.querySelectorAll("input")].some(({ value }) => value === "123"));
      assert.equal(await days.inputValue(), "364");
      await page.getByRole("button", { name: "Save" }).click();
      await told(page, "The policy is saved");
      await page.reload();
      assert.equal(await days.inputValue(), "364");
      assert.equal(await page.getByLabel("Sign out after inactivity").inputValue(), "123");
    },
  ],
  [
    "a network that is typed and not ended goes with the rest when keys save",
    async () => {
      const page = await signedIn("owner", "/organization/security");
      await failing(page, "**/api/auth/organizations/*", "PATCH");
      await page.getByRole("combobox", { name: "Allowed networks" }).fill("203.0.113.0/24");
      const [sent] = await Promise.all([
        page.waitForRequest((request) => request.method() === "PATCH"),
        page.keyboard.press("Control+Enter"),
      ]);
      assert.deepEqual(sent.postDataJSON().securityPolicy.ipAllowList, ["203.0.113.0/24"]);
      await told(page, "01jd0000000000000000000000");
      await page.getByText("203.0.113.0/24", { exact: true }).waitFor();
    },
  ],
  [
    "a page stays as it is typed when somebody's role is another one",
    async () => {
      const page = await signedIn("admin", "/organization/invitations");
      const addresses = page.getByLabel("E-mail addresses");
      await addresses.fill("one@acme.example");
      const owner = await signedIn("owner", "/organization/members");
      await owner.getByRole("link", { name: "admin", exact: true }).click();
      const rights = page.waitForResponse((answer) => /\/permissions\?service_id=identity/.test(answer.url()));
      for (const role of ["super_admin", "admin"]) {
        await owner.getByLabel("Role").selectOption(role);
        await owner.getByRole("button", { name: "Change the role" }).click();
        await owner.getByRole("button", { name: "Change the role" }).waitFor({ state: "detached" });
        await rights;
      }
      assert.equal(await addresses.inputValue(), "one@acme.example");
    },
  ],
  [
    "an answer about rights that is none of the server's takes no page away",
    async () => {
      const page = await signedIn("owner", "/profile");
      await page.route(/\/permissions\?service_id=/, (route) =>
        route.fulfill({ status: 200, contentType: "text/html", body: "<!doctype html><title>Free WiFi</title>" }),
      );
      await page.goto(`${origin}/organization`);
      await told(page, "Can't reach the server.");
      await page.unroute(/\/permissions\?service_id=/);
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("main").getByRole("link", { name: "Members", exact: true }).waitFor();
    },
  ],
  [
    "what is typed stays when the right to its page is taken away, and can be sent when it is given back",
    async () => {
      const page = await signedIn("admin", "/organization/agents");
      await page.getByRole("button", { name: "Make an agent" }).click();
      const form = page.getByRole("dialog", { name: "Make an agent" });
      await form.getByLabel("Name").fill("Night watch");
      const owner = await signedIn("owner", "/organization/members");
      await owner.getByRole("link", { name: "admin", exact: true }).click();
      const give = async (role) => {
        await owner.getByLabel("Role").selectOption(role);
        await owner.getByRole("button", { name: "Change the role" }).click();
        await owner.getByRole("button", { name: "Change the role" }).waitFor({ state: "detached" });
      };
      await give("guest");
      const lost = page.getByText("You no longer have access to this page.");
      await lost.waitFor();
      assert.equal(await form.getByLabel("Name").inputValue(), "Night watch");
      await give("admin");
      await lost.waitFor({ state: "detached" });
      await form.getByRole("button", { name: "Make an agent" }).click();
      await page.waitForURL(/\/organization\/agents\/usr_/);
      // Who has nothing to lose sees at once what they may.
      await give("guest");
      await told(page, "You don't have access to this");
      await give("admin");
    },
  ],
  [
    "a profile takes over what another tab has saved, but for what is typed, and sends that alone",
    async () => {
      const page = await signedIn("admin");
      await page.getByLabel("Last name").fill("Byron");
      const other = await page.context().newPage();
      await other.goto(`${origin}/profile`);
      await other.getByLabel("First name").fill("Augusta");
      await other.getByRole("button", { name: "Save" }).click();
      await told(other, "Profile saved");
      const [sent] = await Promise.all([
        page.waitForRequest((request) => request.method() === "PATCH"),
        page.getByRole("button", { name: "Save" }).click(),
      ]);
      assert.deepEqual(sent.postDataJSON(), { familyName: "Byron" });
      await told(page, "Profile saved");
      await page.waitForFunction(() => document.querySelector("[name=givenName]").value === "Augusta");
      // What is typed while the rest is being saved stays, and is not called saved.
      let release;
      const held = new Promise((done) => (release = done));
      await page.route("**/api/auth/me", (route) =>
        route.request().method() === "PATCH" ? held.then(() => route.continue()) : route.continue(),
      );
      const [family, shown] = [page.getByLabel("Last name"), page.getByLabel("Name", { exact: false }).first()];
      await family.fill("King");
      await Promise.all([
        page.waitForRequest((request) => request.method() === "PATCH"),
        page.getByRole("button", { name: "Save" }).click(),
      ]);
      await shown.fill("Ada, Countess");
      const saved = page.waitForResponse((answer) => answer.request().method() === "PATCH");
      release();
      await saved;
      await page.unroute("**/api/auth/me");
      await page.waitForFunction(() => !document.querySelector("form [data-loading]"));
      assert.deepEqual([await family.inputValue(), await shown.inputValue()], ["King", "Ada, Countess"]);
      const [rest] = await Promise.all([
        page.waitForRequest((request) => request.method() === "PATCH"),
        page.getByRole("button", { name: "Save" }).click(),
      ]);
      assert.deepEqual(rest.postDataJSON(), { displayName: "Ada, Countess" });
      await page.waitForFunction(() => !document.querySelector("form [data-loading]"));
      // The form is saved, so the page asks no question.
      await page.getByRole("link", { name: "Sign-in and security" }).click();
      await page.waitForURL(`${origin}/security/user`);
    },
  ],
  [
    "roles that could not be saved stay ticked, the other services wait, and leaving asks",
    async () => {
      const page = await signedIn("owner", "/organization/roles?service=crm");
      const may = page.getByRole("checkbox", { name: "Guest: Export contacts" });
      await may.check();
      const mended = await failing(page, "**/role-bundles/**", "PUT");
      await page.getByRole("button", { name: "See what changes" }).click();
      await page.getByRole("button", { name: "Change them" }).click();
      await told(page, "01jd0000000000000000000000");
      assert.ok(await may.isChecked());
      assert.ok(await page.getByLabel("Service", { exact: true }).isDisabled());
      await told(page, "Save or discard your changes first");
      await page.getByRole("link", { name: "Members", exact: true }).click();
      await stay(page);
      await mended();
      await page.getByRole("button", { name: "See what changes" }).click();
      await page.getByRole("button", { name: "Change them" }).click();
      await told(page, "The roles are changed.");
      assert.ok(await may.isChecked());
      await page.getByRole("link", { name: "Members", exact: true }).click();
      await page.waitForURL(`${origin}/organization/members`);
    },
  ],
  [
    "a key that is shown once outlives Back, and the visit to another tab that keeps it",
    async () => {
      const page = await signedIn("owner", "/api-keys");
      // The computer's clock is wrong.
      await page.clock.install({ time: Date.now() + 2 * 86_400_000 });
      await page.getByRole("link", { name: "New API key" }).first().click();
      const shown = await newKey(page, "Shown once");
      await shown.waitFor();
      await page.evaluate(() => history.back());
      await leaving(page).waitFor();
      await accessible(page, "the question before a key is lost");
      await page.screenshot({ path: `${screens}/admin-once-leave.png` });
      await stay(page);
      await shown.getByText("I saved it in a safe place").click();
      await shown.getByRole("button", { name: "Done" }).click();
      await page.getByRole("button", { name: "Make the new key" }).click();
      await shown.waitFor();
      const read = page.waitForResponse((answer) => answer.request().method() === "GET" && /api-keys\/key_[^/]+$/.test(answer.url()));
      await page.clock.fastForward(40_000);
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
      assert.equal((await (await read).json()).status, "rotating");
      await told(page, "replaced");
      assert.ok(await shown.isVisible(), "the new key went with the old one");
      await shown.getByText(/valid for 2[34]:\d\d:\d\d more/).waitFor();
    },
  ],
  [
    "what is wrong with a key is said at its place, and what is typed asks before it goes",
    async () => {
      const page = await signedIn("owner", "/api-keys");
      await page.getByRole("link", { name: "New API key" }).first().click();
      const networks = page.getByLabel("Allowed networks");
      await networks.fill("300.1.2.3/99");
      const shown = await newKey(page, "At home only");
      await page.locator("[aria-invalid=true]").waitFor();
      assert.equal(await networks.getAttribute("aria-invalid"), "true");
      assert.match(
        await networks.evaluate((input) => document.getElementById(input.getAttribute("aria-describedby")).textContent),
        /198\.51\.100\.0\/24/,
      );
      assert.ok(await networks.evaluate((input) => input === document.activeElement));
      await page.getByRole("link", { name: "Cancel" }).click();
      await stay(page);
      await networks.fill("198.51.100.0/24");
      await page.getByRole("button", { name: "Create API key" }).click();
      await shown.waitFor();
    },
  ],
  [
    "a dialog with something typed asks before Escape, a click beside or its cross take it away",
    async () => {
      const page = await signedIn("owner", "/organization/webhooks");
      await page.getByRole("button", { name: "Add" }).first().click();
      const form = page.getByRole("dialog").first();
      const address = form.locator("[name=url]");
      await page.keyboard.press("Escape");
      await address.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Add" }).first().click();
      await page.waitForFunction(() => document.activeElement.name === "url");
      // An event that is typed and not ended is something typed.
      const events = form.locator("input[role=combobox]");
      for (const [event, leave] of [
        ["membership.changed", () => page.keyboard.press("Escape")],
        ["user.created", () => page.mouse.click(5, 5)],
      ]) {
        await events.fill(event);
        // The first one may close what is offered.
        do await leave();
        while ((await leaving(page).count()) === 0);
        await stay(page);
        await form.getByText(event, { exact: true }).first().waitFor();
      }
      await address.fill("https://hooks.example/a-long-address");
      for (const leave of [
        () => page.keyboard.press("Escape"),
        () => page.mouse.click(5, 5),
        () => form.getByRole("button", { name: "Close" }).first().click(),
      ]) {
        await leave();
        await stay(page);
        assert.equal(await address.inputValue(), "https://hooks.example/a-long-address");
      }
      await page.keyboard.press("Escape");
      await leaving(page).getByRole("button", { name: "Discard" }).click();
      await page.waitForFunction(() => !document.querySelector("dialog"));
    },
  ],
  [
    "an override that ends on half a date is not one without an end",
    async () => {
      const page = await signedIn("owner", "/permissions");
      await page.getByLabel("Who", { exact: true }).selectOption({ index: 2 });
      await page.getByRole("button", { name: "Add an override" }).click();
      await page.getByRole("combobox", { name: "Right", exact: true }).click();
      await page.locator("[role=option]").first().click();
      await page.getByLabel("Reason").fill("for the fair");
      const until = page.locator("[name=expiresAt]");
      await until.focus();
      await page.keyboard.type("1512");
      const sent = [];
      page.on("request", (request) => request.method() === "PUT" && sent.push(request.postData()));
      await page.getByRole("button", { name: "Save" }).click();
      await told(page, "Not a date");
      assert.equal(await until.getAttribute("aria-invalid"), "true");
      await until.fill("2001-01-01");
      await page.getByRole("button", { name: "Save" }).click();
      await until.and(page.locator("[aria-invalid=true]")).waitFor();
      assert.equal(await page.getByText("expiresAt").count(), 0);
      assert.ok(sent.every((each) => JSON.parse(each).expiresAt));
    },
  ],
  [
    "an override ends with its last day in the zone of the page",
    async () => {
      const page = await signedIn("owner", "/profile", { timezoneId: "America/Los_Angeles" });
      await page.route("**/api/auth/me", async (route) => {
        const request = route.request();
        const url = new URL(request.url());
        const answer = await route.fetch({ url: front + url.pathname, headers: { ...request.headers(), host: url.host } });
        const me = await answer.json();
        await route.fulfill({ response: answer, json: { ...me, user: { ...me.user, timezone: "Europe/Vienna" } } });
      });
      await page.goto(`${origin}/permissions`);
      await page.getByLabel("Who", { exact: true }).selectOption({ index: 2 });
      await page.getByRole("button", { name: "Add an override" }).click();
      await page.getByRole("combobox", { name: "Right", exact: true }).click();
      await page.locator("[role=option]").first().click();
      await page.getByLabel("Reason").fill("for the fair");
      await page.locator("[name=expiresAt]").fill("2099-12-24");
      await failing(page, "**/permission-overrides", "PUT");
      const [sent] = await Promise.all([
        page.waitForRequest((request) => request.method() === "PUT" && request.url().endsWith("/permission-overrides")),
        page.getByRole("button", { name: "Save" }).click(),
      ]);
      assert.equal(sent.postDataJSON().expiresAt, "2099-12-24T22:59:00.000Z");
      await told(page, "01jd0000000000000000000000");
    },
  ],
  [
    "inviting nobody is said, and addresses that are typed ask before they go",
    async () => {
      const page = await signedIn("owner", "/organization/invitations");
      const addresses = page.getByLabel("E-mail addresses");
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await told(page, "At least one address.");
      assert.ok(await addresses.evaluate((field) => field === document.activeElement && field.ariaInvalid === "true"));
      await addresses.fill("one@acme.example");
      await page.getByRole("link", { name: "Members", exact: true }).click();
      await stay(page);
      await page.getByLabel("Personal message").fill("x".repeat(1_001));
      await page.getByRole("button", { name: "Send one invitation" }).click();
      await told(page, /At most 1,?000 characters/);
      assert.equal(await addresses.inputValue(), "one@acme.example");
    },
  ],
  [
    "the person stays while an override is typed, and a proof that is wrong is called what it is",
    async () => {
      const page = await signedIn("owner", "/permissions");
      const person = page.getByLabel("Who", { exact: true });
      await person.selectOption({ index: 2 });
      await page.getByRole("button", { name: "Add an override" }).click();
      await page.getByLabel("Reason").fill("for the fair");
      assert.ok(await person.isDisabled());
      await told(page, "Save or cancel the override first.");
      await page.getByRole("button", { name: "Cancel" }).click();
      assert.ok(await person.isEnabled());
      await page.route("**/api/auth/**", (route) =>
        route.request().url().endsWith("/me/export")
          ? route.fulfill({
              status: 403,
              contentType: "application/problem+json",
              body: JSON.stringify({
                status: 403,
                code: "step_up_required",
                requestId: "01jd0000000000000000000000",
                errors: [],
                details: {},
              }),
            })
          : route.fallback(),
      );
      await page.goto(`${origin}/security/user`);
      await page.getByRole("button", { name: "Request export" }).click();
      await page.locator("input[name=proof]").fill("not this one");
      await page.keyboard.press("Enter");
      await told(page, "Incorrect password.");
    },
  ],
  [
    "the file of an export is there again after the page is loaded anew; one that is not there can be asked for",
    async () => {
      const page = await signedIn("super_admin", "/security/user");
      await page.getByRole("button", { name: "Request export" }).click();
      const file = page.getByRole("button", { name: /^Download \(/ });
      await page.locator("input[name=proof]").or(page.locator("progress")).or(file).first().waitFor();
      if (await page.locator("input[name=proof]").count()) await prove(page, "super_admin");
      await page.waitForURL(/export=/);
      await page.reload();
      await page.getByRole("heading", { name: "Your data" }).waitFor();
      await file.or(page.locator("progress")).first().waitFor();
      assert.equal(await page.getByRole("button", { name: "Request export" }).count(), 0);
      await page.goto(`${origin}/security/user?export=exp_..%2F..`);
      await page.getByRole("button", { name: "Request export" }).waitFor();
    },
  ],
  [
    "an address of the sign-in page that somebody made up says nothing that is not so",
    async () => {
      const page = await opened();
      for (const error of ["heading", "submit", "<b>x", "access_denied"]) {
        await page.goto(`${origin}/login?error=${encodeURIComponent(error)}`);
        assert.equal((await page.getByRole("alert").textContent()).trim(), "Sign-in failed. Sign in here.");
      }
    },
  ],
  [
    "a wrong code of the app is sent once, and what is typed next takes its place",
    async () => {
      const page = await signedIn("guest", "/security/user");
      await page.getByRole("button", { name: "Set up an authenticator app" }).click();
      await page
        .locator("input[name=proof]")
        .or(page.getByRole("textbox", { name: "Secret" }))
        .first()
        .waitFor();
      if (await page.locator("input[name=proof]").count()) await prove(page, "guest");
      const secret = await page.getByRole("textbox", { name: "Secret" }).textContent();
      await page.getByLabel("Code").fill(codeOf(secret));
      await page.getByRole("button", { name: "Activate" }).click();
      await page.getByRole("dialog", { name: "Recovery codes" }).waitFor();
      const other = await opened();
      const sent = [];
      other.on("request", (request) => request.url().endsWith("/mfa/verify") && sent.push(request.postDataJSON().code));
      await other.goto(`${origin}/login?return_to=/profile`);
      await fillSignIn(other, people.guest);
      const code = other.locator("[autocomplete=one-time-code]");
      await code.pressSequentially("000000");
      await told(other, "Incorrect code.");
      await code.press("End");
      await code.press("7");
      assert.deepEqual(sent, ["000000"]);
      await code.selectText();
      await code.pressSequentially("111111");
      await other.waitForFunction(
        () =>
          document.querySelector("[role=alert]") &&
          document.activeElement.value === "111111" &&
          document.activeElement.selectionStart === 0,
      );
      await other.keyboard.type(codeOf(secret, Date.now() + 30_000));
      await other.waitForURL(`${origin}/profile`);
    },
  ],
  [
    "whoever deletes their account reads until when it can be had again, and is not asked to sign in, which would do that",
    async () => {
      const page = await signedIn("member", "/security/user");
      await page.getByRole("button", { name: "Delete my account" }).click();
      const sure = page.getByRole("dialog", { name: "Delete your account" });
      await sure.getByRole("textbox").fill(people["member"][0]);
      await sure.getByRole("button", { name: "Delete my account" }).click();
      await prove(page, "member");
      const left = page.getByRole("dialog", { name: "You are signed out everywhere" });
      // The notice that the session ended is shown below it.
      await page.getByText("Sign in again to continue").waitFor({ state: "attached" });
      await left.getByText(/Your account will be deleted on \d+ \w+ \d{4}/).waitFor();
      await left.getByRole("button", { name: "Done" }).click();
      await page.waitForURL(`${origin}/login`);
    },
  ],
];
