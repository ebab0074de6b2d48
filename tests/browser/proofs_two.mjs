// Two people, and one person in two tabs: nothing is lost without being shown, and nothing is written in the wrong organization.
import assert from "node:assert/strict";
import { client, heading, profile, signedIn, soon, step, wanted } from "./proofs_kit.mjs";

const { origin, identity } = wanted;
const owner = () => client();
const field = (page, name) => page.locator(`[data-field="${name}"]`);
async function begun(page, name, value) {
  await field(page, name).getByRole("button").first().click();
  await field(page, name).getByRole("textbox").fill(value);
}
const saved = (page) => page.waitForResponse((answer) => answer.request().method() === "PUT" && answer.ok());

/** Opens a second tab of a profile. Returns a function that switches the workspace there. */
async function secondTab(context) {
  const other = await context.newPage();
  await other.goto(`${origin}/dashboard`);
  await heading(other, "Dashboard");
  return async (name) => {
    await other.getByRole("button", { name: /Switch workspace/ }).click();
    await other.getByRole("menuitemradio", { name }).click();
  };
}

/** Two people who see the same, and hear of changes but for the one who is `deaf`. */
async function twoAt(path, name, deaf = "") {
  const pages = [];
  for (const who of ["owner", "admin"]) {
    const context = await profile();
    if (who === deaf) await context.route("**/api/changes", (route) => route.abort());
    const page = await signedIn(context, who);
    const follows = who !== deaf && page.waitForResponse((answer) => answer.url().endsWith("/api/changes"));
    await page.goto(origin + path);
    await Promise.all([heading(page, name), follows]);
    pages.push(page);
  }
  return pages;
}

await step("two people change other fields of a contact: both are in, and both are seen by both", async () => {
  const { id } = await (await owner()).api("POST", "/api/contacts", { displayName: "Grace Hopper" });
  const [one, two] = await twoAt(`/contacts/${id}`, "Grace Hopper");
  await begun(one, "jobTitle", "Admiral");
  await begun(two, "department", "Compilers");
  await Promise.all([saved(one), one.keyboard.press("Enter"), saved(two), two.keyboard.press("Enter")]);
  for (const page of [one, two]) {
    await field(page, "jobTitle").getByText("Admiral").waitFor();
    await field(page, "department").getByText("Compilers").waitFor();
  }
  const { jobTitle, department } = await (await owner()).api("GET", `/api/contacts/${id}`);
  assert.deepEqual([jobTitle, department], ["Admiral", "Compilers"]);
});

for (const [choice, kept, heard] of [
  ["first", "Theirs", false],
  ["last", "Mine", true],
])
  await step(
    `two people change the same field: the later one, who has ${heard ? "" : "not "}heard of it, is asked, and ${kept} stays`,
    async () => {
      const { id } = await (await owner()).api("POST", "/api/contacts", { displayName: "Alan Turing", jobTitle: "Before" });
      const [one, two] = await twoAt(`/contacts/${id}`, "Alan Turing", heard ? "" : "admin");
      await begun(two, "jobTitle", "Mine");
      await begun(one, "jobTitle", "Theirs");
      await Promise.all([saved(one), one.keyboard.press("Enter")]);
      if (heard) {
        // What is not being written shows what has been read.
        await begun(one, "department", "Told");
        await Promise.all([saved(one), one.keyboard.press("Enter")]);
        await field(two, "department").getByText("Told").waitFor();
      }
      await two.keyboard.press("Enter");
      const dialog = two.getByRole("dialog");
      for (const text of ["Before", "Theirs", "Mine"]) await dialog.getByText(text, { exact: true }).last().waitFor();
      assert.equal((await (await owner()).api("GET", `/api/contacts/${id}`)).jobTitle, "Theirs");
      await dialog.getByRole("radio")[choice]().check();
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "detached" });
      await soon(async () => (await (await owner()).api("GET", `/api/contacts/${id}`)).jobTitle === kept);
      for (const page of [one, two]) await field(page, "jobTitle").getByText(kept).waitFor();
    },
  );

