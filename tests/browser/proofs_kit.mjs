// What the parts of proofs.mjs share: steps, browsers, programs of people, and what can be done to the server, its clock and the network.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { interceptsAtOnce } from "./browser.mjs";

export const wanted = JSON.parse(process.argv[2]);
const { program, origin, service, identity, metrics, ctl, clock, screens, people } = wanted;
export const browser = await chromium.launch({
  executablePath: program,
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
  timeout: 120_000,
});
mkdirSync(screens, { recursive: true });

let [passed, failed] = [0, 0];
let contexts = [];

export async function step(name, work) {
  const began = Date.now();
  try {
    const said = await work();
    ++passed;
    if (wanted.long) console.log(`${name}: ${((Date.now() - began) / 1_000).toFixed(0)} s${said ? `; ${said}` : ""}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED ${name}\n${error.stack}`);
    for (const [at, page] of contexts
      .flatMap((each) => each.pages())
      .slice(0, 3)
      .entries()) {
      console.log(await page.evaluate(() => `${location.href}: ${document.body.innerText.slice(0, 300)}`).catch(String));
      await page.screenshot({ path: `${screens}/proofs-failed-${failed}-${at}.png`, timeout: 5_000 }).catch(() => undefined);
    }
  }
  await Promise.all(contexts.map((each) => each.close()));
  contexts = [];
}

/** A new browser profile. What its pages throw is a fault; what they say of answers that are meant to be refusals is none. */
export async function profile(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB", ...options });
  interceptsAtOnce(context);
  context.setDefaultTimeout(60_000);
  context.complaints = [];
  context.on("weberror", (error) => context.complaints.push(String(error.error())));
  context.on(
    "console",
    (message) => /Content Security|TrustedScript|TrustedHTML/.test(message.text()) && context.complaints.push(message.text()),
  );
  contexts.push(context);
  return context;
}

export async function fillSignIn(page, who = "owner") {
  await page.getByLabel("E-mail").fill(people[who][0]);
  await page.getByLabel("Password", { exact: true }).fill(people[who][1]);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

export async function signedIn(context, who = "owner") {
  const page = await context.newPage();
  await page.goto(`${origin}/login`);
  await fillSignIn(page, who);
  await heading(page, "Dashboard");
  return page;
}

export const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();

/** A program of somebody's, on a session of its own. */
export async function client(who = "owner", at = service, serviceId = "crm") {
  const login = await fetch(`${at}/api/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ identifier: people[who][0], password: people[who][1], service_id: serviceId }),
  });
  const { access_token: token } = await login.json();
  const call = async (method, path, body, headers = {}) => {
    const sent = { Authorization: `Bearer ${token}`, ...(body && { "Content-Type": "application/json" }), ...headers };
    return fetch(at + path, { method, headers: sent, ...(body && { body: JSON.stringify(body) }) });
  };
  const api = async (method, path, body) => {
    const answer = await call(method, path, body);
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : null;
  };
  return { token, call, api };
}

/** Waits for what no page shows. */
export async function soon(holds) {
  for (let left = 600; !(await holds()); --left) {
    assert.ok(left > 0, `never: ${holds}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

export const operate = (...words) => promisify(execFile)(ctl[0], [...ctl.slice(1), ...words]);

/** A number that the server has counted, over all of its labels that are given. */
export async function counted(name, labels = {}) {
  const text = await (await fetch(metrics)).text();
  const fits = (line) =>
    /^[{ ]/.test(line.slice(name.length)) &&
    line.startsWith(name) &&
    Object.entries(labels).every(([key, value]) => line.includes(`${key}="${value}"`));
  return text
    .split("\n")
    .filter(fits)
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

let moved = 0;
/** Time passes for the server and for the pages, as for a computer that has slept. */
export async function pass(seconds, ...pages) {
  moved += seconds;
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(moved));
  writeFileSync(clock, bytes, { flag: "r+" });
  await Promise.all(pages.map((context) => context.clock.fastForward(seconds * 1_000)));
}
export const serverNow = () => Date.now() + moved * 1_000;

/** A request of a page, sent by a program: the page does not learn of the answer, nor the browser of its cookies. */
export async function unseen(sent) {
  const { host, pathname, search } = new URL(sent.url());
  const options = {
    host: "127.0.0.1",
    port: new URL(service).port,
    path: pathname + search,
    method: sent.method(),
    headers: { ...(await sent.allHeaders()), host, "accept-encoding": "identity" },
  };
  return new Promise((done, fail) => {
    const program = request(options, async (answer) => {
      const body = Buffer.concat(await answer.toArray());
      done({ status: answer.statusCode, headers: answer.headers, body });
    });
    program.on("error", fail).end(sent.postData() ?? undefined);
  });
}

let daemon = { pid: wanted.pid };
const started = [];
process.on("exit", () => started.forEach((each) => each.kill("SIGKILL")));
/** kill -9. */
export function kill() {
  process.kill(daemon.pid, "SIGKILL");
}
/** Starts it again; resolves when it serves. */
export async function start() {
  daemon = spawn(wanted.command[0], wanted.command.slice(1), { env: { ...process.env, ...wanted.environment }, stdio: "ignore" });
  started.push(daemon);
  await soon(() =>
    fetch(`${service}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}

export async function end() {
  await browser.close();
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}
