// Finishes a bundled app: pack.mjs OUT SERVICE [HOME]. Checks what its licences allow and what its first views weigh (gzip), writes licenses.txt and build.json, and
// compresses. HOME is the source of the first page. A function of the files: two builds, same bytes.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [out, service, home = ""] = process.argv.slice(2);
const limits = { login: 110, first: 200, more: 25, style: 20 };
const mayEnter = /^\(?(MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|CC0-1\.0|Unlicense|Zlib|BlueOak-1\.0\.0)( (AND|OR) .*)?\)?$/;

const fail = (text) => {
  console.error(`${service}: ${text}`);
  process.exit(1);
};
const files = (folder = "") =>
  readdirSync(join(out, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)]));
const content = (file) => readFileSync(join(out, file));
const gzip = (file) => gzipSync(content(file), { level: 9 });

licences();
const manifest = JSON.parse(content(".vite/manifest.json"));
rmSync(join(out, ".vite"), { recursive: true });
budgets();

const build = createHash("sha256");
for (const file of files()) build.update(file).update("\0").update(content(file));
const entry = Object.values(manifest).find((each) => each.isEntry).file;
writeFileSync(join(out, "build.json"), `${JSON.stringify({ service, build: build.digest("hex").slice(0, 16), entry: `/${entry}` })}\n`);
for (const file of files())
  if (/\.(js|css|html|json|svg|txt)$/.test(file)) {
    writeFileSync(join(out, `${file}.gz`), gzip(file));
    writeFileSync(
      join(out, `${file}.br`),
      brotliCompressSync(content(file), { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 } }),
    );
  }

function licences() {
  const packages = JSON.parse(content("licenses.json")).filter((each) => !each.name.startsWith("@portico/"));
  const refused = packages.filter((each) => !mayEnter.test(each.identifier ?? ""));
  if (refused.length) fail(`licences that may not enter: ${refused.map((each) => `${each.name} (${each.identifier})`).join(", ")}`);
  const rule = `\n${"-".repeat(80)}\n`;
  const texts = packages
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((each) => `${each.name} ${each.version} (${each.identifier})\n\n${(each.text ?? "").trim()}\n`);
  writeFileSync(join(out, "licenses.txt"), texts.join(rule));
  rmSync(join(out, "licenses.json"));
}

/** The manifest's names of what is loaded with a chunk. */
function closure(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const each of manifest[name].imports ?? []) closure(each, seen);
  return seen;
}

/** Bytes of the scripts of chunks. */
function weigh(names) {
  return [...new Set([...names].map((name) => manifest[name].file))].reduce((bytes, file) => bytes + gzip(file).length, 0);
}

function budgets() {
  const found = (part) => Object.keys(manifest).find((name) => name.endsWith(part)) ?? fail(`no chunk of ${part}`);
  const start = Object.keys(manifest).find((name) => manifest[name].isEntry);
  const theme = files().find((file) => /assets\/theme-/.test(file));
  const together = (...parts) => weigh(new Set([start, ...parts].flatMap((name) => [...closure(name)])));
  const shell = Object.keys(manifest).find((name) => manifest[name].name === "shell") ?? fail("no chunk of the shell");
  const views = { "/login": [together(found("app-shell/src/login/SignInPage.tsx")), limits.login] };
  const pages = (manifest[start].dynamicImports ?? []).filter((name) => name.endsWith(".tsx") && !name.includes("app-shell/"));
  const first = home && pages.find((name) => name.endsWith(home));
  views["first page"] = [together(shell, ...(first ? [first] : [])), limits.first];
  for (const name of pages) if (name !== first) views[name] = [together(shell, name), limits.first + limits.more];
  const weighed = { style: [gzip(files().find((file) => /assets\/style-/.test(file))).length, limits.style] };
  for (const [view, [script, limit]] of Object.entries(views)) weighed[view] = [script + gzip(theme).length, limit];
  for (const [what, [bytes, limit]] of Object.entries(weighed)) {
    console.log(`${service} ${what}: ${(bytes / 1024).toFixed(1)} KiB of ${limit}`);
    if (bytes > limit * 1024) fail(`${what} is over its budget`);
  }
}
