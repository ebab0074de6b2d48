// That nothing typed on the CRM's pages is lost and no wrong input is passed over: crm_typed.mjs WANTED (JSON of tests/http/crm_pages.py).
import assert from "node:assert/strict";
import { signedIn as signedInAt, soon, startSteps } from "./browser.mjs";

const { program, origin, service, screens, people } = JSON.parse(process.argv[2]);
const { opened, step, finish } = await startSteps({ program, screens, suite: "crm-typed", keep: true });

const token = await (async () => {
  const body = JSON.stringify({ identifier: people.owner[0], password: people.owner[1], service_id: "crm" });
  return (
    await (await fetch(`${service}/api/auth/login`, { method: "POST", headers: { "Content-Type": "application/json" }, body })).json()
  ).access_token;
})();

/** Another program of the same person. */
async function api(method, path, body) {
  const headers = { Authorization: `Bearer ${token}`, ...(body && { "Content-Type": "application/json" }) };
  const answer = await fetch(service + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text && JSON.parse(text);
}

const page = await opened();
await signedInAt(page, origin, people.owner, "/dashboard");
const heading = (name) => page.getByRole("heading", { level: 1, name }).waitFor();
const go = async (path, name) => {
  await page.goto(origin + path);
  await heading(name);
};
const dialog = page.getByRole("dialog");
const field = (name) => page.locator(`[data-field="${name}"]`);
const note = page.getByLabel("Note", { exact: true });
const made = (displayName, more = {}) => api("POST", "/api/contacts", { displayName, ...more });
const contact = (id) => api("GET", `/api/contacts/${id}`);
/** Answers to this wait until the function that it gives is called. */
async function held(pattern, method) {
  let open;
  const gate = new Promise((done) => (open = done));
  await page.route(pattern, async (route) => {
    if (route.request().method() === method) await gate;
    await route.continue().catch(() => undefined);
  });
  return async () => (open(), await page.unroute(pattern));
}

const ada = await made("Ada Lovelace", { emails: [{ address: "ada@engines.example" }], addresses: [{ street2: "Back house" }] });
const grace = await made("Grace Hopper");

await step("a note that is written while the one before is sent stays", async () => {
  await go(`/contacts/${ada.id}`, "Ada Lovelace");
  const answer = await held("**/notes", "POST");
  await note.fill("First.");
  await note.press("Control+Enter");
  await note.press("End");
  await note.pressSequentially(" And what came after");
  await answer();
  await page.getByRole("listitem").filter({ hasText: "First." }).waitFor();
  await soon(async () => (await note.inputValue()) === "And what came after");
  await note.fill("");
});

await step("a note that two people change is asked about, and one that others delete keeps what is typed", async () => {
  const made = await api("POST", `/api/contacts/${ada.id}/notes`, { body: "Before", format: "plain" });
  const path = `/api/contacts/${ada.id}/notes/${made.noteId}`;
  await go(`/contacts/${ada.id}`, "Ada Lovelace");
  const change = async (text) => {
    await page.getByRole("listitem").filter({ hasText: text }).getByRole("button", { name: "Change note" }).click();
    return page.getByRole("listitem").getByRole("textbox", { name: "Note" });
  };
  const box = await change("Before");
  await box.fill("Mine");
  await api("PUT", path, { body: "Theirs" });
  await page.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Theirs", { exact: true }).last().waitFor();
  assert.equal((await api("GET", path)).body, "Theirs");
  await dialog.getByRole("radio").last().check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await soon(async () => (await api("GET", path)).body === "Mine");
  await page.getByRole("listitem").getByText("Mine", { exact: true }).waitFor();
  const again = await change("Mine");
  await again.fill("Worked at for an hour");
  await api("DELETE", path);
  await api("POST", `/api/contacts/${ada.id}/notes`, { body: "Somebody else's", format: "plain" });
  await page.getByRole("listitem").getByText("Somebody else's").waitFor();
  assert.equal(await again.inputValue(), "Worked at for an hour");
  await page.getByRole("button", { name: "Cancel" }).click();
});

await step("a text that stops browsers is not put in, and says so; what no field takes is told before it is sent", async () => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  const fields = [
    [`/contacts/${ada.id}`, "Ada Lovelace", note],
    ["/contacts/new", "New contact", page.getByLabel("First name")],
    ["/contacts", "Contacts", page.getByRole("searchbox", { name: "Search" })],
    ["/contacts", "Contacts", page.getByRole("combobox", { name: /Search pages/ })],
  ];
  await go("/contacts", "Contacts");
  await page.evaluate(() => navigator.clipboard.writeText("All that was said at the table.\n".repeat(327_680)));
  for (const [path, name, field] of fields) {
    await go(path, name);
    if (field === fields[3][2]) await page.keyboard.press("Control+k");
    await field.focus();
    await page.keyboard.press("Control+v");
    await page.getByText("The pasted text has 10,485,760 characters. A field accepts at most 200,000").last().waitFor();
    assert.equal(await field.inputValue(), "", path);
  }
  const sent = [];
  const listen = (request) => request.method() === "POST" && sent.push(request.url());
  page.on("request", listen);
  await page.evaluate(() => navigator.clipboard.writeText("All that was said at the table. ".repeat(6_000)));
  for (const [path, name, field, words] of [
    [...fields[0], "A note may have 20,000 characters at most."],
    [...fields[1], "At most 100 characters"],
  ]) {
    await go(path, name);
    await field.focus();
    await page.keyboard.press("Control+v");
    await page.keyboard.press("Control+Enter");
    await page.getByText(words).waitFor();
    assert.equal((await field.inputValue()).length, 192_000);
    await field.fill("");
  }
  page.off("request", listen);
  assert.deepEqual(sent, []);
  await page.getByRole("button", { name: "Create contact" }).click();
  await page
    .locator("form")
    .getByRole("alert")
    .getByText(/^It needs a name/)
    .waitFor();
});

