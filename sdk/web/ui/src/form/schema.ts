import type { TextKey } from "../texts.en.ts";

/**
 * The part of a JSON Schema (OpenAPI 3.1) that forms understand; what else stands in it is left to the server.
 *
 * @example
 * const schema: Schema = { required: ["title"], properties: { title: { type: "string", maxLength: 200 } } };
 * console.log(schema.required);
 */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly readOnly?: boolean;
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
}

/**
 * How a value is shown and typed.
 *
 * @example
 * const kind: FieldKind = "multiline";
 * console.log(kind);
 */
export type FieldKind =
  | "text"
  | "multiline"
  | "number"
  | "choice"
  | "yes"
  | "date"
  | "tags"
  | "datetime"
  | "money"
  | "record"
  | "email"
  | "url"
  | "tel"
  | "password"
  | "color";

/** What is wrong with a value, as a text of the catalog. */
export interface Wrong {
  readonly key: TextKey;
  readonly count?: number;
}

const FORMATS: Readonly<Record<string, readonly [RegExp, TextKey]>> = {
  email: [/^[^\s@]+@[^\s@]+\.[^\s@]+$/, "form.notEmail"],
  uri: [/^https?:\/\/\S+$/, "form.notAddress"],
  date: [/^\d{4}-\d\d-\d\d$/, "form.notDate"],
};

/**
 * The schema with what its references name in their place. A member that may be null (`anyOf` of one schema and `{"type": "null"}`) has the rules of
 * the other schema: an empty field is null.
 */
export function wholeSchema(schema: Schema | undefined, schemas: Readonly<Record<string, Schema>>, depth = 0): Schema | undefined {
  const options = schema?.anyOf?.filter(({ type }) => type !== "null");
  if (options?.length === 1) return wholeSchema(options[0], schemas, depth);
  const found = schema?.$ref === undefined ? schema : schemas[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)];
  if (!found || depth > 3) return found;
  return {
    ...found,
    ...(found.items && { items: wholeSchema(found.items, schemas, depth + 1) ?? {} }),
    ...(found.properties && {
      properties: Object.fromEntries(
        Object.entries(found.properties).map(([name, each]) => [name, wholeSchema(each, schemas, depth + 1) ?? {}]),
      ),
    }),
  };
}

/** How a value of this schema is typed, where nobody says otherwise. */
export function kindOf(schema: Schema): FieldKind {
  const type = typeOf(schema);
  if (schema.enum) return "choice";
  if (type === "boolean") return "yes";
  if (type === "integer" || type === "number") return "number";
  if (type === "array") return "tags";
  if (schema.format === "email") return "email";
  if (schema.format === "uri") return "url";
  if (schema.format === "date") return "date";
  if (schema.format === "date-time") return "datetime";
  return (schema.maxLength ?? 0) > 500 ? "multiline" : "text";
}

/**
 * What the server would refuse, said before anything is sent; null: nothing. An empty value is missing where it is required and otherwise always right.
 * Lengths count characters, as the services do, and not halves of them.
 */
export function check(schema: Schema, value: unknown, required: boolean): Wrong | null {
  if (value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0))
    return required ? { key: "form.required" } : null;
  if (Array.isArray(value)) {
    if (schema.maxItems !== undefined && value.length > schema.maxItems) return { key: "form.tooMany", count: schema.maxItems };
    return value.map((each) => check(schema.items ?? {}, each, true)).find((wrong) => wrong !== null) ?? null;
  }
  const type = typeOf(schema);
  if (type === "integer" || type === "number") return checkNumber(schema, Number(value), type === "integer");
  if (schema.enum && !schema.enum.includes(value)) return { key: "form.notOneOf" };
  return typeof value === "string" ? checkText(schema, value) : null;
}

function checkNumber(schema: Schema, value: number, whole: boolean): Wrong | null {
  if (!Number.isFinite(value)) return { key: "form.notNumber" };
  if (whole && !Number.isInteger(value)) return { key: "form.notWhole" };
  if (schema.minimum !== undefined && value < schema.minimum) return { key: "form.tooSmall", count: schema.minimum };
  if (schema.maximum !== undefined && value > schema.maximum) return { key: "form.tooLarge", count: schema.maximum };
  return null;
}

function checkText(schema: Schema, value: string): Wrong | null {
  // Half of a pair, as copying can leave it, and what ends a text elsewhere: neither can be sent.
  if (/\p{Cs}|\0/u.test(value)) return { key: "form.notText" };
  const length = [...value].length;
  if (schema.minLength !== undefined && length < schema.minLength) return { key: "form.tooShort", count: schema.minLength };
  if (schema.maxLength !== undefined && length > schema.maxLength) return { key: "form.tooLong", count: schema.maxLength };
  const format = FORMATS[schema.format ?? ""];
  if (format && !format[0].test(value)) return { key: format[1] };
  if (schema.pattern !== undefined && !matches(schema.pattern, value)) return { key: "form.pattern" };
  return null;
}

/** A pattern that this engine cannot read refuses nothing: the server decides. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}

function typeOf({ type }: Schema): string {
  return typeof type === "string" ? type : (type?.find((each) => each !== "null") ?? "");
}