await step(
  "a card that one moves is moved on the other's board, and what the other does with it meanwhile leaves it in one place",
  async () => {
    const program = await owner();
    const pipeline = (await program.api("GET", "/api/pipeline")).items[0];
    const { id } = await program.api("POST", "/api/contacts", { displayName: "Katherine Johnson" });
    const [first, second, third] = pipeline.stages.map((each) => each.stageId);
    const move = (stageId) => program.api("PUT", `/api/pipeline/${id}/move`, { pipelineId: pipeline.pipelineId, stageId });
    await move(first);
    const [one, two] = await twoAt("/pipeline", "Sales");
    const at = (page, stage) => page.locator(`[data-column="${stage}"] [data-card="${id}"]`);
    await Promise.all([at(one, first).waitFor(), at(two, first).waitFor()]);
    // Owners are people with names.
    await one.getByRole("combobox", { name: "Owner" }).getByText("admin", { exact: true }).waitFor({ state: "attached" });
    const carried = async (page, steps) => {
      await page.locator(`[data-card="${id}"]`).focus();
      await page.keyboard.press("Space");
      for (let left = steps; left; --left) await page.keyboard.press("ArrowRight");
    };
    await carried(one, 1);
    const answered = saved(one).then(() => Date.now());
    await one.keyboard.press("Enter");
    await at(two, second).waitFor();
    const seen = Date.now() - (await answered);

    await at(one, second).waitFor();
    await soon(async () => (await one.locator("[data-pending]").count()) === 0);
    // A user who drags the card while another user moves it gets a notice, even if the page has read the change.
    await carried(two, 2);
    await carried(one, 1);
    await Promise.all([saved(one), one.keyboard.press("Enter")]);
    await two.getByRole("group", { name: /^Qualified, 1/ }).waitFor();
    await two.keyboard.press("Enter");
    await two.getByText("Another user moved it").first().waitFor();
    const place = (await program.api("GET", `/api/contacts/${id}`)).pipelines[0].stageId;
    assert.equal(place, third);
    for (const page of [one, two]) {
      await at(page, place).waitFor();
      await soon(async () => (await page.locator(`[data-card="${id}"]`).count()) === 1);
    }
    return `the other board showed it ${seen} ms after the answer`;
  },
);

await step("a role that is taken away in the middle takes the controls with it, and writes nothing", async () => {
  const program = await owner();
  const { id } = await program.api("POST", "/api/contacts", { displayName: "Dorothy Vaughan", jobTitle: "Lead" });
  const page = await signedIn(await profile(), "member");
  await page.goto(`${origin}/contacts/${id}`);
  await heading(page, "Dorothy Vaughan");
  await begun(page, "jobTitle", "Programmer");
  const boss = await client("owner", identity, "identity");
  const { user, activeContext } = await (await client("member")).api("GET", "/api/auth/me");
  const role = (to) => boss.api("PATCH", `/api/organizations/${activeContext.organizationId}/members/${user.id}`, { role: to });
  await role("guest");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Delete", exact: true }).waitFor({ state: "detached" });
  assert.equal((await program.api("GET", `/api/contacts/${id}`)).jobTitle, "Lead");
  // A page that may not be seen any more leads to why that is.
  await page.locator("#page").getByRole("link", { name: "Why?" }).waitFor();
  await role("member");
  // So does what is refused to who has not heard of it, with the permission filled in.
  const deaf = await signedIn(await profile(), "member");
  await deaf.route("**/api/auth/session-events", (route) => route.abort());
  await deaf.goto(`${origin}/contacts/${id}`);
  await heading(deaf, "Dorothy Vaughan");
  await begun(deaf, "jobTitle", "Programmer");
  await role("guest");
  await deaf.keyboard.press("Enter");
  await deaf.getByText("You need the permission “Write contacts” for this.").waitFor();
  await role("member");
  await deaf.getByRole("status").getByRole("link", { name: "Why?" }).click();
  await deaf.waitForURL((url) => url.pathname === "/permissions" && url.searchParams.get("permission") === "crm.contacts:write");
  await deaf.getByText(/may:/).first().waitFor();
  assert.deepEqual(page.context().complaints, []);
});