await step("who clicks twice, or holds Enter, writes once", async () => {
  const {
    items: [sales],
  } = await api("GET", "/api/pipeline");
  const twice = await made("Only Clicked Twice", { tags: ["twice"], emails: [{ address: "twice@hands.example" }] });
  await made("Twice Clicked", { emails: [{ address: "twice@hands.example" }] });
  await api("PUT", `/api/pipeline/${twice.id}/move`, { pipelineId: sales.pipelineId, stageId: sales.stages[0].stageId });
  await api("POST", `/api/contacts/${twice.id}/notes`, { body: "To pin", format: "plain" });
  // An answer takes longer than the second click.
  let sent = [];
  let answer;
  await page.route("**/api/**", async (route) => {
    const request = route.request();
    if (request.method() === "GET" || /preferences|\/auth\//.test(request.url())) return route.fallback();
    sent.push(request.method());
    await new Promise((done) => (answer = done));
    return route.continue();
  });
  const once = async (act, answered) => {
    sent = [];
    await act();
    await soon(() => sent.length > 0);
    answer();
    await answered.waitFor();
    assert.equal(sent.length, 1, `${act}: ${sent}`);
  };
  const button = (name) => page.getByRole("button", { name });
  await go(`/contacts/${twice.id}`, "Only Clicked Twice");
  await once(() => button("Pin note").dblclick(), page.getByText("Pinned note"));
  await once(() => button("Take off").dblclick(), button("Stage on Sales: On no stage"));
  await once(
    () => page.getByRole("button", { name: "Delete", exact: true }).first().dblclick(),
    page.getByRole("heading", { level: 1, name: "Contacts" }),
  );
  await page.goto(`${origin}/contacts/${twice.id}`);
  await once(() => button("Restore").dblclick(), page.getByRole("heading", { level: 1, name: "Only Clicked Twice" }));
  await go("/contacts/duplicates", "Duplicates");
  await once(() => button("Not the same").first().dblclick(), page.getByText(/^Not the same: /).first());
  await go("/settings/tags", "Settings");
  await button("Rename twice").click();
  await dialog.getByRole("textbox").fill("once");
  await once(
    async () => {
      for (let times = 0; times < 6; ++times) await page.keyboard.down("Enter");
      await page.keyboard.up("Enter");
    },
    page.getByRole("listitem").getByText("once", { exact: true }),
  );
  await page.unroute("**/api/**");
});

await step("what no text may hold is not looked for", async () => {
  await made("Nullus Nemo");
  await go("/contacts?q=nullus%00nemo%07", "Contacts");
  await page.getByRole("link", { name: "Nullus Nemo" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /Search pages/ }).fill("nullus\0 nemo");
  await page.getByRole("option", { name: "Nullus Nemo" }).waitFor();
  await page.keyboard.press("Escape");
});

await step("what is written for one contact does not become another's", async () => {
  await go("/contacts", "Contacts");
  await page.getByRole("link", { name: "Ada Lovelace" }).click();
  await heading("Ada Lovelace");
  await page.keyboard.press("j");
  await heading("Grace Hopper");
  await page.keyboard.press("k");
  await heading("Ada Lovelace");
  await note.fill("Of Ada alone");
  await page.getByRole("button", { name: "Next record" }).or(page.locator("[aria-label^='Next']")).first().click();
  await heading("Grace Hopper");
  assert.equal(await note.inputValue(), "");
  await page.keyboard.press("k");
  await heading("Ada Lovelace");
  await soon(async () => (await note.inputValue()) === "Of Ada alone");
  await note.fill("");
});

await step("addresses that are typed survive Escape and a refusal, and wrong ones are told at their place", async () => {
  await go(`/contacts/${ada.id}`, "Ada Lovelace");
  const open = () => page.getByRole("button", { name: "Change E-mail addresses" }).click();
  await open();
  await dialog.getByRole("button", { name: "Add" }).click();
  const last = dialog.getByRole("textbox", { name: "Address" }).last();
  await last.fill("countess@lovelace.example");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await open();
  assert.equal(await last.inputValue(), "countess@lovelace.example");
  await last.fill("countess@lovelace");
  await dialog.getByRole("button", { name: "Save" }).click();
  assert.equal(await last.evaluate((input) => input.validity.valid), false);
  await last.fill("countess@lovelace.example");
  await page.route(`**/api/contacts/${ada.id}`, (route) =>
    route.request().method() === "PUT"
      ? route.fulfill({ status: 500, contentType: "application/problem+json", body: '{"code":"internal","status":500}' })
      : route.continue(),
  );
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("alert").waitFor();
  // Why is told over the dialog: in sight, and within reach.
  const told = page.getByText("E-mail addresses: not changed.");
  await told.first().waitFor();
  assert.ok(
    await told.first().evaluate((toast) => {
      const { left, top } = toast.getBoundingClientRect();
      return toast.contains(document.elementFromPoint(left + 4, top + 4));
    }),
    "the refusal is behind the dialog",
  );
  await page.waitForFunction(() => document.getAnimations().every((each) => each.playState !== "running"));
  await page.screenshot({ path: `${screens}/crm-typed-refused.png` });
  assert.equal(await last.inputValue(), "countess@lovelace.example");
  await page.unroute(`**/api/contacts/${ada.id}`);
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("E-mail addresses: ada@engines.example; countess@lovelace.example").waitFor();
  assert.equal((await contact(ada.id)).emails.length, 2);
  await page.screenshot({ path: `${screens}/crm-typed-list.png` });
});

await step("addresses that are typed while the ones before are saved survive a refusal", async () => {
  await go(`/contacts/${grace.id}`, "Grace Hopper");
  const open = () => page.getByRole("button", { name: "Change E-mail addresses" }).click();
  let answer;
  const gate = new Promise((done) => (answer = done));
  await page.route(`**/api/contacts/${grace.id}`, async (route) => {
    if (route.request().method() !== "PUT") return route.continue();
    await gate;
    return route.fulfill({ status: 500, contentType: "application/problem+json", body: '{"code":"internal","status":500}' });
  });
  await open();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  const last = dialog.getByRole("textbox", { name: "Address" }).last();
  await last.fill("grace@navy.example");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "hidden" });
  await open();
  await last.fill("admiral@navy.example");
  answer();
  await dialog.getByRole("alert").waitFor();
  assert.equal(await last.inputValue(), "admiral@navy.example");
  await page.unroute(`**/api/contacts/${grace.id}`);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });
});

