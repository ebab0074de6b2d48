// What the steps on the CRM's pages have in common.
import assert from "node:assert/strict";
import { fillSignIn, startSteps } from "./browser.mjs";

export const { program, suite, origin, service, screens, people } = JSON.parse(process.argv[2]);
export const { opened, step, finish } = await startSteps({ program, screens, suite, keep: true, options: { acceptDownloads: true } });

/** A tab of somebody who is signed in. */
export async function signedIn(who, options = {}) {
  const tab = await opened(options);
  await tab.goto(`${origin}/login`);
  await fillSignIn(tab, people[who]);
  await tab.getByRole("heading", { level: 1, name: "Dashboard" }).waitFor();
  return tab;
}

const token = await (async () => {
  const body = JSON.stringify({ identifier: people.owner[0], password: people.owner[1], service_id: "crm" });
  const answer = await fetch(`${service}/api/auth/login`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  return (await answer.json()).access_token;
})();

/** Another program of the same person, which changes what the page shows. */
export async function api(method, path, body) {
  const headers = { Authorization: `Bearer ${token}`, ...(body && { "Content-Type": "application/json" }) };
  const answer = await fetch(service + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}
export const contactNamed = async (name) =>
  (await api("GET", `/api/contacts?q=${encodeURIComponent(name)}`)).items.find((each) => each.displayName === name);
