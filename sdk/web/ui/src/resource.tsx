import { Button } from "@mantine/core";
import { Inbox, Plus } from "lucide-react";
import { useEffect, useMemo, useState, type FunctionComponent, type ReactNode } from "react";
import type { Field } from "./form/FieldInput.tsx";
import { useKeys } from "./keys.ts";
import { later } from "./later.tsx";
import { ListView } from "./list/ListView.tsx";
import { useList, type Column, type Filter, type ListOptions, type Option } from "./list/useList.ts";
import { Instant } from "./Instant.tsx";
import { RecordName } from "./form/RecordName.tsx";
import type { ChoiceName, Plain, ResourceAction, ResourceField, Row } from "./resourceTypes.ts";
import { Page } from "./Page.tsx";
import { Empty } from "./states.tsx";
import { useAddress, useUi } from "./ui.tsx";

// What a list needs is there at once, its forms when it is.
const forms = () => import("./resourceForms.tsx");
const Creating = later(async () => ({ default: (await forms()).Creating }));
const Opened = later(async () => ({ default: (await forms()).Opened }));

/**
 * Says which API an app has: `declare module "@portico/ui" { interface Register { paths: paths } }` with the generated `paths`. Then `resource` knows
 * every path, column and field, and what the API does not have does not compile.
 *
 * @example
 * const register: Register = {};
 * console.log(register);
 */
export interface Register {}

type Paths = Register extends { paths: infer P }
  ? P
  : Record<
      string,
      { get: { responses: { 200: Json<{ items: Record<string, unknown>[] }> } }; post: { requestBody: Json<Record<string, unknown>> } }
    >;
type Json<T> = { content: { "application/json": T } };
type RowOf<P extends keyof Paths> = Paths[P] extends { get: { responses: { 200: Json<{ items: readonly (infer Row)[] }> } } } ? Row : never;
type BodyOf<P extends keyof Paths> = Paths[P] extends { post: { requestBody?: infer B } }
  ? NonNullable<B> extends Json<infer J>
    ? J
    : never
  : never;
type ListPath = { [P in keyof Paths]: [RowOf<P>] extends [never] ? never : P }[keyof Paths] & string;
type Name<T> = keyof T & string;

/**
 * A resource of the API as pages: which member names a row, what is listed, what is typed, and who may.
 *
 * @example
 * const options: ResourceOptions<"/api/notes"> = { title: "title", columns: ["title"], form: { title: {} } };
 * console.log(options.title);
 */
export interface ResourceOptions<P extends ListPath> {
  /** Member that names a record. */
  readonly title: Name<RowOf<P>>;
  /** Members that the list shows. */
  readonly columns: readonly Name<RowOf<P>>[];
  /** Members of the form, in its order. */
  readonly form: { readonly [K in Name<BodyOf<P>>]?: ResourceField };
  /** Filters above the list; their keys are query parameters of the route, their labels and those of their options keys of the app's catalog. */
  readonly filters?: readonly Filter[];
  /** Members that the route sorts by (default: none). */
  readonly sorts?: readonly Name<RowOf<P>>[];
  /** The route takes `q` (default: true). */
  readonly search?: boolean;
  /** Buttons of a record beside its fields. */
  readonly actions?: readonly ResourceAction[];
  /** Method of a change (default: PATCH). */
  readonly method?: "PATCH" | "PUT";
  /** Permission of each action, without the service's name; an action without one is not offered. */
  readonly can?: { readonly create?: string; readonly change?: string; readonly delete?: string };
}

/**
 * List, record, create, change and delete of a resource, from a description. The record is `?open=` of the list's address. Texts come from the app's
 * catalog, where it has them: `notes.field.title` (the label of a member), `notes.state.draft` (a choice of the member `state`), `notes.new`, `notes.empty`,
 * `notes.empty.text`; `notes` is the last part of the path.
 *
 * @example
 * const Notes = resource("/api/notes", { title: "title", columns: ["title", "updatedAt"], form: { title: {}, text: { multiline: true } }, can: { create: "notes:write" } });
 * console.log(typeof Notes);
 */
export function resource<P extends ListPath>(path: P, options: ResourceOptions<P>): FunctionComponent<object> {
  const fieldNames = Object.keys(options.form);
  return () => <ResourcePage path={path} fieldNames={fieldNames} options={options as unknown as Plain} />;
}

interface PageProps {
  readonly path: string;
  readonly fieldNames: readonly string[];
  readonly options: Plain;
}