await step("addresses that are typed while the ones before are saved do not conflict with these", async () => {
  const open = () => page.getByRole("button", { name: "Change E-mail addresses" }).click();
  const first = dialog.getByRole("textbox", { name: "Address" }).first();
  // The dialog shows the draft again, or without one the list that is being saved.
  for (const [saved, typed, cancels] of [
    ["grace@navy.example", "admiral@navy.example", false],
    ["commodore@navy.example", "captain@navy.example", true],
  ]) {
    const answer = await held(`**/api/contacts/${grace.id}`, "PUT");
    await open();
    await first.fill(saved);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    await open();
    if (cancels) {
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await dialog.waitFor({ state: "hidden" });
      await open();
    }
    await first.fill(typed);
    await answer();
    await page.waitForFunction(() => !document.querySelector("[data-state=saving]"));
    await dialog.getByRole("button", { name: "Save" }).click();
    await soon(async () => (await contact(grace.id)).emails.map(({ address }) => address).join() === typed);
    await dialog.waitFor({ state: "hidden" });
  }
  await api("PUT", `/api/contacts/${grace.id}`, { emails: [] });
});

await step("an address of which only the second line is known stays", async () => {
  await go(`/contacts/${ada.id}`, "Ada Lovelace");
  await page.getByRole("button", { name: "Change Addresses" }).click();
  await dialog.getByRole("button", { name: "Add" }).click();
  await dialog.getByLabel("Town").last().fill("London");
  await dialog.getByRole("button", { name: "Save" }).click();
  await soon(async () => (await contact(ada.id)).addresses.length === 2);
  assert.deepEqual(
    (await contact(ada.id)).addresses.map(({ street2, city }) => [street2, city]),
    [
      ["Back house", ""],
      ["", "London"],
    ],
  );
});

await step("the stages of a contact are walked by arrows, and only Enter moves", async () => {
  await page.keyboard.press("m");
  const opener = page.getByRole("button", { name: "Stage on Sales: On no stage" });
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Escape");
  assert.deepEqual((await contact(ada.id)).pipelines, []);
  await opener.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await soon(async () => (await contact(ada.id)).pipelines.length === 1);
  await page.getByRole("button", { name: "Stage on Sales: Contacted" }).waitFor();
});

await step("fields of the workspace say what is wrong at their place, and meet others' changes of other fields", async () => {
  for (const [label, key, type, options] of [
    ["Size", "size", "number"],
    ["Since", "since", "date"],
    ["Colour", "colour", "text"],
    ["Kind", "kind", "multi_select", ["A", "B"]],
  ])
    await api("POST", "/api/custom-fields", { label, key, type, ...(options && { options }) });
  await go(`/contacts/${ada.id}`, "Ada Lovelace");
  const edit = async (name, text) => {
    await field(name).getByRole("button").first().click();
    await field(name).getByRole("textbox").fill(text);
    await page.keyboard.press("Enter");
  };
  for (const text of ["many", "1,234"]) {
    await edit("size", text);
    await field("size").getByText("Not a number").waitFor();
    assert.equal(await field("size").getByRole("textbox").inputValue(), text);
    await page.keyboard.press("Escape");
  }
  await page.route("**/api/changes", (route) => route.abort());
  await page.reload();
  await heading("Ada Lovelace");
  await field("size").waitFor();
  await api("PUT", `/api/contacts/${ada.id}`, { customFields: { colour: "red" } });
  await edit("size", "4.5");
  await soon(async () => (await contact(ada.id)).customFields.size === 4.5);
  assert.equal((await contact(ada.id)).customFields.colour, "red");
  assert.equal(await dialog.count(), 0);
  await page.getByText("Size: 4.5").waitFor();
  await page.screenshot({ path: `${screens}/crm-typed-custom.png` });
  await page.keyboard.press("z");
  await soon(async () => (await contact(ada.id)).customFields.size == null);
  await field("size").getByRole("button").first().click();
  await field("size").getByRole("textbox").fill("7");
  await api("PUT", `/api/contacts/${ada.id}`, { customFields: { size: 5 } });
  await page.keyboard.press("Enter");
  await dialog.getByText("7", { exact: true }).waitFor();
  await page.screenshot({ path: `${screens}/crm-typed-conflict.png` });
  assert.equal(await dialog.getByText("{").count(), 0);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.unroute("**/api/changes");
});

await step("half a date is not passed over as none", async () => {
  await go(`/contacts/${ada.id}`, "Ada Lovelace");
  await field("since").getByRole("button").first().click();
  await page.keyboard.type("12");
  await page.keyboard.press("Enter");
  await field("since").getByText(/date/i).last().waitFor();
  assert.equal(await field("since").locator("input").getAttribute("aria-invalid"), "true");
  await page.keyboard.press("Escape");
});

