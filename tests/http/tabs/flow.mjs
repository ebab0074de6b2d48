// The web kit's auth-client in tabs of a real Chromium, against a running porticod: only the pages' own files come from here, every request of theirs
// goes to the daemon. Each step that went as it should is a line of its own; the first that does not ends the program.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

const { program, kit, origin, authUrl, identity, service, ctl, clock, people } = JSON.parse(process.argv[2]);
const passed = (name) => console.log(name);
const script = await readFile(`${kit}/index.js`, "utf8");

// What the host will send with pages; whatever of the client does not keep to it shows here.
const policy = `default-src 'none'; script-src 'self'; connect-src 'self'; frame-src ${authUrl}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;
const files = {
  "/": ["text/html", '<!doctype html><title>Tab</title><body><script type="module" src="/page.js"></script>'],
  "/auth/callback": ["text/html", '<!doctype html><title>Callback</title><body><script type="module" src="/page.js"></script>'],
  "/kit.js": ["text/javascript", script],
  "/page.js": [
    "text/javascript",
    `import { createAuth } from "/kit.js"
    const auth = createAuth({ serviceId: "crm", authUrl: "${authUrl}" })
    window.auth = auth
    // As a framework that mounts everything twice.
    if (location.pathname === "/auth/callback") window.callback = Promise.allSettled([auth.completeCallback(), auth.completeCallback()])
    window.ask = async (path, init) => { try { return (await auth.fetch(path, init)).status } catch (error) { return error.code ?? error.name } }`,
  ],
};

const browser = await chromium.launch({
  executablePath: program,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
  ],
});

const isStream = (request) => request.url().endsWith("/api/auth/session-events");

/** One person's browser. `lacks` runs in every page before its own scripts. */
class Person {
  tabs = [];
  requests = [];
  /** Requests to which no answer has come. */
  unanswered = new Set();
  complaints = [];
  /** The tab that has opened a stream last. */
  reader = null;

  static async begin({ lacks, at } = {}) {
    const person = new Person();
    person.context = await browser.newContext();
    person.context.setDefaultTimeout(60_000);
    await person.context.clock.install({ time: at ?? Date.now() + moved * 1000 });
    if (lacks) await person.context.addInitScript(lacks);
    person.context.on("request", (request) => person.requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
    person.context.on("request", (request) => isStream(request) && (person.reader = request.frame().page()));
    person.context.on("request", (request) => person.unanswered.add(request));
    person.context.on("response", (response) => person.unanswered.delete(response.request()));
    person.context.on("requestfailed", (request) => person.unanswered.delete(request));
    person.context.on("weberror", (error) => person.complaints.push(error.error().stack));
    person.context.on(
      "console",
      (message) => /Content Security|TrustedScript|TrustedHTML/.test(message.text()) && person.complaints.push(message.text()),
    );
    await person.context.route(
      (url) => url.origin === origin && url.pathname in files,
      (route) => {
        const [contentType, body] = files[new URL(route.request().url()).pathname];
        return route.fulfill({ contentType, body, headers: { "Content-Security-Policy": policy } });
      },
    );
    // Where a redirect leads to the daemon's own page answers, and must not take the code before the one of here does.
    await person.context.route(
      (url) => url.origin === origin && url.pathname.endsWith(".js") && !(url.pathname in files),
      (route) => route.abort(),
    );
    return person;
  }

  async open(path = "/") {
    const tab = await this.context.newPage();
    await tab.goto(origin + path);
    await tab.waitForFunction(() => window.auth);
    this.tabs.push(tab);
    return tab;
  }

  each = (work) => Promise.all(this.tabs.map(work));
  count = (request) => this.requests.filter((each) => each === request).length;
  refreshes = () => this.count("POST /api/auth/refresh");
  ask = (path = "/api/contacts", init = {}) => this.each((tab) => tab.evaluate(([path, init]) => window.ask(path, init), [path, init]));
  start = (tab, options) => tab.evaluate((options) => window.auth.start(options).then(({ status }) => status), options);
  until = (condition, ...more) => this.each((tab) => tab.waitForFunction(condition, ...more));

  signIn(tab, [identifier, password] = people.member) {
    return tab.evaluate(([identifier, password]) => window.auth.signIn({ identifier, password }), [identifier, password]);
  }

  /** Until all requests are answered, or those that are not will not be. */
  async isQuiet() {
    for (let left = 1_000; this.unanswered.size && left; --left) await new Promise((done) => setTimeout(done, 20));
  }

  /** Until identity has sent a tab to the callback page. What a redirect leads to is not ours to answer, so the address is opened once more. */
  async comesBack(tab) {
    await tab.waitForURL(/\/auth\/callback/);
    await tab.goto(tab.url());
    await tab.waitForFunction(() => window.callback);
  }

  async end() {
    assert.deepEqual(this.complaints, []);
    await this.context.close();
  }
}

let moved = 0;
/** Time passes for the daemon and for the pages of `person`, as for a computer that has slept. */
async function pass(seconds, person) {
  // An answer that came in between would tell a page of a clock that is not its own.
  await person.isQuiet();
  moved += seconds;
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(moved));
  await writeFile(clock, bytes, { flag: "r+" });
  await person.context.clock.fastForward(seconds * 1000);
}

const operate = (...words) => promisify(execFile)(ctl[0], [...ctl.slice(1), ...words]);

/** A call of identity by the organization's owner. */
async function asOwner(method, path, body) {
  const [identifier, password] = people.owner;
  const call = (method, path, body, token) =>
    fetch(identity + path, {
      method,
      headers: { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) },
      body: body && JSON.stringify(body),
    });
  const { access_token: token } = await (await call("POST", "/api/auth/login", { identifier, password, service_id: "identity" })).json();
  const answer = await call(method, path, body, token);
  assert(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`);
}