function ResourcePage({ path, fieldNames, options }: PageProps): ReactNode {
  const { say, word, may, address, texts } = useUi();
  const [here, query] = useAddress();
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState(false);
  if (creating && !created) setCreated(true);
  useEffect(() => void forms().catch(() => undefined), []);
  const opened = new URLSearchParams(query).get("open");
  const name = path.slice(path.lastIndexOf("/") + 1);
  const labelOf = (member: string): string => word(`${name}.field.${member}`) ?? humanized(member);
  const textOf = (key: string): string => word(key) ?? key;
  const named = (options: readonly Option[]): readonly Option[] => options.map((each) => ({ ...each, label: textOf(each.label) }));
  const choiceOf: ChoiceName = (member, value) => word(`${name}.${member}.${value}`) ?? value;
  const fieldOf = (member: string): ResourceField | undefined => {
    const field = options.form[member];
    return field?.options ? { ...field, options: named(field.options) } : field;
  };
  const nameOf = (row: Row): string => String(row[options.title] || say("resource.untitled"));
  const open = (id: string | null): string => {
    const next = new URLSearchParams(query);
    if (id) next.set("open", id);
    else next.delete("open");
    return next.size ? `${here}?${next}` : here;
  };
  const label = word(`${name}.title`) ?? humanized(name);
  const listed = useMemo(
    (): ListOptions<Row> => ({
      label,
      path,
      id: (row) => row.id,
      name: nameOf,
      href: (row) =>
        `${location.pathname}?${new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(location.search)), open: row.id })}`,
      columns: [options.title, ...options.columns.filter((member) => member !== options.title)].map((member): Column<Row> => ({
        key: member,
        label: labelOf(member),
        ...(options.sorts?.includes(member) ? { sort: member } : {}),
        ...(member === options.title ? {} : cellOf(member, fieldOf(member), choiceOf, { say, texts })),
      })),
      search: options.search ?? true,
      ...(options.filters
        ? { filters: options.filters.map((each): Filter => ({ ...each, label: textOf(each.label), ...namedOptions(each, named) })) }
        : {}),
      others: ["open"],
    }),
    [path, options, label, texts],
  );
  const list = useList(listed);
  const mayCreate = options.can?.create !== undefined && may(options.can.create);
  useKeys({ c: () => setCreating(true) }, mayCreate);
  const create = (text: string): ReactNode =>
    mayCreate && (
      <Button variant="filled" leftSection={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
        {text}
      </Button>
    );
  const fields = fieldNames.map((member): Field => {
    const { multiline, kind, options: choices, currency, pick } = fieldOf(member) ?? {};
    return {
      name: member,
      label: labelOf(member),
      ...(multiline ? { kind: "multiline" as const } : {}),
      ...(kind ? { kind } : {}),
      ...(choices ? { options: choices } : {}),
      ...(currency ? { currency } : {}),
      ...(pick ? { pick } : {}),
    };
  });
  const first = word(`${name}.new`) ?? say("resource.new");
  return (
    <Page full title={label}>
      <ListView
        list={list}
        empty={
          <Empty
            icon={Inbox}
            title={word(`${name}.empty`) ?? say("state.empty")}
            text={word(`${name}.empty.text`)}
            action={create(word(`${name}.new`) ?? say("resource.first"))}
          />
        }
        tools={create(first)}
      />
      {created && (
        <Creating
          path={path}
          open={creating}
          title={first}
          fields={fields}
          nameOf={nameOf}
          choiceOf={choiceOf}
          onClose={() => setCreating(false)}
        />
      )}
      {opened && (
        <Opened
          key={opened}
          path={path}
          id={opened}
          fields={fields}
          options={options}
          nameOf={nameOf}
          choiceOf={choiceOf}
          hrefOf={open}
          onClose={() => address.go(open(null), { replace: true })}
        />
      )}
    </Page>
  );
}

/** The options of a filter under the texts of the catalog. */
const namedOptions = ({ options }: Filter, named: (options: readonly Option[]) => readonly Option[]): Pick<Filter, "options"> =>
  options ? { options: typeof options === "function" ? async () => named(await options()) : named(options) } : {};

/** How a column shows a member. Its width fits the text, except where a name is read later. */
function cellOf(
  member: string,
  field: ResourceField | undefined,
  choiceOf: ChoiceName,
  { say, texts }: Pick<ReturnType<typeof useUi>, "say" | "texts">,
): Pick<Column<Row>, "cell" | "text"> {
  const pick = field?.pick;
  if (pick) return { cell: (row) => (row[member] ? <RecordName pick={pick} id={String(row[member])} /> : "") };
  const isInstant = (value: unknown): value is string =>
    typeof value === "string" &&
    (field?.kind === "datetime" || /(At|On|Date)$/.test(member)) &&
    !isDay(value) &&
    texts.dateTime(value) !== "";
  const text = (row: Row): string => {
    const value = row[member];
    if (typeof value === "boolean") return say(value ? "list.yes" : "list.no");
    if (typeof value === "number") return field?.currency ? texts.money(value, field.currency) : texts.number(value);
    if (isInstant(value)) return `${texts.dateTime(value)} ${texts.relative(value)}`;
    if (typeof value === "string" && isDay(value)) return texts.date(value);
    if (typeof value === "string" && value) return field?.options?.find((each) => each.value === value)?.label ?? choiceOf(member, value);
    return Array.isArray(value) ? texts.list(value.map(String)) : String(value ?? "");
  };
  return {
    text,
    cell: (row) => {
      const value = row[member];
      return isInstant(value) ? <Instant at={value} /> : text(row);
    },
  };
}

const isDay = (value: string): boolean => /^\d{4}-\d\d-\d\d$/.test(value);

/** `updatedAt` as "Updated at", for what has no text. */
const humanized = (member: string): string => {
  const words = member
    .replace(/[-_]/g, " ")
    .replace(/([a-z])([A-Z])/g, (_, before: string, next: string) => `${before} ${next.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};