await step("what is refused of a field is there to be put right", async () => {
  await page.route(`**/api/contacts/${ada.id}`, (route) =>
    route.request().method() === "PUT"
      ? route.fulfill({ status: 500, contentType: "application/problem+json", body: '{"code":"internal","status":500}' })
      : route.continue(),
  );
  await field("companyName").getByRole("button").first().click();
  await field("companyName").getByRole("textbox").fill("Analytical Engines and Difference Machines");
  await page.keyboard.press("Enter");
  await page
    .getByText(/Company: not changed\./)
    .first()
    .waitFor();
  await page.unroute(`**/api/contacts/${ada.id}`);
  await field("companyName").getByRole("button").first().click();
  assert.equal(await field("companyName").getByRole("textbox").inputValue(), "Analytical Engines and Difference Machines");
  await page.keyboard.press("Enter");
  await soon(async () => (await contact(ada.id)).companyName.startsWith("Analytical"));
});

await step("a tag that Ctrl and Enter end is saved with the rest", async () => {
  await go("/contacts/new", "New contact");
  await page.getByLabel("First name").fill("Tagged");
  await page.getByRole("textbox", { name: "Tags" }).or(page.getByLabel("Tags")).first().click();
  await page.keyboard.type("vip");
  await page.keyboard.press("Control+Enter");
  await heading("Tagged");
  const [{ tags }] = (await api("GET", "/api/contacts?q=Tagged")).items;
  assert.deepEqual(tags, ["vip"]);
});

await step("a reason that is typed survives Escape and a refusal, and Undo asks for it where it must", async () => {
  const [pipeline] = (await api("GET", "/api/pipeline")).items;
  const lost = pipeline.stages.find(({ kind }) => kind === "lost").stageId;
  await api("PUT", `/api/pipeline/${pipeline.pipelineId}`, { requireLostReason: true });
  await go(`/contacts/${grace.id}`, "Grace Hopper");
  const choose = async (name) => {
    await page.getByRole("button", { name: /^Stage on Sales/ }).click();
    await page.getByRole("menuitemradio", { name }).click();
  };
  await choose("Lost");
  await dialog.getByRole("textbox").fill("Too dear for them this year");
  await page.keyboard.press("Escape");
  await choose("Lost");
  assert.equal(await dialog.getByRole("textbox").inputValue(), "Too dear for them this year");
  await dialog.getByRole("button", { name: "Move" }).click();
  await soon(async () => (await contact(grace.id)).pipelines[0]?.stageId === lost);
  await page.getByRole("button", { name: "Stage on Sales: Lost" }).waitFor();
  await choose("New");
  await page.getByText("Grace Hopper moved to New").waitFor();
  await page.keyboard.press("z");
  await dialog.getByRole("textbox").fill("As before");
  await dialog.getByRole("button", { name: "Move" }).click();
  await soon(async () => (await contact(grace.id)).pipelines[0]?.stageId === lost);
  await api("PUT", `/api/pipeline/${pipeline.pipelineId}`, { requireLostReason: false });
});

await step("what is said of an import quickly is all said, what is refused is not passed over", async () => {
  await go("/imports/new", "Import contacts");
  const rows = ["One,Two,Phone", "Katherine,katherine@orbit.example,020 7946 0001"];
  await page.locator("input[type=file]").setInputFiles({ name: "quick.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\n")) });
  await page.getByRole("button", { name: "Next" }).click();
  const answer = await held("**/run", "POST");
  await page.getByLabel("Where One goes").selectOption({ label: "Shown as" });
  await page.getByLabel("Where Two goes").selectOption({ label: "E-mail" });
  await answer();
  await page.locator("table[aria-busy=false]").waitFor();
  assert.deepEqual(
    [await page.getByLabel("Where One goes").inputValue(), await page.getByLabel("Where Two goes").inputValue()],
    ["displayName", "emails[0].address"],
  );
  await page.getByLabel(/Country/).fill("1");
  await page.keyboard.press("Tab");
  await page.getByRole("alert").waitFor();
  await page.screenshot({ path: `${screens}/crm-typed-country.png` });
  await page.getByLabel(/Country/).fill("GB");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Next" }).click();
  await page.route("**/run", (route) =>
    route.fulfill({ status: 500, contentType: "application/problem+json", body: '{"code":"internal","status":500}' }),
  );
  await page.getByLabel("Add tags").fill("conference");
  await page.keyboard.press("Tab");
  await page.getByRole("alert").waitFor();
  await page.unroute("**/run");
  assert.equal(await page.getByRole("button", { name: /^Import / }).count(), 0);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: "Import 1 contact" }).click();
  await heading("quick.csv");
  const [{ tags, displayName }] = (await api("GET", "/api/contacts?email=katherine@orbit.example")).items;
  assert.deepEqual([displayName, tags], ["Katherine", ["conference"]]);
});