// The page hears of the switch by the server's event and reads `/api/auth/me` before the other tab's token arrives, or after.
for (const [order, late] of [
  ["in the order of the messages", false],
  ["when the token arrives last", true],
])
  await step(`a field that is open is asked about when another tab switches the workspace ${order}, and its text is kept`, async () => {
    const program = await owner();
    const name = `Initech ${late ? "late" : "early"}`;
    const { id } = await program.api("POST", "/api/contacts", { displayName: "Mary Jackson" });
    await (await client("owner", identity, "identity")).api("POST", "/api/organizations", { name });
    const context = await profile();
    const page = await signedIn(context);
    if (late)
      await page.addInitScript(() => {
        const { set } = Object.getOwnPropertyDescriptor(BroadcastChannel.prototype, "onmessage");
        const kept = [];
        Object.defineProperty(BroadcastChannel.prototype, "onmessage", {
          set(hear) {
            set.call(this, (event) => (window.late && event.data.kind === "token" ? kept.push(() => hear(event)) : hear(event)));
          },
        });
        window.deliver = () => ((window.late = false), kept.splice(0).forEach((each) => each()));
      });
    await page.goto(`${origin}/contacts/${id}`);
    await heading(page, "Mary Jackson");
    const switches = await secondTab(context);
    await begun(page, "jobTitle", "Engineer");
    await page.evaluate((late) => (window.late = late), late);
    await switches(name);
    await page.getByRole("heading", { name: `You switched to ${name} in another tab` }).waitFor();
    if (late) {
      // The question stays while the page reads the new context.
      const [asked] = await Promise.all([page.waitForRequest("**/api/auth/me"), page.evaluate(() => window.deliver())]);
      assert.equal(await page.getByRole("dialog").count(), 1);
      await asked.response();
    }
    await page.getByRole("button", { name: /^Switch back to/ }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await field(page, "jobTitle").getByRole("textbox").inputValue(), "Engineer");
    await Promise.all([saved(page), field(page, "jobTitle").getByRole("textbox").press("Enter")]);
    assert.equal((await program.api("GET", `/api/contacts/${id}`)).jobTitle, "Engineer");
  });

await step("e-mail addresses that are typed are asked about when another tab switches the workspace, and kept", async () => {
  const program = await owner();
  const { id } = await program.api("POST", "/api/contacts", { displayName: "Christine Darden" });
  await (await client("owner", identity, "identity")).api("POST", "/api/organizations", { name: "Initech lists" });
  const context = await profile();
  const page = await signedIn(context);
  await page.goto(`${origin}/contacts/${id}`);
  await heading(page, "Christine Darden");
  const switches = await secondTab(context);
  await page.getByRole("button", { name: "Change E-mail addresses" }).click();
  const dialog = page.getByRole("dialog", { name: "E-mail addresses" });
  const address = dialog.getByRole("textbox", { name: "Address" });
  await address.fill("christine@langley.example");
  await switches("Initech lists");
  await page.getByRole("heading", { name: "You switched to Initech lists in another tab" }).waitFor();
  await page.getByRole("button", { name: /^Switch back to/ }).click();
  await page.getByRole("heading", { name: /^You switched to/ }).waitFor({ state: "detached" });
  assert.equal(await address.inputValue(), "christine@langley.example");
  await Promise.all([saved(page), dialog.getByRole("button", { name: "Save" }).click()]);
  assert.equal((await program.api("GET", `/api/contacts/${id}`)).emails[0].address, "christine@langley.example");
});