const signedIn = () => window.auth.state.status === "signedIn";
const otherToken = (old) => (sessionStorage["portico.crm.token"] ?? old) !== old;
const tokenOf = (tab) => tab.evaluate(() => sessionStorage["portico.crm.token"]);

async function tenTabs() {
  const ada = await Person.begin();
  const [first] = [await ada.open()];
  await ada.signIn(first);
  while (ada.tabs.length < 10) await ada.start(await ada.open());
  await ada.until(() => window.auth.can("contacts:read"));
  // Each new tab has asked once: a cookie is all that it has.
  assert.equal(ada.refreshes(), 9);
  assert.deepEqual(await ada.ask(), Array(10).fill(200));
  assert.equal(ada.count("GET /api/auth/session-events"), 1);
  passed("ten tabs sign in with one cookie and read one stream");

  await pass(700, ada);
  assert.deepEqual(await ada.ask(), Array(10).fill(200));
  assert.equal(ada.refreshes(), 10);
  passed("a token that is over is renewed once for ten tabs");

  const old = await tokenOf(first);
  await pass(560, ada);
  await ada.until(otherToken, old);
  const tokens = await Promise.all(ada.tabs.map(tokenOf));
  assert.equal(new Set(tokens.map((each) => JSON.parse(each).token)).size, 1);
  assert.equal(ada.refreshes(), 11);
  passed("a token is renewed once before it is over");

  await first.reload();
  await first.waitForFunction(() => window.auth);
  assert.equal(await ada.start(first), "signedIn");
  assert.deepEqual(await ada.ask(), Array(10).fill(200));
  assert.equal(ada.refreshes(), 11);
  passed("a reload of the page keeps the session without a refresh");

  await ada.context.setOffline(true);
  await pass(700, ada);
  assert.deepEqual(new Set(await ada.ask()), new Set(["unavailable"]));
  assert.equal(await ada.start(first), "signedIn");
  const lost = ada.refreshes();
  await ada.context.setOffline(false);
  assert.deepEqual(await ada.ask(), Array(10).fill(200));
  assert(ada.refreshes() - lost <= 2, `${ada.refreshes() - lost} refreshes for a network that is back`);
  passed("a lost network signs nobody out");

  await operate("disable", "identity");
  assert.deepEqual(await ada.ask(), Array(10).fill(503));
  await pass(700, ada);
  assert.deepEqual(new Set(await ada.ask()), new Set(["service_disabled"]));
  await ada.until(signedIn);
  await operate("enable", "identity");
  assert.deepEqual(await ada.ask(), Array(10).fill(200));
  passed("a server that cannot answer signs nobody out");

  const { userId, organizationId } = await first.evaluate(() => window.auth.state);
  await asOwner("PATCH", `/api/organizations/${organizationId}/members/${userId}`, { role: "guest" });
  await ada.until(() => !window.auth.can("contacts:read") && window.auth.state.role === "guest");
  await asOwner("PATCH", `/api/organizations/${organizationId}/members/${userId}`, { role: "member" });
  await ada.until(() => window.auth.can("contacts:read"));
  passed("another role reaches all tabs");

  // The tab that reads the stream for all is closed.
  await ada.start(await ada.open());
  const next = ada.context.waitForEvent("request", isStream);
  const { reader } = ada;
  await reader.close();
  ada.tabs = ada.tabs.filter((tab) => tab !== reader);
  await next;
  await asOwner("DELETE", `/api/users/${userId}/sessions`);
  await ada.until(() => window.auth.state.status === "signedOut");
  const reasons = await ada.each((tab) => tab.evaluate(() => window.auth.state.reason));
  assert.deepEqual(reasons, Array(10).fill("session_ended"));
  const silent = ada.requests.length;
  assert.deepEqual(new Set(await ada.ask()), new Set(["signed_out"]));
  await pass(3600, ada);
  assert.equal(ada.requests.length, silent);
  passed("a session that somebody else ends is over in all tabs, which are silent then");

  await ada.signIn(ada.tabs[0]);
  await ada.until(signedIn);
  assert.deepEqual(await ada.ask(), Array(10).fill(200));
  passed("signing in in one tab lets all go on");

  await ada.signIn(ada.tabs[3], people.owner);
  await ada.until((email) => window.auth.state.me?.user.email === email, people.owner[0]);
  assert.deepEqual(new Set(await ada.each((tab) => tab.evaluate(() => window.auth.can("contacts:purge")))), new Set([true]));
  passed("signing in as somebody else in one tab changes all");

  await ada.tabs[4].evaluate(() => window.auth.signOut());
  await ada.until(() => window.auth.state.reason === "signed_out");
  assert.deepEqual(await ada.each((tab) => tab.evaluate(() => Object.keys(sessionStorage))), Array(10).fill([]));
  const strangers = [await ada.open(), await ada.open(), await ada.open()];
  assert.deepEqual(await Promise.all(strangers.map((tab) => ada.start(tab))), Array(3).fill("signedOut"));
  passed("signing out reaches all tabs at once");
  await ada.end();
}