await step("a pipeline that is being changed is not left unasked, made once, and meets what others change", async () => {
  await go("/settings/pipelines", "Settings");
  await page.getByRole("button", { name: "New pipeline" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Partners");
  await page.getByLabel("Stage", { exact: true }).fill("Met");
  await page.getByRole("link", { name: "Contacts" }).first().click();
  await dialog.getByRole("button", { name: "Keep editing" }).click();
  assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Partners");
  const answer = await held("**/api/pipeline", "POST");
  await page.getByRole("button", { name: "Save" }).dblclick();
  await answer();
  await page.getByRole("button", { name: "Change Partners" }).first().waitFor();
  assert.equal((await api("GET", "/api/pipeline")).items.filter(({ name }) => name === "Partners").length, 1);
  const sales = (await api("GET", "/api/pipeline")).items.find(({ name }) => name === "Sales");
  await page.getByRole("button", { name: "Change Sales" }).click();
  await page.getByLabel("Stage", { exact: true }).first().fill("Fresh");
  const stages = sales.stages.map(({ stageId, name, kind, probability, color, order }) => ({
    stageId,
    name,
    kind,
    probability,
    color,
    order,
  }));
  await api("PUT", `/api/pipeline/${sales.pipelineId}`, {
    stages: [...stages, { name: "Theirs", kind: "open", probability: 10, color: "#64748b", order: stages.length }],
  });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Another user changed this pipeline").waitFor();
  await page.screenshot({ path: `${screens}/crm-typed-pipeline.png`, fullPage: true });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Change Sales" }).waitFor();
  const names = (await api("GET", `/api/pipeline/${sales.pipelineId}`)).stages.map(({ name }) => name);
  assert.ok(names.includes("Fresh") && names.includes("Theirs"), names.join());
});

await step("another board is chosen by keyboard", async () => {
  await go("/pipeline", "Sales");
  await page.getByRole("button", { name: "Pipeline" }).press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.screenshot({ path: `${screens}/crm-typed-boards.png` });
  await page.keyboard.press("Enter");
  await heading("Partners");
});

await step("options of a field that has none, and a tag without a name, are refused", async () => {
  await go("/settings/fields", "Settings");
  await page.getByRole("button", { name: "New field" }).click();
  await dialog.getByLabel("Label").fill("Size of shoes");
  await dialog.getByLabel("Key").fill("shoes");
  await dialog.getByRole("textbox", { name: "Options" }).or(dialog.getByLabel("Options")).first().click();
  await page.keyboard.type("Small");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Only a choice has options").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "New field" }).click();
  assert.equal(await dialog.getByLabel("Label").inputValue(), "Size of shoes");
  await go("/settings/tags", "Settings");
  await page.getByRole("button", { name: "Rename vip" }).click();
  await dialog.getByRole("textbox", { name: "Name" }).fill("  ");
  await page.keyboard.press("Enter");
  await dialog.getByText("This field is required.").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
});

await step("files that wait are sent although the page is left", async () => {
  await go(`/contacts/${grace.id}`, "Grace Hopper");
  const answer = await held("**/attachments", "POST");
  await page
    .locator("input[type=file]")
    .setInputFiles([1, 2, 3, 4, 5].map((each) => ({ name: `offer ${each}.txt`, mimeType: "text/plain", buffer: Buffer.from("offer") })));
  await page.getByText("offer 5.txt").waitFor();
  await page.getByRole("link", { name: "Dashboard" }).first().click();
  await heading("Dashboard");
  await answer();
  await soon(async () => (await api("GET", `/api/contacts/${grace.id}/attachments`)).items.length === 5);
});

await step("two are merged only as what the page has shown", async () => {
  await go(`/contacts/merge?ids=${ada.id},${grace.id}`, "Merge contacts");
  const button = page.getByRole("button", { name: "Merge 2 contacts" });
  await page.waitForFunction(() =>
    [...document.querySelectorAll("button")].some((each) => /^Merge 2/.test(each.textContent) && !each.disabled),
  );
  const answer = await held("**/merge", "POST");
  await page.getByRole("radio", { name: "Grace Hopper" }).first().check();
  assert.ok(await button.isDisabled());
  await answer();
  await page.waitForFunction(() =>
    [...document.querySelectorAll("button")].some((each) => /^Merge 2/.test(each.textContent) && !each.disabled),
  );
});

await step("a filter by what is gone is shown, on the board, too", async () => {
  const [{ pipelineId }] = (await api("GET", "/api/pipeline")).items;
  await go(`/pipeline/${pipelineId}?tag=gone`, /./);
  assert.equal(await page.getByLabel("Tag", { exact: true }).inputValue(), "gone");
});

await step("a draft that is found again undoes nothing that others have changed meanwhile", async () => {
  const [{ customFieldId }] = (await api("GET", "/api/custom-fields")).items.filter(({ key }) => key === "colour");
  await go("/settings/fields", "Settings");
  const open = () => page.getByRole("button", { name: "Change Colour" }).click();
  await open();
  await dialog.getByLabel("Label").fill("Shade");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await api("PUT", `/api/custom-fields/${customFieldId}`, { required: true });
  await page.reload();
  await open();
  assert.equal(await dialog.getByLabel("Label").inputValue(), "Shade");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "hidden" });
  const now = (await api("GET", "/api/custom-fields")).items.find(({ key }) => key === "colour");
  assert.deepEqual([now.label, now.required], ["Shade", true]);
  await api("PUT", `/api/custom-fields/${customFieldId}`, { required: false });
});

await step("views of two tabs are both kept", async () => {
  const two = await page.context().newPage();
  const tabs = [
    [page, "One"],
    [two, "Two"],
  ];
  for (const [tab] of tabs) {
    await tab.goto(`${origin}/contacts?q=a`);
    await tab.getByRole("link", { name: "Ada Lovelace" }).waitFor();
  }
  for (const [tab, name] of tabs) {
    await tab.getByRole("button", { name: "Views" }).click();
    await tab.getByRole("textbox", { name: "Name of the view" }).fill(name);
    const saved = tab.waitForResponse((answer) => answer.request().method() === "PATCH");
    await tab.keyboard.press("Enter");
    await saved;
  }
  await two.close();
  await page.reload();
  await page.getByRole("button", { name: "Views" }).click();
  for (const [, name] of tabs) await page.getByRole("button", { name, exact: true }).waitFor();
});

