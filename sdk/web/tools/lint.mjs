// Rules that types do not see, over the sources of packages and apps: lint.mjs FOLDER… Tells each place, and fails where there is one.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseAst } from "rolldown/parseAst";

/** They write style elements, which the policy of our pages refuses (docs/web.md). */
const writers = new Set(["AppShell", "Drawer", "Flex", "Grid", "InlineStyles", "Modal", "SimpleGrid", "Spotlight"]);
/** Props that take an object by breakpoint, which becomes a style element. */
const styleProps =
  /^([mp][trblxyse]?|[mc]?[wh]|mi[wh]|ma[wh]|fz|fw|lh|ta|bg|c|gap|cols|span|visibleFrom|hiddenFrom|opacity|display|pos|top|left|bottom|right|inset|flex)$/;
/** Attributes that people read or hear. */
const spoken = /^(alt|aria-(label|description|placeholder|roledescription|valuetext)|description|error|label|placeholder|title)$/;
const forbiddenGlobals = {
  localStorage: "only the theme and the density are kept there",
  eval: "the policy refuses it",
  Function: "the policy refuses it",
};
const forbiddenMembers = { innerHTML: true, outerHTML: true, insertAdjacentHTML: true, write: "document" };

const problems = [];
/** Maps each file to the files of its folder that it imports, type-only and dynamic imports included. */
const imports = new Map();
for (const folder of process.argv.slice(2)) for (const file of sources(folder)) check(file);
for (const circle of circles())
  problems.push(
    `${circle[0]}: an import circle: ${[...circle, circle[0]].map((file) => relative(".", file)).join(" > ")}; move what both need to a third file`,
  );
problems.forEach((each) => console.error(each));
process.exit(problems.length ? 1 : 0);

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return ["node_modules", "examples", "tests"].includes(entry.name) ? [] : sources(join(folder, entry.name));
    return /\.tsx?$/.test(entry.name) && !/\.(d|test)\.tsx?$/.test(entry.name) ? [join(folder, entry.name)] : [];
  });
}

function check(file) {
  const text = readFileSync(file, "utf8");
  const tell = (node, what) => problems.push(`${file}:${text.slice(0, node.start).split("\n").length}: ${what}`);
  const near = new Set();
  imports.set(resolve(file), near);
  walk(parseAst(text, { lang: file.endsWith("x") ? "tsx" : "ts" }), (node) => {
    const from = /^(Import|Export(Named|All))(Declaration|Expression)$/.test(node.type) ? node.source?.value : undefined;
    if (typeof from === "string" && from.startsWith(".")) near.add(resolve(dirname(file), from));
    if (node.type === "ImportDeclaration" && node.source.value === "@mantine/core")
      for (const { imported } of node.specifiers)
        if (imported && writers.has(imported.name))
          tell(node, `${imported.name} of Mantine writes a style element; use a part of the kit or a CSS module`);
    if (node.type === "JSXText" && /\p{L}/u.test(node.value))
      tell(node, `a text outside the catalogs: "${node.value.trim().slice(0, 40)}"`);
    if (node.type === "JSXAttribute" && node.value) attribute(node, tell);
    if ((node.type === "CallExpression" || node.type === "NewExpression") && ["eval", "Function"].includes(node.callee.name))
      tell(node, forbiddenGlobals[node.callee.name]);
    if (node.type === "Identifier" && node.name === "localStorage" && !/theme\.ts$/.test(file)) tell(node, forbiddenGlobals.localStorage);
    if (
      node.type === "MemberExpression" &&
      forbiddenMembers[node.property.name] &&
      (forbiddenMembers[node.property.name] === true || node.object.name === "document")
    )
      tell(node, "markup from a text: build elements instead");
  });
}

/** The shortest way back to each file that has one; of several files in one circle only the first. */
function circles() {
  const found = [];
  const done = new Set();
  for (const start of [...imports.keys()].sort()) {
    const before = new Map([[start, null]]);
    const next = [start];
    for (let file = next.shift(); file !== undefined && !done.has(start); file = next.shift())
      for (const to of imports.get(file) ?? []) {
        if (to === start) {
          const circle = [];
          for (let at = file; at !== null; at = before.get(at)) circle.unshift(at);
          circle.forEach((each) => done.add(each));
          found.push(circle);
          break;
        }
        if (!before.has(to)) next.push(before.set(to, file) && to);
      }
  }
  return found;
}

function attribute(node, tell) {
  const name = node.name.name ?? "";
  const value = node.value.type === "JSXExpressionContainer" ? node.value.expression : node.value;
  if (name === "dangerouslySetInnerHTML") tell(node, "markup from a text: build elements instead");
  if (spoken.test(name) && value.type === "Literal" && /\p{L}/u.test(String(value.value)))
    tell(node, `a text outside the catalogs: ${name}="${value.value}"`);
  if (styleProps.test(name) && value.type === "ObjectExpression")
    tell(node, `${name} by breakpoint writes a style element; use a CSS module`);
}

function walk(node, visit) {
  if (Array.isArray(node)) return node.forEach((each) => walk(each, visit));
  if (typeof node?.type !== "string") return;
  visit(node);
  for (const value of Object.values(node)) if (typeof value === "object" && value !== null) walk(value, visit);
}
