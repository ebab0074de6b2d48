// Bad input: addresses, contents, browsers that lack something, and servers that answer nonsense.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { client, fillSignIn, heading, profile, signedIn, soon, step, unseen, wanted } from "./proofs_kit.mjs";

const { origin } = wanted;
const BS = String.fromCharCode(92);
const evil = [
  "//evil.example",
  "///evil.example",
  `/${BS}evil.example`,
  `${BS}${BS}evil.example`,
  `/${BS}/evil.example`,
  "https:evil.example",
  "https://evil.example/",
  "http:/evil.example",
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "data:text/html,x",
  "%2F%2Fevil.example",
  "/%2Fevil.example",
  "/%252Fevil.example",
  `/%5Cevil.example`,
  "/\tevil.example/..//evil.example",
  "/\n/evil.example",
  "\u0000//evil.example",
  "evil.example",
  `/${"x".repeat(7_000)}`,
];

await step("addresses that lead elsewhere are dropped, in twenty spellings", async () => {
  const context = await profile();
  const tabs = await Promise.all(
    evil.map(async (each) => {
      const tab = await context.newPage();
      await tab.goto(`${origin}/login?return_to=${encodeURIComponent(each)}`);
      return tab;
    }),
  );
  // Signing in in one lets all go on.
  await tabs[0].bringToFront();
  await fillSignIn(tabs[0]);
  for (const [at, tab] of tabs.entries()) {
    await tab.waitForURL(`${origin}/dashboard`).catch(() => undefined);
    assert.equal(tab.url(), `${origin}/dashboard`, evil[at].slice(0, 40));
  }
  assert.deepEqual(context.complaints, []);
});