await step("a phone number that is none is told at its field, in sight", async () => {
  await go("/contacts/new", "New contact");
  await page.setViewportSize({ width: 1280, height: 500 });
  await page.getByRole("button", { name: "Create contact" }).click();
  const alert = page.getByRole("alert").filter({ hasText: "It needs a name" });
  await alert.waitFor();
  await page.waitForFunction(() => document.activeElement.getAttribute("role") === "alert");
  assert.ok((await alert.boundingBox()).y >= (await page.getByRole("banner").boundingBox()).height, "the alert is below the header");
  await page.getByLabel("First name").fill("Number");
  await page.getByLabel("Phone").fill("abc");
  await page.getByLabel("Phone").press("Enter");
  await page.waitForFunction(() => document.querySelector("input[name=phone]").getAttribute("aria-invalid") === "true");
  await page.getByText("Not a phone number").waitFor();
  await page.getByLabel("Phone").fill("");
  await page.setViewportSize({ width: 1280, height: 800 });
});

await step("a contact that others delete says so, and is brought back from there", async () => {
  const gone = await made("Gone Soon");
  await go(`/contacts/${gone.id}`, "Gone Soon");
  await field("jobTitle").waitFor();
  await field("jobTitle").getByRole("button").first().click();
  await field("jobTitle").getByRole("textbox").fill("Typed");
  await api("DELETE", `/api/contacts/${gone.id}`);
  await page.getByRole("button", { name: "Restore" }).waitFor();
  assert.equal(await field("jobTitle").getByRole("textbox").inputValue(), "Typed");
  await page.screenshot({ path: `${screens}/crm-typed-gone.png` });
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("button", { name: "Restore" }).waitFor({ state: "detached" });
  await field("jobTitle").getByRole("textbox").press("Enter");
  await soon(async () => (await contact(gone.id)).jobTitle === "Typed");
});

await step("of several cards those that were moved can be taken back although others are refused", async () => {
  const [{ pipelineId, stages }] = (await api("GET", "/api/pipeline")).items;
  const [first, second] = stages.sort((a, b) => a.order - b.order);
  const two = await Promise.all(["Pair one", "Pair two"].map((name) => made(name)));
  for (const { id } of two) await api("PUT", `/api/pipeline/${id}/move`, { pipelineId, stageId: first.stageId });
  await go(`/pipeline/${pipelineId}?q=pair`, "Sales");
  for (const { displayName } of two) {
    await page.locator("[data-card]", { hasText: displayName }).focus();
    await page.keyboard.press("x");
  }
  // They are sent in their order on the board. One is refused, however often it is sent.
  const [goes, stays] = await page.locator("[data-card]").evaluateAll((all) => all.map(({ dataset }) => dataset.card));
  const refused = `**/api/pipeline/${stays}/move`;
  await page.route(refused, (route) =>
    route.fulfill({ status: 500, contentType: "application/problem+json", body: '{"code":"internal","status":500}' }),
  );
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const now = async () => (await Promise.all([goes, stays].map(contact))).map(({ pipelines }) => pipelines[0].stageId);
  await page
    .getByText(/Pair (one|two) moved to/)
    .first()
    .waitFor();
  assert.deepEqual(await now(), [second.stageId, first.stageId]);
  await page.unroute(refused);
  await page.keyboard.press("z");
  await soon(async () => (await now()).every((each) => each === first.stageId));
});

await step("a card that has the focus is in sight, and whoever comes back from it is there again", async () => {
  const [{ pipelineId, stages }] = (await api("GET", "/api/pipeline")).items;
  const ends = stages.sort((a, b) => a.order - b.order).filter(({ kind }) => kind !== "lost");
  const [near, far] = await Promise.all(["Reach near", "Reach far"].map((name) => made(name)));
  await api("PUT", `/api/pipeline/${near.id}/move`, { pipelineId, stageId: ends[0].stageId });
  await api("PUT", `/api/pipeline/${far.id}/move`, { pipelineId, stageId: ends.at(-1).stageId });
  await go(`/pipeline/${pipelineId}?q=reach`, "Sales");
  const inSight = (name) =>
    page.waitForFunction((name) => {
      const { left, right } = document.activeElement.getBoundingClientRect();
      return (
        document.activeElement.matches("[data-card]") &&
        document.activeElement.textContent.includes(name) &&
        left >= 0 &&
        right <= innerWidth
      );
    }, name);
  await page.locator("[data-card]", { hasText: "Reach near" }).focus();
  // Its column lies beyond the edge; those between are empty.
  await page.keyboard.press("ArrowRight");
  await inSight("Reach far");
  await page.keyboard.press("Enter");
  await heading("Reach far");
  await page.locator("[data-field]").first().waitFor();
  await page.keyboard.press("Escape");
  await inSight("Reach far");
});

await step("keys lead on and back while a contact is still being read", async () => {
  await made("Quick one");
  const { id } = await made("Quick two");
  await go("/contacts?q=quick", "Contacts");
  await page.getByRole("link", { name: "Quick one" }).click();
  await heading("Quick one");
  const goOn = await held(`**/api/contacts/${id}**`, "GET");
  await page.keyboard.press("j");
  await page.waitForURL(`**/contacts/${id}`);
  await page.keyboard.press("Escape");
  await heading("Contacts");
  await goOn();
});

await step("fields are put in order by two quick steps, and all tags are there", async () => {
  await go("/settings/fields", "Settings");
  const down = page.getByRole("button", { name: "Move Size down" });
  const answer = await held("**/api/custom-fields/*", "PUT");
  await down.click();
  await down.click();
  await answer();
  await soon(
    async () =>
      (await api("GET", "/api/custom-fields")).items.sort((a, b) => a.order - b.order).findIndex(({ key }) => key === "size") === 2,
  );
  for (let at = 0; at < 5; ++at) await made(`Tags ${at}`, { tags: Array.from({ length: 50 }, (_, more) => `many ${at * 50 + more}`) });
  await go("/settings/tags", "Settings");
  await page.getByRole("button", { name: "Rename many 249" }).waitFor();
  assert.ok((await page.getByRole("button", { name: /^Rename many/ }).count()) === 250);
});

