// A plugin's app in a real Chromium, before a daemon of its own (docs/plugin-guide.md, section 8). What is run stands in the environment, which
// portico_add_plugin_tests sets: PORTICO_SERVICE, PORTICO_DAEMON and PORTICO_CTL (programs), PORTICO_CONFIG (the build's porticod.properties), PORTICO_CHROMIUM.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const {
  PORTICO_SERVICE: service,
  PORTICO_DAEMON: daemon,
  PORTICO_CTL: porticoctl,
  PORTICO_CONFIG: configuration,
  PORTICO_CHROMIUM: executablePath,
} = process.env;
const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
const [email, password] = ["ann@example.org", "correct horse battery"];

/**
 * Runs steps, `[name, work]` each, one after the other in one tab of somebody who has signed in as the owner of a new organization; prints "N passed, N
 * failed" and ends. `work` gets Playwright's `page`, its `origin`, and `accessible()`, which fails where axe finds a fault of any impact. What the console
 * says is a fault of the step.
 */
export async function inBrowser(steps) {
  const state = mkdtempSync(join(tmpdir(), `${service}-`));
  const port = await freePort();
  const running = spawn(
    daemon,
    ["--config", configuration, "--state", state, "--set", `server.port=${port}`, "--set", "server.bind=127.0.0.1"],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const log = [];
  let browser;
  let failed = 0;
  try {
    await ready(running, log);
    execFileSync(
      porticoctl,
      [
        "--socket",
        join(state, "control.sock"),
        "user",
        "create",
        "--email",
        email,
        "--organization",
        "zoo",
        "--role",
        "owner",
        "--password-stdin",
      ],
      { input: `${password}\n` },
    );
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
    const page = await browser.newPage({ locale: "en-GB", viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
    const complaints = [];
    page.on(
      "console",
      (message) =>
        ["error", "warning"].includes(message.type()) &&
        !/Failed to load resource|Permissions-Policy/.test(message.text()) &&
        complaints.push(message.text()),
    );
    page.on("pageerror", (error) => complaints.push(String(error)));
    const origin = `http://${service}.localhost:${port}`;
    await signIn(page, origin);
    for (const [name, work] of steps) {
      try {
        await work({ page, origin, accessible: () => accessible(page) });
        assert.deepEqual(complaints, [], "the page complained");
      } catch (error) {
        ++failed;
        console.log(`FAILED ${name}\n${error.stack}\n${log.slice(-20).join("\n")}`);
      }
      complaints.length = 0;
    }
  } finally {
    await browser?.close();
    running.kill();
    if (running.exitCode === null) await once(running, "exit");
    rmSync(state, { recursive: true, force: true });
  }
  console.log(`${steps.length - failed} passed, ${failed} failed`);
  process.exitCode = failed ? 1 : 0;
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

/** Until the daemon's log says so; its lines are kept. */
async function ready(running, log) {
  const said = new Promise((resolve, reject) => {
    for (const stream of [running.stdout, running.stderr])
      createInterface(stream).on("line", (line) => {
        log.push(line);
        if (/\bready\b/.test(line)) resolve();
      });
    running.on("error", reject);
    running.on("exit", () => reject(new Error(`porticod did not start:\n${log.join("\n")}`)));
  });
  await said;
}

async function signIn(page, origin) {
  await page.goto(`${origin}/login?return_to=%2F`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL((url) => url.pathname !== "/login");
}

/** No violation of WCAG 2.2 A and AA or of axe's best practices, once nothing moves that comes to an end. */
async function accessible(page) {
  await page.waitForFunction(() =>
    document.getAnimations().every((each) => each.playState !== "running" || each.effect.getComputedTiming().endTime === Infinity),
  );
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
  );
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id} ${nodes.map(({ target }) => target.join(" ")).join(", ")}`),
    [],
  );
}