const nasty = {
  markup: `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`,
  bidi: "\u202Egnp.exe\u202C and \u2067back\u2069",
  long: "x".repeat(200),
  invisible: "zero\u200Bwidth\u200Djoined\uFEFF",
  emoji: "👩‍👩‍👧‍👦🏴‍☠️".repeat(12),
};
await step("what others have written is shown as text, within its place, on list, record and board", async () => {
  const program = await client();
  const pipeline = (await program.api("GET", "/api/pipeline")).items[0];
  const made = [];
  for (const [kind, text] of Object.entries(nasty)) {
    const { id } = await program.api("POST", "/api/contacts", {
      displayName: text,
      companyName: text,
      tags: [text.slice(0, 40).replaceAll(",", " ").trim()],
    });
    await program.api("PUT", `/api/pipeline/${id}/move`, { pipelineId: pipeline.pipelineId, stageId: pipeline.stages[0].stageId });
    await program.api("POST", `/api/contacts/${id}/notes`, {
      body: `${text} [bad](javascript:alert(1)) ${"y".repeat(10_000)}`,
      format: "markdown",
    });
    made.push([kind, id]);
  }
  const context = await profile();
  const page = await signedIn(context);
  for (const path of ["/dashboard", "/contacts", "/pipeline", ...made.map(([, id]) => `/contacts/${id}`)])
    for (const width of wanted.long ? [1280, 320] : [320]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(origin + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
      if (path !== "/dashboard") await page.locator("[data-card], [data-index], [data-field]").first().waitFor();
      const found = await page.evaluate(() => ({
        title: document.title,
        images: document.querySelectorAll("img[src=x], a[href^=javascript]").length,
        sideways: document.documentElement.scrollWidth - innerWidth,
        // What turns the direction is kept within its own element.
        loose: [...document.querySelectorAll("main *")]
          .filter(
            (each) =>
              [...each.childNodes].some((node) => node.nodeType === 3 && /[\u202e\u2067]/.test(node.data)) &&
              !/isolate|plaintext/.test(getComputedStyle(each).unicodeBidi) &&
              !each.closest("bdi, [dir=auto], textarea, option"),
          )
          .map((each) => each.outerHTML.slice(0, 200)),
      }));
      assert.notEqual(found.title, "owned");
      assert.deepEqual([found.images, found.loose], [0, []], path);
      assert.ok(found.sideways <= 0, `${path} scrolls sideways by ${found.sideways} px at ${width} px`);
    }
  assert.deepEqual(context.complaints, []);
  for (const [, id] of made) await program.api("DELETE", `/api/contacts/${id}`);
});

const corpus = new URL(wanted.corpus);
/** Files that are taken in part, refused by what they are, by what stands in them, by their columns, and those that are said where they go. */
const few = /^(csv_(gzip|too_wide|white_space|zero_bytes)|generic_(limits|no_header)\.|json_faults|vcard_(bad_values|syntax))/;
await step("files of all kinds are told of in the wizard as the API tells of them, in words", async () => {
  const page = await signedIn(await profile());
  const at = () => page.locator("[aria-current=step]").textContent();
  const settled = () =>
    page.waitForFunction(
      () =>
        (document.querySelector("main [role=alert]") || document.querySelector("[aria-current=step]")?.textContent !== "File") &&
        !document.querySelector("main [aria-busy=true]"),
    );
  for (const file of readdirSync(corpus).filter(
    (name) => !/\.(expected|options)\.json$|README/.test(name) && (wanted.long || few.test(name)),
  )) {
    const form = new FormData();
    form.set("options", JSON.stringify({ dryRun: true }));
    form.set("file", new Blob([readFileSync(new URL(file, corpus))]), file);
    const report = await (
      await fetch(`${wanted.service}/api/contacts/import`, {
        method: "POST",
        headers: { Authorization: `Bearer ${(await client()).token}` },
        body: form,
      })
    ).json();
    await page.goto(`${origin}/imports/new`);
    await page.locator("input[type=file]").setInputFiles(fileURLToPath(new URL(file, corpus)));
    await settled();
    if (report.errors && !report.importId) {
      const told = (await page.locator("main [role=alert]").allTextContents()).join();
      assert.match(told.replace(file, ""), /^[^_]+$/, file);
      // Where columns go can be said.
      assert.equal(await at(), report.errors[0].code === "no_header" ? "What it is" : "File", file);
      continue;
    }
    for (let step; (step = await at()) !== "Preview"; await settled()) {
      await page.getByRole("button", { name: "Next" }).click();
      await page.waitForFunction((before) => document.querySelector("[aria-current=step]").textContent !== before, step);
    }
    const { rows, created, updated, skipped, failed } = report.totals;
    assert.deepEqual((await page.locator("main dl dd").allTextContents()).map(Number), [rows, created, updated, skipped, failed], file);
    const cells = await page
      .getByRole("group", { name: /^\d+ problems?$/ })
      .locator("tbody tr")
      .evaluateAll((found) => found.map((row) => [...row.cells].map((cell) => cell.textContent)));
    assert.deepEqual(
      cells.map((each) => each.slice(0, 3)),
      report.errors.map((each) => [String(each.row), each.column || each.field, each.value]),
      file,
    );
    for (const [, , , words] of cells) assert.match(words, /^\p{Lu}.*\.$/u, file);
  }
});

await step("without JavaScript a page says what it needs", async () => {
  const page = await (await profile({ javaScriptEnabled: false })).newPage();
  await page.goto(`${origin}/contacts`);
  // Where there are no scripts, what stands in it is a part of the page.
  const words = page.locator("noscript");
  assert.match(await words.innerText(), /These pages need JavaScript/);
  await words.getByRole("link", { name: "load this page again" }).click();
  assert.equal(page.url(), `${origin}/contacts`);
  await words.getByRole("link", { name: "the sign-in service's own pages" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

await step("an answer that is none of the server's is said, and the page stays usable", async () => {
  const context = await profile();
  const page = await signedIn(context);
  const portal = (route) =>
    route.fulfill({ status: 200, contentType: "text/html", body: "<!doctype html><title>Free WiFi</title><h1>Accept our terms</h1>" });
  for (const [path, name] of [
    ["/contacts", "Contacts"],
    ["/pipeline", "Pipeline"],
    ["/imports", "Imports"],
    ["/dashboard", "Dashboard"],
  ].slice(0, wanted.long ? 4 : 1)) {
    await context.route("**/api/contacts**", portal);
    await context.route("**/api/pipeline**", portal);
    await page.goto(origin + path);
    // At once where it was refused, else after ten seconds of waiting.
    await page
      .getByRole("button", { name: /Try again/ })
      .first()
      .waitFor();
    await context.unrouteAll({ behavior: "ignoreErrors" });
    // All parts of the page that have failed.
    await soon(async () => {
      const again = page.getByRole("button", { name: /Try again/ });
      if ((await again.count()) === 0) return true;
      await again
        .first()
        .click()
        .catch(() => undefined);
      return false;
    });
    await page.getByRole("navigation").getByRole("link", { name }).first().waitFor();
  }
  assert.deepEqual(context.complaints, []);
});

await step("a body that is cut, and one of another time, are said", async () => {
  const context = await profile();
  const page = await signedIn(context);
  for (const body of ['{"items":[{"id":"con_', '{"items":null}', '{"entries":[]}', "[]", "null"]) {
    await context.route("**/api/contacts?**", (route) => route.fulfill({ status: 200, contentType: "application/json", body }));
    await page.goto(`${origin}/contacts`);
    await heading(page, "Contacts");
    await page
      .getByRole("button", { name: /Try again/ })
      .first()
      .waitFor();
    await context.unroute("**/api/contacts?**");
  }
  assert.deepEqual(context.complaints, []);
});

await step("without cookies one works in the tab, and is asked again when the token is over", async () => {
  const context = await profile();
  await context.route("**/api/auth/**", async (route) => {
    if (/session-events|changes/.test(route.request().url())) return route.fallback();
    const { status, headers, body } = await unseen(route.request());
    delete headers["set-cookie"];
    return route.fulfill({ status, headers, body });
  });
  const page = await signedIn(context);
  await page.reload();
  await heading(page, "Dashboard");
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await page.waitForURL(/\/login\?/);
  await page.getByLabel("E-mail").waitFor();
});

await step("hands that are too fast write once", async () => {
  const context = await profile();
  const page = await signedIn(context);
  const { api } = await client();
  const hands = {
    Double: () => page.getByRole("button", { name: "Create contact" }).dblclick(),
    Held: async () => {
      for (let times = 0; times < 15; ++times) await page.keyboard.down("Enter");
      await page.keyboard.up("Enter");
    },
  };
  for (const [name, act] of Object.entries(hands)) {
    await page.goto(`${origin}/contacts/new`);
    await page.getByLabel("First name").fill("Hands");
    await page.getByLabel("Last name").fill(name);
    await act();
    await page.waitForURL(/\/contacts\/con_/);
    const found = await api("GET", `/api/contacts?q=${name}&fields=displayName`);
    assert.deepEqual(
      found.items.map(({ displayName }) => displayName),
      [`Hands ${name}`],
    );
  }
  assert.deepEqual(context.complaints, []);
});

await step("Back leaves the palette with its page, and the list of apps is within reach of the keys from the start", async () => {
  const context = await profile();
  const page = await signedIn(context);
  await page.getByRole("link", { name: "Contacts" }).first().click();
  await heading(page, "Contacts");
  for (const key of ["Control+k", "?"]) {
    await page.keyboard.press(key);
    await page.getByRole("dialog").waitFor();
    await page.goBack();
    await heading(page, "Dashboard");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.goForward();
    await heading(page, "Contacts");
    assert.equal(await page.getByRole("dialog").count(), 0);
  }
  // Its answer has not come yet.
  await context.route("**/app-switcher**", () => undefined);
  await page.keyboard.press("g");
  const apps = page.getByRole("menu", { name: "Other apps" });
  await apps.waitFor();
  await page.keyboard.press("Escape");
  await apps.waitFor({ state: "detached" });
  assert.deepEqual(context.complaints, []);
});

/** An answer of the service with something in it changed. */
const changed = (path, change) => [
  path,
  async (route) => {
    if (route.request().method() !== "GET") return route.fallback();
    const { status, body } = await unseen(route.request());
    return route.fulfill({ status, json: change(JSON.parse(body)) });
  },
];
await step("a zone, a language and a currency that this browser does not know break no page", async () => {
  const program = await client();
  const { id } = await program.api("POST", "/api/contacts", { displayName: "Of Atlantis" });
  const context = await profile();
  await context.route(...changed("**/api/auth/me", (me) => ({ ...me, user: { ...me.user, timezone: "Europe/Atlantis", locale: "de-" } })));
  await context.route(
    ...changed("**/api/pipeline?**", (list) => ({ ...list, items: list.items.map((each) => ({ ...each, currency: "shell" })) })),
  );
  const page = await signedIn(context);
  for (const [path, name] of [
    [`/contacts/${id}`, "Of Atlantis"],
    ["/pipeline", "Sales"],
    ["/imports", "Imports"],
    ["/dashboard", "Dashboard"],
  ]) {
    await page.goto(origin + path);
    await heading(page, name);
    await page.locator("main:not(:has([aria-busy=true]))").waitFor();
    assert.deepEqual(await page.getByRole("alert").allTextContents(), [], path);
  }
  assert.deepEqual(context.complaints, []);
});

await step("a computer whose clock is five hours behind says when things were by the server's", async () => {
  const program = await client();
  const { id } = await program.api("POST", "/api/contacts", { displayName: "Just made" });
  const context = await profile();
  await context.clock.install({ time: Date.now() - 5 * 3_600_000 });
  const page = await signedIn(context);
  await page.goto(`${origin}/contacts/${id}`);
  await heading(page, "Just made");
  const made = page.getByRole("listitem").filter({ hasText: "Created" }).first();
  await made.getByText(/now|seconds? ago|minutes? ago/).waitFor();
  assert.doesNotMatch(await made.innerText(), /in \d+ hours/);
});

await step("pages that the browser translates go on working", async () => {
  const context = await profile();
  const page = await signedIn(context);
  /** As browsers do it: each text is taken out of the page, and stands in elements of theirs. */
  const translate = () =>
    page.evaluate(() => {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const found = [];
      while (texts.nextNode()) if (texts.currentNode.data.trim()) found.push(texts.currentNode);
      for (const text of found) {
        const [outer, inner] = [document.createElement("font"), document.createElement("font")];
        inner.textContent = text.data.toUpperCase();
        outer.append(inner);
        text.replaceWith(outer);
      }
    });
  for (const path of ["/contacts", "/pipeline", "/imports", "/settings", "/dashboard"]) {
    await translate();
    await page.locator(`nav a[href="${path}"]`).first().click();
    await page.waitForURL(new RegExp(path));
    await page.locator("main:not(:has([aria-busy=true])) h1").first().waitFor({ state: "attached" });
  }
  assert.equal(await page.locator("main [role=alert]").count(), 0);
  assert.deepEqual(context.complaints, []);
});

await step("an extension that puts styles, attributes and elements into pages breaks none", async () => {
  const folder = mkdtempSync(join(tmpdir(), "portico-extension-"));
  const put = { matches: ["http://*/*"], css: ["all.css"], js: ["all.js"], run_at: "document_start" };
  writeFileSync(
    join(folder, "manifest.json"),
    JSON.stringify({ manifest_version: 3, name: "Dark and typed", version: "1", content_scripts: [put] }),
  );
  writeFileSync(
    join(folder, "all.css"),
    "* { background-color: #181a1b !important; color: #e8e6e3 !important; letter-spacing: 0.05em !important; }",
  );
  // As colour schemes, password managers and spelling checkers do it, again and again.
  writeFileSync(
    join(folder, "all.js"),
    `const mark = () => {
       const root = document.documentElement;
       if (document.head && !document.querySelector("style.theirs")) document.head.prepend(Object.assign(document.createElement("style"), { className: "theirs", textContent: "p { margin: 1px }" }));
       root.setAttribute("data-theirs", String(Date.now()));
       if (document.body && !document.querySelector("their-panel")) document.body.prepend(document.createElement("their-panel"));
       for (const field of document.querySelectorAll("input:not([data-theirs]), textarea:not([data-theirs])")) {
         field.setAttribute("data-theirs", "");
         field.style.setProperty("background-image", "none", "important");
         field.after(document.createElement("their-icon"));
       }
     };
     new MutationObserver(mark).observe(document, { childList: true, subtree: true });`,
  );
  const context = await chromium.launchPersistentContext("", {
    executablePath: wanted.browser,
    channel: "chromium",
    headless: true,
    args: ["--no-sandbox", "--disable-dev-shm-usage", `--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
    locale: "en-GB",
  });
  try {
    const faults = [];
    context.on("weberror", (error) => faults.push(String(error.error())));
    const page = await signedIn(context);
    await page.locator("their-panel").waitFor({ state: "attached" });
    await page.goto(`${origin}/contacts/new`);
    await page.getByLabel("First name").fill("Known");
    await page.getByLabel("Last name").fill("To an extension");
    await page.locator("their-icon").first().waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Create contact" }).click();
    await heading(page, "Known To an extension");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /Search pages/ }).fill("Pipeline");
    await page.keyboard.press("Enter");
    await heading(page, "Sales");
    await page.locator("main:not(:has([aria-busy=true]))").waitFor();
    assert.equal(await page.locator("main [role=alert]").count(), 0);
    assert.deepEqual(faults, []);
  } finally {
    await context.close();
    rmSync(folder, { recursive: true });
  }
});