await step("who deletes with two clicks is told one thing", async () => {
  const { id } = await made("Only Clicked Twice");
  await go(`/contacts/${id}`, "Only Clicked Twice");
  let deletes = 0;
  const count = (request) => request.method() === "DELETE" && ++deletes;
  page.on("request", count);
  const answer = await held(`**/api/contacts/${id}`, "DELETE");
  await page.getByRole("button", { name: "Delete", exact: true }).dblclick();
  await answer();
  await heading("Contacts");
  await page.getByText("Only Clicked Twice deleted").waitFor();
  await soon(async () => deletes > 0);
  page.off("request", count);
  assert.equal(deletes, 1);
});

await step("ten megabytes in the search, and two files where one is meant, are no harm", async () => {
  await go("/contacts", "Contacts");
  await page.getByRole("searchbox", { name: "Search" }).first().focus();
  await page.evaluate(() => document.execCommand("insertText", false, "x".repeat(10 * 1024 * 1024)));
  await page.getByText("No results").waitFor();
  assert.ok(page.url().length < 400);
  await go("/imports/new", "Import contacts");
  await page.locator("label:has(input[type=file])").evaluate((target) => {
    const dataTransfer = new DataTransfer();
    for (const name of ["one.csv", "two.csv"]) dataTransfer.items.add(new File(["Name,E-mail\nA,a@b.example"], name, { type: "text/csv" }));
    target.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
  });
  await page.getByText("Select only 1 file.").waitFor();
  assert.equal(page.url(), `${origin}/imports/new`);
});

await step("what is asked of a stage is named on a phone, too", async () => {
  await page.setViewportSize({ width: 320, height: 800 });
  await go("/settings/pipelines", "Settings");
  await page.getByRole("button", { name: "Change Sales" }).click();
  assert.ok((await page.locator("form li").first().getByText("Stale, days").boundingBox()).width > 20);
  assert.ok((await page.getByLabel("Chance, %").first().boundingBox()).width > 60);
  await page.screenshot({ path: `${screens}/crm-typed-stages-phone.png`, fullPage: true });
  await page.setViewportSize({ width: 1280, height: 800 });
});

await step("only the field that is saved has the mark of it", async () => {
  await go(`/contacts/${grace.id}`, "Grace Hopper");
  const answer = await held(`**/api/contacts/${grace.id}`, "PUT");
  await field("size").getByRole("button").first().click();
  await field("size").getByRole("textbox").fill("12");
  await page.keyboard.press("Enter");
  await page.locator("[data-state=saving]").first().waitFor();
  assert.deepEqual(
    await page.locator("[data-field]:has([data-state=saving])").evaluateAll((all) => all.map((each) => each.dataset.field)),
    ["size"],
  );
  await page.getByLabel("No calls").check();
  const group = page.getByRole("group", { name: "Do not contact" });
  await group.locator("[data-state=saving]").waitFor();
  assert.equal(await group.locator("label", { hasText: "No calls" }).locator("[data-state=saving]").count(), 1);
  await answer();
  await page.waitForFunction(() => !document.querySelector("[data-state=saving]"));
  assert.deepEqual((await contact(grace.id)).doNotContact, { email: false, phone: true, sms: false });
});

await step("a field that waits for the network says that it is not sent", async () => {
  await page.context().setOffline(true);
  await field("jobTitle").getByRole("button").first().click();
  await field("jobTitle").getByRole("textbox").fill("Waits");
  await page.keyboard.press("Enter");
  await field("jobTitle").getByText("not sent").waitFor();
  await page.context().setOffline(false);
  await page.locator("[data-state]").waitFor({ state: "detached" });
  assert.equal((await contact(grace.id)).jobTitle, "Waits");
});

await step("undo puts nothing in the place of what others have written since", async () => {
  await go(`/contacts/${grace.id}`, "Grace Hopper");
  // Where changes arrive they are asked about just as well, but what is proven here is what the service says.
  await page.route("**/api/changes", (route) => route.abort());
  await page.reload();
  await field("department").getByRole("button").first().click();
  await field("department").getByRole("textbox").fill("Navy");
  await page.keyboard.press("Enter");
  await page.getByText("Department: Navy").first().waitFor();
  await api("PUT", `/api/contacts/${grace.id}`, { department: "Research" });
  await page.keyboard.press("z");
  await dialog.getByText("Research", { exact: true }).waitFor();
  await page.screenshot({ path: `${screens}/crm-typed-undo.png` });
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  assert.equal((await contact(grace.id)).department, "Research");
  await page.unroute("**/api/changes");
});

await step("a contact that others have gone on with is not deleted by undoing its creation", async () => {
  await page.route("**/api/changes", (route) => route.abort());
  await go("/contacts/new", "New contact");
  await page.getByLabel("First name").fill("Undone");
  await page.keyboard.press("Control+Enter");
  await heading("Undone");
  const { id } = (await api("GET", "/api/contacts?q=Undone")).items[0];
  await api("PUT", `/api/contacts/${id}`, { jobTitle: "Theirs" });
  await page.keyboard.press("z");
  await page.getByText("Another user changed this.").first().waitFor();
  assert.equal((await contact(id)).jobTitle, "Theirs");
  await page.unroute("**/api/changes");
});

