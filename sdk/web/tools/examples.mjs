// Writes the examples in the comments of a package's exported names as programs, to be compiled and run: examples.mjs PACKAGE. What is exported
// without a comment or an example is told of.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const folder = process.argv[2];
const { name: packageName, exports: entries, dependencies = {} } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
const ending = "react" in dependencies ? "tsx" : "ts";
const sources = readdirSync(`${folder}/src`, { recursive: true })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => readFileSync(`${folder}/src/${file}`, "utf8"));

const kinds = new Map();
const comments = new Map();
for (const source of sources) {
  for (const [, kind, name] of source.matchAll(/^export (?:async )?(function|interface|type|class|const) (\w+)/gm)) kinds.set(name, kind);
  for (const [, comment, name] of source.matchAll(
    /\/\*\*((?:(?!\*\/)[^])*)\*\/\nexport (?:async )?(?:function|interface|type|class|const) (\w+)/g,
  ))
    comments.set(name, comment);
}

/** The names of an entry, its own and those that it hands on; those of another package of the kit have their example there. */
const elsewhere = new Set();
function exported(file) {
  const source = readFileSync(`${folder}/${file}`, "utf8");
  const handedOn = [...source.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)"/gm)].flatMap(([, list, from]) => {
    const names = list
      .split(",")
      .map((each) => each.trim().replace(/^type /, ""))
      .filter(Boolean);
    if (from.startsWith("@portico/")) names.forEach((each) => elsewhere.add(each));
    return names;
  });
  return [...handedOn, ...[...source.matchAll(/^export (?:function|interface|type|class|const) (\w+)/gm)].map(([, name]) => name)];
}

const home = new Map();
for (const [path, file] of Object.entries(entries).filter(([, each]) => !each.endsWith(".css")))
  for (const name of exported(file)) if (!home.has(name)) home.set(name, packageName + path.slice(1));

rmSync(`${folder}/examples`, { recursive: true, force: true });
mkdirSync(`${folder}/examples`);
const missing = [];
for (const name of home.keys()) {
  if (elsewhere.has(name)) continue;
  const [purpose, example] = (comments.get(name) ?? "").replace(/^ *\* ?/gm, "").split("@example");
  if (!purpose.trim() || !example?.trim()) {
    missing.push(name);
    continue;
  }
  const used = [...home].filter(([each]) => new RegExp(`\\b${each}\\b`).test(example));
  const imports = used.map(
    ([each, from]) => `import { ${/interface|type/.test(kinds.get(each)) ? "type " : ""}${each} } from "${from}";\n`,
  );
  writeFileSync(`${folder}/examples/${name}.${ending}`, `${imports.join("")}${example.trim()}\nexport {};\n`);
}
if (missing.length) {
  console.error(`Exported without a comment and an example: ${missing.join(", ")}`);
  process.exit(1);
}
