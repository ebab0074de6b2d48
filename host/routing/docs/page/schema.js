// Shows JSON Schemas of the document, and makes examples of them.

import { element, prose } from "./dom.js";

export function resolver(document) {
  return function resolve(schema) {
    let current = schema ?? {};
    // References of references are rare; a loop of them is not shown.
    for (let step = 0; current.$ref && step < 10; ++step) {
      current =
        current.$ref
          .slice(2)
          .split("/")
          .reduce((place, name) => place?.[name.replaceAll("~1", "/").replaceAll("~0", "~")], document) ?? {};
    }
    return current;
  };
}

export const refName = (schema) => schema?.$ref?.split("/").pop();

// A schema that may be null, as [schema, true].
function withoutNull(schema) {
  const options = schema.anyOf ?? schema.oneOf;
  if (options?.length === 2 && options.some((option) => option.type === "null"))
    return [options.find((option) => option.type !== "null"), true];
  if (Array.isArray(schema.type) && schema.type.includes("null"))
    return [{ ...schema, type: schema.type.find((type) => type !== "null") }, true];
  return [schema, false];
}

export function typeText(given, resolve) {
  const [schema, nullable] = withoutNull(given ?? {});
  const bare = resolve(schema);
  let text = refName(schema) ?? bare.format ?? bare.type ?? "any";
  if (bare.type === "array") text = `${typeText(bare.items, resolve)}[]`;
  if (bare.type === "object" && !refName(schema) && bare.additionalProperties?.type)
    text = `map of ${typeText(bare.additionalProperties, resolve)}`;
  return nullable ? `${text} or null` : text;
}

// What the rules of a schema say, in words; empty if there are none.
export function limits(schema) {
  const texts = [];
  if (schema.enum) texts.push(`one of ${schema.enum.map((value) => JSON.stringify(value)).join(", ")}`);
  if (schema.default !== undefined) texts.push(`default ${JSON.stringify(schema.default)}`);
  if (schema.minLength) texts.push(schema.minLength === 1 ? "not empty" : `at least ${schema.minLength} characters`);
  if (schema.maxLength !== undefined) texts.push(`at most ${schema.maxLength} characters`);
  if (schema.minimum !== undefined) texts.push(`from ${schema.minimum}`);
  if (schema.maximum !== undefined) texts.push(`to ${schema.maximum}`);
  if (schema.minItems) texts.push(`at least ${schema.minItems} items`);
  if (schema.maxItems !== undefined) texts.push(`at most ${schema.maxItems} items`);
  if (schema.pattern) texts.push(`matches ${schema.pattern}`);
  return texts.join(" · ");
}

// What of a schema can be opened further: the record in it, through lists and null.
function recordOf(given, resolve) {
  const bare = resolve(withoutNull(given ?? {})[0]);
  if (bare.type === "array") return recordOf(bare.items, resolve);
  if (bare.properties) return bare;
  if (bare.additionalProperties && typeof bare.additionalProperties === "object") return recordOf(bare.additionalProperties, resolve);
  return undefined;
}

function memberRow(name, schema, required, resolve, depth) {
  const bare = resolve(withoutNull(schema)[0]);
  const record = recordOf(schema, resolve);
  const description = schema.description ?? bare.description;
  const head = [
    element("code", { class: "member" }, name),
    element("span", { class: "type" }, typeText(schema, resolve)),
    required && element("span", { class: "flag required" }, "required"),
    (schema.readOnly ?? bare.readOnly) && element("span", { class: "flag" }, "read-only"),
  ];
  const more = [
    description && element("p", { class: "member-text" }, prose(description)),
    limits({ ...bare, ...schema }) && element("p", { class: "member-text muted" }, limits({ ...bare, ...schema })),
  ];
  if (!record || depth > 6) return element("li", {}, element("div", { class: "member-head" }, head), more);
  const details = element("details", { class: "nested" }, element("summary", { class: "member-head" }, head));
  // Records nest and recurse: a level is made when it is opened.
  details.addEventListener("toggle", () => details.append(memberList(record, resolve, depth + 1)), { once: true });
  return element("li", {}, details, more);
}

function memberList(record, resolve, depth) {
  const required = new Set(record.required ?? []);
  return element(
    "ul",
    { class: "members" },
    Object.entries(record.properties).map(([name, schema]) => memberRow(name, schema, required.has(name), resolve, depth)),
  );
}

export function schemaView(schema, resolve) {
  const record = recordOf(schema, resolve);
  const bare = resolve(schema);
  return element(
    "div",
    { class: "schema" },
    element(
      "p",
      { class: "schema-head" },
      element("span", { class: "type" }, typeText(schema, resolve)),
      bare.description && element("span", { class: "muted" }, prose(` ${bare.description}`)),
    ),
    record ? memberList(record, resolve, 0) : limits(bare) && element("p", { class: "muted" }, limits(bare)),
  );
}

const formats = {
  "date-time": "2026-01-31T09:00:00.000Z",
  date: "2026-01-31",
  email: "ada@example.com",
  uri: "https://example.com/",
  time: "09:00",
};

// An example value for a body: read-only members are left out.
export function example(given, resolve, depth = 0) {
  const schema = resolve(withoutNull(given ?? {})[0]);
  if (schema.example !== undefined) return schema.example;
  if (schema.examples?.length) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.type === "array") return depth > 4 ? [] : [example(schema.items, resolve, depth + 1)];
  if (schema.properties) {
    if (depth > 4) return {};
    return Object.fromEntries(
      Object.entries(schema.properties)
        .filter(([, member]) => !(member.readOnly ?? resolve(member).readOnly))
        .map(([name, member]) => [name, example(member, resolve, depth + 1)]),
    );
  }
  if (schema.type === "object") return {};
  if (schema.type === "boolean") return false;
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 0;
  return formats[schema.format] ?? "text";
}