await step("who puts a field at an end of the order still has the focus there", async () => {
  await go("/settings/fields", "Settings");
  const name = await page.locator("main ol > li").first().getByRole("button").first().getAttribute("aria-label");
  const label = /^Move (.*) up$/.exec(name)[1];
  const down = page.getByRole("button", { name: `Move ${label} down` });
  const count = await page.locator("main ol > li").count();
  await down.focus();
  for (let at = 1; at < count; ++at) {
    await page.keyboard.press("Enter");
    await page
      .locator("main ol > li")
      .nth(at)
      .getByRole("button", { name: `Move ${label} down` })
      .waitFor();
  }
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), `Move ${label} down`);
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await page
    .locator("main ol > li")
    .nth(count - 2)
    .getByRole("button", { name: `Move ${label} down` })
    .waitFor();
});

await step("moves of a stage that is new are said before it is saved, and what is refused stands at its field", async () => {
  await go("/settings/pipelines", "Settings");
  await page.getByRole("button", { name: "New pipeline" }).click();
  await page.getByLabel("Name", { exact: true }).waitFor();
  await page.keyboard.type("Referrals");
  await page.getByLabel("Currency").fill("ZZZ");
  const stage = page.getByLabel("Stage", { exact: true });
  await stage.fill("Asked");
  await page.getByRole("button", { name: "Add a stage" }).click();
  await stage.last().fill("   ");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Three letters of a currency").waitFor();
  const currency = page.getByLabel("Currency");
  assert.equal(await currency.getAttribute("aria-invalid"), "true");
  await page.waitForFunction(() => document.activeElement?.matches("[aria-invalid=true]"));
  await page.screenshot({ path: `${screens}/crm-typed-pipeline-refused.png`, fullPage: true });
  await currency.fill("EUR");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("This field is required.").waitFor();
  assert.deepEqual(await stage.evaluateAll((all) => all.map((each) => each.getAttribute("aria-invalid"))), [null, "true"]);
  assert.equal(await page.getByText(/stages\[/).count(), 0);
  await stage.last().fill("Introduced");
  await page.getByLabel("All moves are allowed").uncheck();
  await page.getByRole("checkbox", { name: "Introduced to Asked" }).uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Change Referrals" }).waitFor();
  const read = async () => (await api("GET", "/api/pipeline")).items.find(({ name }) => name === "Referrals");
  const moves = ({ stages, transitions }) =>
    transitions.map((each) => [each.from, each.to].map((id) => stages.find(({ stageId }) => stageId === id).name).join(" "));
  assert.deepEqual(moves(await read()), ["Asked Introduced"]);
  await page.getByRole("button", { name: "Change Referrals" }).click();
  await page.getByRole("button", { name: "Add a stage" }).click();
  await stage.last().fill("Met");
  await page.getByRole("checkbox", { name: "Introduced to Met" }).check();
  // The second step fails, and is what is sent again.
  let times = 0;
  await page.route("**/api/pipeline/pip_*", (route) =>
    route.request().method() === "PUT" && ++times === 2
      ? route.fulfill({ status: 500, contentType: "application/problem+json", body: '{"code":"internal","status":500}' })
      : route.continue(),
  );
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").filter({ hasText: "Something went wrong" }).waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Change Referrals" }).waitFor();
  await page.unroute("**/api/pipeline/pip_*");
  const after = await read();
  assert.deepEqual(
    [after.stages.map(({ name }) => name), moves(after).sort()],
    [
      ["Asked", "Introduced", "Met"],
      ["Asked Introduced", "Introduced Met"],
    ],
  );
});

await step("what is refused of an import stands at its field", async () => {
  await go("/imports/new", "Import contacts");
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "at.csv", mimeType: "text/csv", buffer: Buffer.from("Name,Phone\nKatherine,020 7946 0001") });
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByLabel(/Country/).fill("1");
  await page.keyboard.press("Tab");
  await page.getByText("Two letters of a country").waitFor();
  assert.equal(await page.getByLabel(/Country/).getAttribute("aria-invalid"), "true");
  assert.equal(await page.getByRole("alert").count(), 1);
  await page.getByLabel(/Country/).fill("GB");
  await page.keyboard.press("Tab");
  await page.getByText("Two letters of a country").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByLabel("Add tags").fill("x".repeat(60));
  await page.keyboard.press("Tab");
  await page.getByText("That is too long.").waitFor();
  assert.equal(await page.getByLabel("Add tags").getAttribute("aria-invalid"), "true");
  await page.screenshot({ path: `${screens}/crm-typed-import-refused.png` });
});

for (const [what, rows, header] of [
  ["whose columns have names of their own", ["Nom;Courriel", "Emmy;emmy@rings.example"], true],
  ["without a row of names", ["Emmy;emmy@rings.example", "Lise;lise@fission.example"], false],
])
  await step(`a file ${what} is imported once one has said where they go`, async () => {
    await go("/imports/new", "Import contacts");
    await page.locator("input[type=file]").setInputFiles({ name: "own.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\n")) });
    await page.getByText("No column name was recognised").waitFor();
    if (!header) {
      await page.getByLabel("The first row names the columns").uncheck();
      await page.getByText("Say where at least one column goes.").waitFor();
    }
    await page.getByRole("button", { name: "Next" }).click();
    const [name, mail] = header ? ["Nom", "Courriel"] : ["1", "2"];
    await page.getByLabel(`Where ${name} goes`).selectOption({ label: "First name" });
    await page.getByLabel(`Where ${mail} goes`).selectOption({ label: "E-mail" });
    await page.locator("table[aria-busy=false]").waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: header ? "Import 1 contact" : "Import 1 contact" }).click();
    await heading("own.csv");
    assert.equal((await api("GET", `/api/contacts?email=${header ? "emmy@rings" : "lise@fission"}.example`)).items.length, 1);
  });

await finish();