async function writing() {
  const ada = await Person.begin();
  const tab = await ada.open();
  await ada.signIn(tab);
  const send = (path, init) =>
    tab.evaluate(
      async ([path, init]) => {
        const answer = await window.auth.fetch(path, { ...init, headers: { "Content-Type": "application/json" } });
        return { status: answer.status, replayed: answer.headers.has("Idempotency-Replayed"), ...(await answer.json()) };
      },
      [path, init],
    );
  const creation = { method: "POST", body: '{"displayName":"Ada"}', idempotencyKey: "tab-12345678" };
  const made = await send("/api/contacts", creation);
  const again = await send("/api/contacts", creation);
  assert.deepEqual([made.status, made.replayed, again.id, again.replayed], [201, false, made.id, true]);
  const path = `/api/contacts/${made.id}`;
  const change = (displayName) => ({ method: "PUT", body: JSON.stringify({ displayName }), version: made.version });
  assert.equal((await send(path, change("Augusta"))).status, 200);
  assert.equal((await send(path, change("Byron"))).code, "version_conflict");
  passed("a POST that is repeated with its key creates once, and a change of an old version is refused");
  await ada.end();
}

async function unseen() {
  const ada = await Person.begin();
  const tab = await ada.open();
  await ada.signIn(tab);
  const show = (state) => shown(tab, state);
  const old = await tokenOf(tab);
  await show("hidden");
  await pass(560, ada);
  assert.deepEqual(await ada.ask(), [200]);
  assert.equal(ada.refreshes(), 0);
  await show("visible");
  await tab.waitForFunction(otherToken, old);
  await show("hidden");
  await pass(700, ada);
  assert.deepEqual(await ada.ask(), [200]);
  assert.equal(ada.refreshes(), 2);
  passed("a tab that nobody sees refreshes when a request needs it, and when it is seen");
  await ada.end();
}

