// What people do with their account and their organization.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { accessible, codeOf, firstView, smallTargets, still } from "./browser.mjs";
import { opened, origin, front, screens, people, signedIn, prove, told, typeInto, pick, refused, clash, looked } from "./admin_steps.mjs";

export const steps = [
  [
    "the first views of an account ask for little, and nothing in them moves",
    async () => {
      const context = (await signedIn("member")).context();
      for (const [path, shown] of [
        ["/profile", "Your name, language and time zone."],
        ["/security/user", "You have no second factor"],
      ]) {
        const page = await context.newPage();
        const asked = [];
        page.on("request", (request) => asked.push(new URL(request.url()).pathname));
        await page.addInitScript(() => {
          window.moved = [];
          new PerformanceObserver((list) =>
            list
              .getEntries()
              .forEach(
                (each) =>
                  each.hadRecentInput ||
                  window.moved.push([each.value, ...each.sources.map(({ node }) => node?.textContent?.slice(0, 40))]),
              ),
          ).observe({ type: "layout-shift", buffered: true });
        });
        await page.goto(origin + path);
        await told(page, shown);
        await page.waitForFunction(() => !document.querySelector("main [aria-busy=true]"));
        // What stands below the first view, and what a key may open next, is read once that is there.
        const first = asked.filter(
          (each) => !/\/(services|sessions|consents|linked-accounts|session-events|changes)$|\/assets\/palette-/.test(each),
        );
        assert.ok(first.length <= 14, first.join("\n"));
        const moved = await page.evaluate(() => window.moved);
        assert.ok(moved.reduce((sum, [value]) => sum + value, 0) <= 0.02, `${path} moves by ${JSON.stringify(moved)}`);
      }
    },
  ],
  [
    "a new account begins in the language of its browser and in the zone of its device, and keeps what is chosen",
    async () => {
      const arrived = async (options) => {
        const page = await opened(options);
        await page.goto(`${origin}/login?return_to=/profile`);
        await page.locator("input[name=identifier]").fill(people["super_admin"][0]);
        await page.locator("input[name=password]").fill(people["super_admin"][1]);
        await page.keyboard.press("Enter");
        return page;
      };
      const page = await arrived({ locale: "de-AT", timezoneId: "Europe/Vienna" });
      await told(page, "Andere sehen diesen Namen.");
      await told(page, "zu verwenden: Europe/Vienna");
      assert.equal(await page.evaluate(() => document.documentElement.lang), "de-AT");
      // So speaks what is said of a field.
      await page.goto(`${origin}/organization/webhooks`);
      await page.getByRole("button", { name: "Webhook hinzufügen" }).click();
      await page.getByRole("textbox", { name: "Adresse" }).fill("http://127.0.0.1:9/");
      await page.getByRole("combobox", { name: "Ereignisse" }).fill("weather.changed");
      await page.getByRole("button", { name: "Speichern" }).click();
      await told(page, "Unbekannter Ereignistyp.");
      const there = await arrived({ timezoneId: "Europe/London" });
      await told(there, "Andere sehen diesen Namen.");
      await there.getByRole("combobox", { name: "Sprache" }).click();
      await there.getByRole("option", { name: "Englisch", exact: true }).click();
      await there.getByRole("button", { name: "Speichern" }).click();
      await told(there, "Others see this name.");
    },
  ],
  [
    "an address that waits to be confirmed is seen after a reload, and taken back",
    async () => {
      const page = await signedIn("member");
      await page.getByRole("button", { name: "Change address" }).click();
      await page.getByLabel("New address").fill("ada@new.example");
      await page.getByRole("button", { name: "Send the link" }).click();
      await prove(page, "member");
      await told(page, "we sent a confirmation link to it");
      await page.reload();
      await told(page, "ada@new.example is not confirmed yet.");
      await page.getByRole("button", { name: "Take it back" }).click();
      await told(page, "The change is taken back");
      await page.getByText("is not confirmed yet").waitFor({ state: "detached" });
      await page.reload();
      await page.getByRole("button", { name: "Change address" }).waitFor();
      assert.equal(await page.getByText("is not confirmed yet").count(), 0);
    },
  ],
  [
    "what was said of a code is gone with the next mail",
    async () => {
      const page = await signedIn("admin", "/security/user");
      await page.getByRole("button", { name: "Add an address" }).click();
      await page.getByRole("textbox", { name: "Address" }).fill("ada@elsewhere.example");
      await page.getByRole("button", { name: "Send the code" }).click();
      await prove(page, "admin");
      await page.getByLabel("Code from the mail").fill("000000");
      await page.getByRole("button", { name: "Confirm" }).click();
      await told(page, "That code is not right.");
      // The server lets a minute pass before.
      await page.route("**/me/recovery-email/resend", (route) =>
        route.fulfill({ status: 202, contentType: "application/json", body: "{}" }),
      );
      await page.getByRole("button", { name: "Send it again" }).click();
      await page.getByText("That code is not right.").waitFor({ state: "detached" });
      assert.equal(await page.getByLabel("Code from the mail").inputValue(), "");
    },
  ],
  [
    "changes the name, which the account menu follows",
    async () => {
      const page = await signedIn("member");
      await page.getByLabel("Name", { exact: false }).first().fill("Ada Lovelace");
      await page.getByRole("button", { name: "Save" }).click();
      await told(page, "Profile saved");
      await page.reload();
      assert.equal(await page.getByLabel("Name", { exact: false }).first().inputValue(), "Ada Lovelace");
    },
  ],
  [
    "leads a guest to no page of the organization, and changes the password; a wrong one is said at its field",
    async () => {
      const page = await signedIn("guest", "/organization");
      await told(page, "You don't have access to this page");
      assert.equal(await page.getByRole("navigation").getByRole("link", { name: "Organization", exact: true }).count(), 0);
      await page.goto(`${origin}/security/user`);
      await page.getByRole("button", { name: "Change password" }).click();
      await page.getByLabel("Current password").fill("not this one");
      await page.getByLabel("New password").fill("a-much-longer-secret-2026");
      await page.getByRole("button", { name: "Change password" }).click();
      const proof = page.locator("input[name=proof]");
      await proof.or(page.getByText("Incorrect current password.")).first().waitFor();
      if (await proof.count()) await prove(page, "guest");
      await told(page, "Incorrect current password.");
      await page.getByLabel("Current password").fill(people.guest[1]);
      await page.getByRole("button", { name: "Change password" }).click();
      await told(page, "Password changed");
      people.guest[1] = "a-much-longer-secret-2026";
    },
  ],
  [
    "makes a passkey at identity's page and is back where it began; without one, too; and removes the last one",
    async () => {
      const page = await signedIn("guest", "/security/user");
      const device = await page.context().newCDPSession(page);
      await device.send("WebAuthn.enable");
      const options = {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      };
      const { authenticatorId } = await device.send("WebAuthn.addVirtualAuthenticator", { options });
      const began = `${origin}/security/user`;
      await page.getByRole("button", { name: "Add a passkey" }).click();
      await prove(page, "guest");
      // A sign-in at an app stays there: identity asks once more.
      await page.getByLabel("E-mail address").fill(people["guest"][0]);
      await page.getByLabel("Password").first().fill(people["guest"][1]);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      const make = page.getByRole("button", { name: "Create passkey" });
      await make.waitFor();
      await device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
      await make.click();
      await told(page, "No passkey was created.");
      await page.getByRole("link", { name: "Back" }).click();
      await page.waitForURL(began);
      await device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
      await page.getByRole("button", { name: "Add a passkey" }).click();
      await make.click();
      await page.waitForURL(began);
      const passkeys = page.getByRole("region", { name: "Passkeys" });
      await passkeys.getByText("Chrome on Linux").waitFor();
      await page.getByRole("button", { name: "Add a passkey" }).click();
      await make.click();
      await told(page, "This device already has a passkey for your account.");
      await page.getByRole("link", { name: "Back" }).click();
      await page.getByRole("button", { name: "Rename Chrome on Linux" }).click();
      await page.waitForFunction(() => document.activeElement.name === "name");
      await page.keyboard.press("Control+a");
      await page.keyboard.type("Laptop");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Remove Laptop" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await told(page, "Laptop removed");
      await passkeys.getByText("No passkeys yet").waitFor();
    },
  ],
  [
    "sets up an authenticator app: the codes are shown once, and are asked back",
    async () => {
      const page = await signedIn("member", "/security/user");
      await told(page, "You have no second factor");
      await page.getByRole("button", { name: "Set up an authenticator app" }).click();
      await prove(page, "member");
      const secret = await page.getByRole("textbox", { name: "Secret" }).textContent();
      assert.ok(await page.getByRole("img", { name: /QR code/ }).evaluate((image) => image.complete && image.naturalWidth > 0));
      await page.getByLabel("Code").fill("000000");
      await page.getByRole("button", { name: "Activate" }).click();
      await told(page, /not right|code/i);
      await page.getByLabel("Code").fill(codeOf(secret));
      await page.getByRole("button", { name: "Activate" }).click();
      const codes = page.getByRole("dialog", { name: "Recovery codes" });
      await codes.waitFor();
      assert.equal((await codes.locator("pre").textContent()).trim().split("\n").length, 10);
      await page.keyboard.press("Escape");
      assert.ok(await codes.isVisible(), "it was left without being kept");
      await codes.getByText("I saved it in a safe place").click();
      await codes.getByRole("button", { name: "Done" }).click();
      await told(page, "10 are left.");
      assert.equal(await page.getByText("You have no second factor").count(), 0);
    },
  ],
  [
    "ends a sign-in elsewhere, whose next request is refused",
    async () => {
      const lost = await signedIn("owner", "/profile");
      const page = await signedIn("owner", "/security/user");
      // What cannot be undone is asked before.
      const others = page.getByRole("button", { name: "Sign out everywhere else" });
      const asked = page.getByRole("dialog", { name: "Sign out everywhere else?" });
      await others.click();
      await asked.getByRole("button", { name: "Cancel" }).click();
      await asked.waitFor({ state: "detached" });
      await others.click();
      await asked.getByRole("button", { name: "Sign out everywhere else" }).click();
      await told(page, "You are signed out everywhere else");
      await lost.getByRole("dialog").waitFor();
    },
  ],
  [
    "an owner changes what a role brings along, reads the difference before, and takes it back",
    async () => {
      const page = await signedIn("owner", "/organization/roles?service=crm");
      const may = page.getByRole("checkbox", { name: "Member: Export contacts" });
      assert.equal(await may.isChecked(), false);
      await may.check();
      await page.getByRole("checkbox", { name: "Member: Import contacts" }).uncheck();
      await page.getByRole("button", { name: "See what changes" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("Member may from now on: Export contacts").waitFor();
      await dialog.getByText("Member may no longer: Import contacts").waitFor();
      await dialog.getByRole("button", { name: "Change them" }).click();
      await told(page, "The roles are changed.");
      await page.reload();
      await may.and(page.locator(":checked")).waitFor();
      const reset = page.getByRole("button", { name: "Reset to default" });
      await reset.click();
      await reset.waitFor({ state: "detached" });
      await may.and(page.locator(":not(:checked)")).waitFor();
      // What it was can be had again.
      await page.keyboard.press("z");
      await reset.waitFor();
      await may.and(page.locator(":checked")).waitFor();
      await reset.click();
      await may.and(page.locator(":not(:checked)")).waitFor();
      await reset.waitFor({ state: "detached" });
    },
  ],
  [
    "an admin sees why the owner cannot be changed",
    async () => {
      const page = await signedIn("admin", "/organization/members");
      await page.getByRole("link", { name: /owner/i }).first().click();
      await told(page, "is not below your own role");
      assert.equal(await page.getByRole("button", { name: "Remove", exact: true }).getAttribute("aria-disabled"), "true");
      assert.ok(await page.getByLabel("Role").isDisabled());
    },
  ],
  [
    "an admin gives no role above their own: the page says which those are, and says so to who asks nevertheless",
    async () => {
      const page = await signedIn("admin", "/organization/members");
      await page.getByRole("link", { name: /guest/i }).first().click();
      const role = page.getByLabel("Role");
      const above = ["Super admin", "Owner"];
      await told(page, `Above your own role: ${above.join(", ")}.`);
      assert.deepEqual(await role.locator("option:disabled").allTextContents(), above);
      // As a page that was opened with a higher role would.
      await role.evaluate((select) => [...select.options].forEach((each) => (each.disabled = false)));
      await role.selectOption("owner");
      await page.getByRole("button", { name: "Change the role" }).click();
      await told(page, "That role is above your own.");
      await page.getByRole("button", { name: "Change the role" }).waitFor({ state: "detached" });
      assert.equal(await role.inputValue(), "guest");
      await page.goto(`${origin}/organization/invitations`);
      await told(page, "Above your own role: ");
      assert.deepEqual(await role.locator("option:disabled").allTextContents(), above);
    },
  ],
  [
    "the owner raises a guest, and lets somebody in again",
    async () => {
      const page = await signedIn("owner", "/organization/members");
      await page.getByRole("link", { name: /guest/i }).first().click();
      // Arrow keys move through the roles and assign none, so a keyboard user can pass the roles in between.
      const sent = [];
      page.on("request", (request) => request.method() === "PATCH" && sent.push(request.postData()));
      await page.getByLabel("Role").focus();
      for (const role of ["member", "admin"]) {
        await page.keyboard.press("ArrowDown");
        await page.waitForFunction((wanted) => document.activeElement.value === wanted, role);
      }
      await page.keyboard.press("ArrowUp");
      await page.getByRole("button", { name: "Change the role" }).click();
      await told(page, /: Member now/);
      assert.deepEqual(sent, ['{"role":"member"}']);
      await page.getByRole("button", { name: "Suspend" }).click();
      await told(page, "is suspended");
      await page.getByRole("button", { name: "Restore access" }).click();
      await told(page, "has access again");
    },
  ],
  [
    "invites many at once, with a line for each",
    async () => {
      const page = await signedIn("owner", "/organization/invitations");
      await page.getByLabel("E-mail addresses").fill("one@acme.example, two@acme.example\nnobody");
      await page.getByRole("button", { name: "Send 3 invitations" }).click();
      await page.getByText("not sent").waitFor();
      assert.equal(await page.getByText("sent", { exact: true }).count(), 2);
      assert.equal(await page.getByLabel("E-mail addresses").inputValue(), "nobody");
      await page.getByRole("button", { name: "Revoke the invitation of one@acme.example" }).click();
      await told(page, "The invitation of one@acme.example is revoked");
    },
  ],
  [
    "registers a client, sees its secret once, changes it, rotates and removes it",
    async () => {
      const page = await signedIn("owner", "/organization");
      await page.getByRole("navigation", { name: "Pages of this part" }).getByRole("link", { name: "OAuth clients" }).waitFor();
      await page.keyboard.press("Control+k");
      const search = page.getByRole("dialog").getByRole("combobox");
      await search.fill("oauth clients");
      await page.getByRole("dialog").getByRole("option").first().filter({ hasText: "OAuth clients" }).waitFor();
      await search.press("Enter");
      await page.getByRole("button", { name: "Register a client" }).click();
      const form = page.getByRole("dialog", { name: "Register a client" });
      await form.getByLabel("Name").fill("Wiki");
      const addresses = form.getByLabel("Redirect addresses").first();
      await addresses.fill("http://wiki.example/callback");
      await addresses.press("Enter");
      await form.getByRole("button", { name: "Register", exact: true }).click();
      await form.getByText(/https without a #/).waitFor();
      assert.equal(await form.getByLabel("Name").inputValue(), "Wiki");
      await addresses.press("Backspace");
      await addresses.fill("https://wiki.example/callback");
      await addresses.press("Enter");
      await form.getByRole("button", { name: "Register", exact: true }).click();
      const shown = page.getByRole("dialog", { name: "Client secret" });
      const keep = async () => {
        const secret = (await shown.locator("pre").textContent()).trim();
        await shown.getByText("I saved it in a safe place").click();
        await shown.getByRole("button", { name: "Done" }).click();
        await shown.waitFor({ state: "detached" });
        return secret;
      };
      const first = await keep();
      await page.waitForURL(/\/organization\/oauth-clients\/cli_/);
      const id = decodeURIComponent(page.url().split("/").pop());
      /** What its secret is good for: a code that is none is refused only after that. */
      const proven = async (secret) =>
        (
          await page.request.post(`${front}/oauth/token`, {
            headers: {
              Host: new URL(origin).host.replace("admin", "identity"),
              Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
            },
            form: {
              grant_type: "authorization_code",
              code: "none",
              redirect_uri: "https://wiki.example/callback",
              code_verifier: "v".repeat(43),
            },
          })
        ).json();
      assert.equal((await proven(first)).error, "invalid_grant");
      await page.getByRole("button", { name: /^Wiki/ }).click();
      await page.getByLabel("Name").fill("Wiki of Acme");
      await page.keyboard.press("Enter");
      await page.getByRole("region", { name: "Wiki of Acme" }).waitFor();
      await page.getByRole("button", { name: "Make a new secret" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Make a new secret" }).click();
      const next = await keep();
      assert.notEqual(next, first);
      assert.equal((await proven(next)).error, "invalid_grant");
      await looked(page, [new URL(page.url()).pathname]);
      await page.getByRole("button", { name: "Remove", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
      await told(page, "Wiki of Acme is removed");
      await told(page, "No OAuth clients yet");
      assert.equal((await proven(next)).error, "invalid_client");
    },
  ],
  [
    "of two who change a client, other fields go together, and of one field somebody chooses",
    async () => {
      const page = await signedIn("owner", "/organization/oauth-clients");
      await page.getByRole("button", { name: "Register a client" }).click();
      const form = page.getByRole("dialog", { name: "Register a client" });
      await form.getByLabel("Name").fill("Shop");
      await form.getByLabel("Redirect addresses").first().fill("https://shop.example/callback");
      await page.keyboard.press("Enter");
      await form.getByRole("button", { name: "Register", exact: true }).click();
      await page.getByText("I saved it in a safe place").click();
      await page.getByRole("button", { name: "Done" }).click();
      await page.waitForURL(/\/organization\/oauth-clients\/cli_/);
      const other = await signedIn("super_admin", new URL(page.url()).pathname);
      await typeInto(page, "Name", "Corner shop");
      await typeInto(other, "Name", "Farm shop");
      await other.keyboard.press("Enter");
      await other.getByRole("region", { name: "Farm shop" }).waitFor();
      await refused(page, () => page.keyboard.press("Enter"));
      for (const name of ["Shop", "Farm shop", "Corner shop"]) await clash(page).getByText(name, { exact: true }).waitFor();
      await clash(page).getByRole("radio", { name: "Mine" }).check();
      await clash(page).getByRole("button", { name: "Save" }).click();
      await page.getByRole("region", { name: "Corner shop" }).waitFor();
      await other.getByRole("button", { name: "Add Privacy policy" }).click();
      await other.getByRole("textbox", { name: "Privacy policy" }).fill("https://shop.example/privacy");
      await refused(other, () => other.keyboard.press("Enter"));
      await told(other, "Both changes are saved.");
      await other.getByRole("region", { name: "Corner shop" }).getByText("https://shop.example/privacy").waitFor();
    },
  ],
  [
    "makes an agent that says who answers for it, changes it and removes it; who may not is told",
    async () => {
      const page = await signedIn("owner", "/organization/agents");
      await page.getByRole("button", { name: "Make an agent" }).click();
      const form = page.getByRole("dialog", { name: "Make an agent" });
      await form.getByRole("button", { name: "Make an agent" }).click();
      assert.equal(await form.getByLabel("Name").getAttribute("aria-invalid"), "true");
      await form.getByLabel("Name").fill("Night porter");
      await form.getByRole("button", { name: "Make an agent" }).click();
      await page.waitForURL(/\/organization\/agents\/usr_/);
      await page.getByRole("button", { name: /^owner\b.*Responsible member/ }).waitFor();
      await typeInto(page, "Name", "Day porter");
      await page.keyboard.press("Enter");
      await page.getByRole("region", { name: "Day porter" }).waitFor();
      await pick(page, "Responsible member", "admin");
      await told(page, "Responsible member: admin");
      await looked(page, [new URL(page.url()).pathname, "/organization/agents"]);
      await told(page, "Responsible member: admin");
      await page.getByRole("link", { name: "Day porter" }).click();
      await page.getByRole("button", { name: "Remove", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
      await told(page, "No agents yet");
      const guest = await signedIn("guest", "/organization/agents");
      await told(guest, "You don't have access to this");
      assert.equal(await guest.getByRole("button", { name: "Make an agent" }).count(), 0);
    },
  ],
  [
    "of two who change an agent, one chooses, by names, and who comes after its end is told",
    async () => {
      const page = await signedIn("owner", "/organization/agents");
      await page.getByRole("button", { name: "Make an agent" }).click();
      const form = page.getByRole("dialog", { name: "Make an agent" });
      await form.getByLabel("Name").fill("Porter");
      await form.getByRole("button", { name: "Make an agent" }).click();
      await page.waitForURL(/\/organization\/agents\/usr_/);
      const other = await signedIn("admin", new URL(page.url()).pathname);
      await other.getByRole("region", { name: "Porter" }).waitFor();
      await pick(page, "Responsible member", "super_admin");
      await told(page, "Responsible member: super_admin");
      await refused(other, () => pick(other, "Responsible member", "admin"));
      for (const name of ["owner", "super_admin", "admin"]) await clash(other).getByText(name, { exact: true }).waitFor();
      await accessible(other, "the conflict of an agent");
      await other.screenshot({ path: `${screens}/admin-conflict.png` });
      await clash(other).getByRole("button", { name: "Save" }).click();
      await other.getByRole("button", { name: /^super_admin\b.*Responsible member/ }).waitFor();
      await page.getByRole("button", { name: "Remove", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
      await told(page, "Porter is removed");
      await typeInto(other, "Name", "Doorman");
      await other.keyboard.press("Enter");
      await told(other, /Name: not changed\. /);
    },
  ],
  [
    "makes a key that works, replaces it, and revokes it",
    async () => {
      const page = await signedIn("owner", "/api-keys");
      await page.getByRole("link", { name: "New API key" }).first().click();
      await page.getByRole("button", { name: "Create API key" }).click();
      await told(page, "Give the key a name.");
      await page.getByLabel("Name").fill("Nightly export");
      await page.getByRole("region", { name: "CRM" }).getByText("Read contacts", { exact: false }).first().click();
      await page.getByRole("button", { name: "Create API key" }).click();
      const shown = page.getByRole("dialog", { name: "Your new key" });
      const line = await shown.getByRole("textbox", { name: /tries it at CRM/ }).textContent();
      const [, key, host, path] = /X-Api-Key: (\S+)' http:\/\/([^/]+)(\S+)$/.exec(line);
      const ask = (secret) => page.request.get(front + path, { headers: { "X-Api-Key": secret, Host: host } });
      assert.equal((await (await ask(key)).json()).valid, true);
      await accessible(page, "a new key");
      await shown.getByText("I saved it in a safe place").click();
      await shown.getByRole("button", { name: "Done" }).click();
      await page.getByRole("button", { name: "Make the new key" }).click();
      await told(page, "The old key is valid for");
      const next = (await shown.locator("pre").textContent()).trim();
      assert.equal((await ask(key)).status(), 200);
      assert.equal((await ask(next)).status(), 200);
      await shown.getByText("I saved it in a safe place").click();
      await shown.getByRole("button", { name: "Done" }).click();
      await page.getByRole("button", { name: "Revoke" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
      await told(page, "Nightly export is revoked");
      assert.equal((await ask(next)).status(), 401);
      assert.doesNotMatch(page.url(), /pak_/);
    },
  ],
  [
    "a key begins with a preset, its rights are filtered, and rights without a route are not offered",
    async () => {
      const page = await signedIn("owner", "/api-keys/new");
      await page.getByRole("button", { name: "Read only" }).click();
      const checked = (region) => page.getByRole("region", { name: region }).locator("input:checked + span small");
      const names = await checked("CRM").allTextContents();
      assert.ok(names.includes("contacts.read") && names.every((each) => each.endsWith(".read")), names.join());
      await page.getByRole("button", { name: "Import contacts" }).click();
      assert.deepEqual((await checked("CRM").allTextContents()).sort(), ["contacts.read", "contacts.write"]);
      assert.equal(await page.getByText("listings.write", { exact: true }).count(), 0);
      await page.getByRole("searchbox", { name: "Filter rights" }).fill("bookings");
      await page.getByRole("region", { name: "CRM" }).waitFor({ state: "detached" });
      await page.getByText("bookings.write", { exact: true }).waitFor();
      const { y, height } = await page.getByRole("button", { name: "Create API key" }).boundingBox();
      assert.ok(y + height <= 800, "the button is in sight");
    },
  ],
  [
    "the record's name is in the title and the breadcrumbs, and the pages of an organization stand in one column beside it",
    async () => {
      const page = await signedIn("owner", "/organization/members");
      await page
        .getByRole("link", { name: /^guest/ })
        .first()
        .click();
      await page.waitForFunction(() => /^guest · /.test(document.title));
      await page.getByRole("navigation", { name: "Breadcrumbs" }).getByText("guest", { exact: true }).waitFor();
      const tabs = page.getByRole("navigation", { name: "Pages of this part" });
      const boxes = await tabs.getByRole("link").evaluateAll((all) => all.map((each) => each.getBoundingClientRect().left));
      assert.ok(boxes.length > 8 && new Set(boxes).size === 1, boxes.join());
    },
  ],
  [
    "every question stands in the middle of the window",
    async () => {
      const page = await signedIn("owner", "/organization");
      await page.getByRole("button", { name: "Delete the organization" }).click();
      const middle = await page.getByRole("dialog").evaluate((each) => {
        const { top, bottom } = each.getBoundingClientRect();
        return (top + bottom) / 2 - innerHeight / 2;
      });
      assert.ok(Math.abs(middle) < 8, `${middle} px from the middle`);
    },
  ],
  [
    "says why somebody may not, and the smallest change makes it true",
    async () => {
      const page = await signedIn("owner", "/permissions");
      await page.getByLabel("Who").selectOption({ label: "guest" });
      const reads = page.getByText("launchpad.apps:read", { exact: true });
      await reads.waitFor();
      await page.getByRole("searchbox", { name: "Search rights" }).fill("export contacts");
      await reads.waitFor({ state: "detached" });
      await told(page, "No right matches the search.");
      await page.getByLabel("Also show rights that are not granted").check();
      await page.getByRole("button", { name: "Why: Export contacts" }).click();
      const why = page.getByRole("dialog", { name: "Export contacts" });
      await why.getByText("may not: Export contacts").waitFor();
      await accessible(page, "why a right is missing");
      await why.getByRole("button", { name: "Grant", exact: true }).click();
      await why.getByText("may: Export contacts").waitFor();
      await why.getByText("An override grants it, in addition to the role.").waitFor();
      await why.locator("header").getByRole("button", { name: "Close" }).click();
      // By its key: the message of what was done may lie over it.
      await page
        .getByRole("button", { name: /^Remove / })
        .first()
        .press("Enter");
      await page.getByText("not granted", { exact: true }).waitFor();
    },
  ],
  [
    "follows what becomes of a webhook's test; one that was given up says so, and is switched on again",
    async () => {
      const receiver = createServer(({ url }, answer) =>
        answer.writeHead(url === "/gone" ? 410 : url === "/busy" ? 500 : 204).end(),
      ).listen(0, "127.0.0.1");
      await once(receiver, "listening");
      const page = await signedIn("owner", "/organization/webhooks");
      for (const path of ["/gone", "/busy", "/there"]) {
        await page.getByRole("button", { name: "Add a webhook" }).click();
        const form = page.getByRole("dialog", { name: "Add a webhook" });
        await form.getByLabel("Address").fill(`http://127.0.0.1:${receiver.address().port}${path}`);
        await form.getByRole("combobox", { name: "Events" }).fill("household.changed");
        await form.getByRole("button", { name: "Save" }).click();
        await page.getByText("I saved it in a safe place").click();
        await page.getByRole("button", { name: "Done" }).click();
      }
      const sent = page.getByRole("dialog", { name: /^Deliveries to/ });
      const rowOf = (path) => page.getByRole("main").getByRole("listitem").filter({ hasText: path });
      await rowOf("/there").getByRole("button", { name: "Test" }).click();
      await sent.getByText("delivered", { exact: true }).waitFor();
      await sent.getByText("1 try · answered 204").waitFor();
      await page.keyboard.press("Escape");
      // Waits for each request separately: a failed one does not show the result of the next.
      for (const lines of [1, 2]) {
        await rowOf("/busy").getByRole("button", { name: "Test" }).click();
        await sent
          .getByText("1 try · answered 500")
          .nth(lines - 1)
          .waitFor();
        assert.equal(await sent.getByText("failed, will retry").count(), lines);
        await page.keyboard.press("Escape");
      }
      const gone = rowOf("/gone");
      await gone.getByRole("button", { name: "Test" }).click();
      await sent.getByText("given up", { exact: true }).waitFor();
      await sent.getByText("answered 410").waitFor();
      await sent.getByText("Deliveries stopped").waitFor();
      await accessible(page, "deliveries");
      await page.screenshot({ path: `${screens}/admin-deliveries.png` });
      await page.keyboard.press("Escape");
      await gone.getByText("off", { exact: true }).waitFor();
      assert.equal(await gone.getByRole("button", { name: "Test" }).getAttribute("aria-disabled"), "true");
      await gone.getByRole("button", { name: "Switch on" }).click();
      await gone.getByText("on", { exact: true }).waitFor();
      receiver.close();
    },
  ],
  [
    "keeps what others have written within its place, in every list and on a phone",
    async () => {
      const nasty = {
        bidi: "\u202Egnp.exe\u202C and \u2067back",
        long: "W".repeat(300),
        markup: `<img src=x onerror="document.title='owned'">`,
      };
      const written =
        /^(name|displayName|givenName|familyName|description|email|reason|title|userAgent|url|lastError|domain|subjectMasked)$/;
      const put = (value, text) =>
        Array.isArray(value)
          ? value.map((each) => put(each, text))
          : value && typeof value === "object"
            ? Object.fromEntries(
                Object.entries(value).map(([name, each]) => [
                  name,
                  typeof each === "string" && written.test(name) ? text : put(each, text),
                ]),
              )
            : value;
      const page = await signedIn("owner", "/profile");
      for (const [kind, text] of Object.entries(nasty)) {
        await page.setViewportSize({ width: kind === "long" ? 320 : 1280, height: 800 });
        await page.route("**/api/auth/**", async (route) => {
          const request = route.request();
          const url = new URL(request.url());
          if (request.method() !== "GET" || /session-events|preferences|login/.test(url.pathname)) return route.fallback();
          const answer = await route.fetch({ url: front + url.pathname + url.search, headers: { ...request.headers(), host: url.host } });
          return route.fulfill(answer.ok() ? { response: answer, json: put(await answer.json(), text) } : { response: answer });
        });
        for (const path of [
          "/profile",
          "/security/user",
          "/permissions",
          "/api-keys",
          "/api-keys/new",
          "/organization",
          "/organization/members",
          "/organization/invitations",
          "/organization/agents",
          "/organization/oauth-clients",
          "/organization/webhooks",
          "/organization/audit",
        ]) {
          await page.goto(origin + path);
          await still(page);
          const found = await page.evaluate(() => ({
            owned: document.querySelectorAll("img[src=x]").length,
            sideways: document.documentElement.scrollWidth - innerWidth,
            // What turns the direction is kept within its own element, or within its own part of a sentence.
            loose: [...document.querySelectorAll("body *")]
              .filter(
                (each) =>
                  [...each.childNodes].some(
                    (node) => node.nodeType === 3 && /[\u202e\u2067]/.test(node.data.replace(/\u2068[^\u2069]*\u2069/g, "")),
                  ) &&
                  !/isolate|plaintext/.test(getComputedStyle(each).unicodeBidi) &&
                  !each.closest("bdi, option"),
              )
              .map((each) => each.outerHTML.slice(0, 160)),
          }));
          assert.deepEqual(found, { owned: 0, sideways: 0, loose: [] }, `${kind} ${path}`);
        }
        await page.unroute("**/api/auth/**");
      }
    },
  ],
  [
    "the first views ask for 14 files and answers at most, and 200 KiB of script",
    async () => {
      const context = (await signedIn("owner")).context();
      const organization = [
        "members",
        "invitations",
        "roles",
        "security",
        "domains",
        "services",
        "agents",
        "oauth-clients",
        "webhooks",
        "audit",
      ].map((page) => `/organization/${page}`);
      for (const path of ["/profile", "/security/user", "/permissions", "/api-keys", "/api-keys/new", "/organization", ...organization]) {
        const { requests, script } = await firstView(context, origin + path);
        assert.ok(requests > 5 && requests <= 14, `${path}: ${requests} requests`);
        assert.ok(script > 50_000 && script <= 200 * 1024, `${path}: ${script} bytes of script`);
      }
    },
  ],
  [
    "targets of pages have 24 px",
    async () => {
      const page = await signedIn("owner");
      for (const path of ["/profile", "/security/user", "/organization/members", "/organization/roles?service=crm"]) {
        await page.goto(origin + path);
        await page.waitForFunction(() => document.querySelector("#page h1") && !document.querySelector("#page [aria-busy=true]"));
        assert.deepEqual(await smallTargets(page), [], path);
      }
    },
  ],
  [
    "verifies the audit trail",
    async () => {
      const page = await signedIn("owner", "/organization/audit");
      await page.getByRole("button", { name: "Verify the chain" }).click();
      await told(page, "are unmodified.");
    },
  ],
  [
    "a guest is told what may not be seen",
    async () => {
      const page = await signedIn("guest", "/organization/members");
      await page.goto(`${origin}/organization/audit`);
      await told(page, "You don't have access to this");
    },
  ],
  [
    "speaks German where one chooses it",
    async () => {
      const page = await signedIn("admin");
      await page.getByRole("button", { name: /^Account/ }).click();
      await page.locator('[role^="menuitem"]', { hasText: "Deutsch" }).click();
      await page.getByRole("heading", { level: 1, name: "Profil" }).waitFor();
      await page.goto(`${origin}/organization/roles?service=crm`);
      await page.getByRole("checkbox", { name: "Mitglied: Kontakte exportieren" }).waitFor();
      await looked(page, ["/permissions?permission=crm.contacts%3Aexport", "/api-keys/new"]);
      await told(page, "Kontakte lesen, Kontakte exportieren");
    },
  ],
  [
    "every page is without faults, on a phone, too",
    async () =>
      looked(await signedIn("owner"), [
        "/profile",
        "/security/user",
        "/permissions?permission=crm.contacts%3Aexport",
        "/api-keys",
        "/api-keys/new",
        "/organization",
        "/organization/members",
        "/organization/invitations",
        "/organization/roles?service=crm",
        "/organization/security",
        "/organization/domains",
        "/organization/services",
        "/organization/agents",
        "/organization/oauth-clients",
        "/organization/webhooks",
        "/organization/audit",
      ]),
  ],
];