await step("the palette saves an open field before it switches the workspace, and before it signs out", async () => {
  const program = await owner();
  const { id } = await program.api("POST", "/api/contacts", { displayName: "Annie Easley" });
  await (await client("owner", identity, "identity")).api("POST", "/api/organizations", { name: "Initech palette" });
  const page = await signedIn(await profile());
  const sent = [];
  page.on("request", (request) => request.method() === "PUT" && sent.push(new URL(request.url()).pathname));
  const edits = async (name, value, command) => {
    await page.goto(`${origin}/contacts/${id}`);
    await heading(page, "Annie Easley");
    await begun(page, name, value);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /Search pages/ }).fill(command);
    await page.getByRole("option", { name: command, exact: true }).click();
  };
  const workspace = (name) => page.getByRole("button", { name: new RegExp(`^${name} .*Switch workspace`) });
  await edits("jobTitle", "Mathematician", "Switch to Initech palette");
  await workspace("Initech palette").waitFor();
  assert.deepEqual(sent, [`/api/contacts/${id}`, "/api/auth/context"]);
  await workspace("Initech palette").click();
  await page.getByRole("menuitemradio", { name: "acme", exact: true }).click();
  await workspace("acme").waitFor();
  await edits("department", "Propulsion", "Sign out");
  await page.waitForURL(/\/login/);
  const { jobTitle, department } = await program.api("GET", `/api/contacts/${id}`);
  assert.deepEqual([jobTitle, department], ["Mathematician", "Propulsion"]);
});

const tries = wanted.long ? 1_000 : 200;
await step(`${tries} writes while the workspace is switched in another tab: none in the wrong organization`, async () => {
  const boss = await client("owner", identity, "identity");
  const globex = (await boss.api("POST", "/api/organizations", { name: "Globex of the proof" })).id;
  const tab = await client();
  const acme = (await tab.api("GET", "/api/auth/me")).activeContext.organizationId;
  const orgs = [acme, globex];
  let { token } = tab;
  let [ended, switched] = [false, 0];
  // One session, two tabs: this one switches without a pause, those below write what they show.
  const send = (bearer, method, path, body, headers = {}) =>
    fetch(wanted.service + path, {
      method,
      headers: { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const switching = (async () => {
    for (let at = 1; !ended; ++at) {
      const answer = await send(token, "PUT", "/api/auth/context", { kind: "organization", organizationId: orgs[at % 2] });
      assert.equal(answer.status, 200, await answer.clone().text());
      ({ access_token: token } = await answer.json());
      ++switched;
    }
  })();
  const counts = new Map();
  const write = async (shown, from) => {
    for (let at = from; at < tries; at += 4) {
      const answer = await send(
        token,
        "POST",
        "/api/contacts",
        { displayName: `${shown} ${at}` },
        { "X-Portico-Context": shown, "Idempotency-Key": `proof-${shown}-${at}` },
      );
      const { code = "created" } = await answer.json();
      counts.set(code, (counts.get(code) ?? 0) + 1);
    }
  };
  const writing = Promise.all([write(acme, 0), write(acme, 1), write(globex, 2), write(globex, 3)]).finally(() => (ended = true));
  await Promise.all([writing, switching]);
  assert.deepEqual(new Set(counts.keys()), new Set(["created", "context_changed"]));
  for (const here of orgs) {
    ({ access_token: token } = await (
      await send(token, "PUT", "/api/auth/context", { kind: "organization", organizationId: here })
    ).json());
    const there = orgs.find((each) => each !== here);
    const { total, items } = await (
      await fetch(`${wanted.service}/api/contacts?q=${there}&include=total&limit=1`, { headers: { Authorization: `Bearer ${token}` } })
    ).json();
    assert.equal(total, 0, JSON.stringify(items));
    const own = await (
      await fetch(`${wanted.service}/api/contacts?q=${here}&include=total&limit=1`, { headers: { Authorization: `Bearer ${token}` } })
    ).json();
    assert.ok(own.total > 0);
  }
  return `${switched} switches, ${[...counts].map(([code, count]) => `${count} ${code}`).join(", ")}`;
});