const shown = (tab, state) =>
  tab.evaluate((state) => {
    Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);

async function withoutCoordination() {
  const ada = await Person.begin({
    lacks: () => {
      delete Navigator.prototype.locks;
      delete window.BroadcastChannel;
    },
  });
  await ada.signIn(await ada.open());
  while (ada.tabs.length < 6) await ada.start(await ada.open());
  // Their clocks are moved one after the other, which those of one computer never are: nobody refreshes in between.
  for (const tab of ada.tabs) await shown(tab, "hidden");
  await pass(700, ada);
  assert.deepEqual(await ada.ask(), Array(6).fill(200));
  await pass(700, ada);
  assert.deepEqual(await ada.ask(), Array(6).fill(200));
  passed("without locks and channels each tab refreshes, and stays signed in");
  await ada.end();
}

async function withoutStorage() {
  const ada = await Person.begin({
    lacks: () =>
      Object.defineProperty(window, "sessionStorage", {
        get() {
          throw new DOMException("Denied", "SecurityError");
        },
      }),
  });
  const tab = await ada.open();
  await ada.signIn(tab);
  await pass(700, ada);
  assert.deepEqual(await ada.ask(), [200]);
  await tab.reload();
  await tab.waitForFunction(() => window.auth);
  assert.equal(await ada.start(tab, { silent: true }), "signedIn");
  await tab.evaluate(() => window.auth.signOut());
  assert.equal(await tab.evaluate(() => window.auth.state.reason), "signed_out");
  passed("storage that throws is done without");
  await ada.end();
}

async function wrongClock() {
  const ada = await Person.begin({ at: Date.now() + moved * 1000 + 86_400_000 });
  const tab = await ada.open();
  await ada.signIn(tab);
  await ada.context.clock.fastForward(10_000);
  await tab.reload();
  await tab.waitForFunction(() => window.auth);
  await ada.start(tab);
  assert.deepEqual(await ada.ask(), [200]);
  assert.equal(ada.refreshes(), 0);
  passed("a computer whose clock is wrong by a day refreshes as others do");
  await ada.end();
}

async function singleSignOn() {
  const ada = await Person.begin();
  // Nobody is signed in at identity: one look there, and no second.
  const tab = await ada.open("/?q=ada");
  await tab.evaluate(() => void window.auth.start({ silent: true }));
  await ada.comesBack(tab);
  const [refused] = await tab.evaluate(() =>
    window.callback.then((all) => all.map(({ reason }) => ({ code: reason.code, returnTo: reason.details.returnTo }))),
  );
  assert.deepEqual(refused, { code: "login_required", returnTo: "/?q=ada" });
  await tab.goto(origin);
  await tab.waitForFunction(() => window.auth);
  assert.equal(await ada.start(tab, { silent: true }), "signedOut");
  assert.equal(ada.count("GET /sso/authorize"), 1);
  passed("a silent look at identity happens once");

  await tab.goto(await tab.evaluate(() => window.auth.authorizeUrl({ returnTo: "/?q=ada" })));
  await tab.fill("[name=identifier]", people.member[0]);
  await tab.fill("[name=password]", people.member[1]);
  await tab.click("form button:not([name])");
  await ada.comesBack(tab);
  const results = await tab.evaluate(() => window.callback.then((all) => all.map(({ value, reason }) => value?.returnTo ?? reason.code)));
  assert.deepEqual(results, ["/?q=ada", "/?q=ada"]);
  assert.equal(ada.count("POST /api/auth/sso/exchange"), 1);
  assert.equal(tab.url(), `${origin}/auth/callback`);
  assert.deepEqual(await ada.ask(), [200]);
  passed("a callback that is mounted twice exchanges once, and takes the code out of the address");

  await tab.evaluate(() => window.auth.signOut({ scope: "app" }));
  const other = await ada.open();
  await other.evaluate(() => void window.auth.start({ silent: true }));
  await ada.comesBack(other);
  await other.waitForFunction(() => window.auth?.state.status === "signedIn");
  await tab.waitForFunction(signedIn);
  passed("who is signed in at identity is signed in here without a page");

  await other.evaluate(() => window.auth.signOut());
  await tab.waitForFunction(() => window.auth.state.reason === "signed_out");
  await tab.goto(await tab.evaluate(() => window.auth.authorizeUrl()));
  await tab.waitForSelector("[name=password]");
  passed("signing out of the browser signs out at identity, too");
  await ada.end();
}

async function headless() {
  const { createHeadless, createValidator } = await import(`${kit}/node.js`);
  const [identifier, password] = people.member;
  const robot = createHeadless({ apiUrl: service, serviceId: "crm", identifier, password });
  assert.equal((await robot.fetch("/api/contacts")).status, 200);
  const validate = createValidator({ authUrl: identity, serviceId: "crm" });
  const authorization = `Bearer ${await robot.token()}`;
  const caller = await validate({ authorization }, ["crm.contacts:read"]);
  assert.equal(caller.role, "member");
  assert(caller.permissions.includes("crm.contacts:read") && caller.organizationId.startsWith("org_"));
  await assert.rejects(validate({ authorization }, ["crm.pipeline:admin"]), { status: 403, code: "permission_denied" });
  await assert.rejects(createValidator({ authUrl: identity, serviceId: "identity" })({ authorization }), {
    status: 401,
    code: "invalid_token",
  });
  await asOwner("DELETE", `/api/users/${caller.principalId}/sessions`);
  await assert.rejects(validate({ authorization }), { status: 401, code: "invalid_token" });
  assert.equal((await robot.fetch("/api/contacts")).status, 200);
  await operate("disable", "identity");
  await assert.rejects(validate({ authorization }), { status: 503, code: "validation_unavailable" });
  await operate("enable", "identity");
  await assert.rejects(createHeadless({ apiUrl: service, serviceId: "crm", identifier, password: "wrong" }).token(), {
    status: 401,
    code: "invalid_credentials",
  });
  passed("a program signs in, and a backend asks whose a token is");
}

try {
  for (const step of [tenTabs, writing, unseen, withoutCoordination, withoutStorage, wrongClock, singleSignOn, headless]) await step();
} finally {
  await browser.close();
}
