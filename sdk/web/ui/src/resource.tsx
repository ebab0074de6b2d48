import { Button, Menu, ActionIcon } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Ellipsis, Inbox, Plus, Trash2 } from "lucide-react";
import { useMemo, useState, type ComponentType, type ReactNode } from "react";
import { Confirm, SidePanel } from "./dialogs.tsx";
import { Form } from "./form/Form.tsx";
import type { Field } from "./form/FieldInput.tsx";
import type { FieldKind, Schema } from "./form/schema.ts";
import { useKeys } from "./keys.ts";
import { ListView } from "./list/ListView.tsx";
import { useList, type Column, type ListOptions, type Option } from "./list/useList.ts";
import { Fields, Neighbours } from "./record/Record.tsx";
import { useRecord, type Versioned } from "./record/useRecord.ts";
import { Empty } from "./states.tsx";
import { useAddress, useUi } from "./ui.tsx";

/**
 * Says which API an app has: `declare module "@portico/ui" { interface Register { paths: paths } }` with the generated `paths`. Then `resource` knows
 * every path, column and field, and what the API does not have does not compile.
 *
 * @example
 * const register: Register = {};
 * console.log(register);
 */
export interface Register {}

type Paths = Register extends { paths: infer P } ? P : Record<string, { get: { responses: { 200: Json<{ items: Record<string, unknown>[] }> } }; post: { requestBody: Json<Record<string, unknown>> } }>;
type Json<T> = { content: { "application/json": T } };
type RowOf<P extends keyof Paths> = Paths[P] extends { get: { responses: { 200: Json<{ items: readonly (infer Row)[] }> } } } ? Row : never;
type BodyOf<P extends keyof Paths> = Paths[P] extends { post: { requestBody?: infer B } } ? (NonNullable<B> extends Json<infer J> ? J : never) : never;
type ListPath = { [P in keyof Paths]: [RowOf<P>] extends [never] ? never : P }[keyof Paths] & string;
type Name<T> = keyof T & string;

/**
 * How a field of a resource is typed; what is absent follows from the schema.
 *
 * @example
 * const field: ResourceField = { multiline: true };
 * console.log(field.multiline);
 */
export interface ResourceField {
  readonly multiline?: boolean;
  readonly kind?: FieldKind;
  readonly options?: readonly Option[];
}

/**
 * A resource of the API as pages: which member names a row, what is listed, what is typed, and who may.
 *
 * @example
 * const options: ResourceOptions<"/api/notes"> = { title: "title", columns: ["title"], form: { title: {} } };
 * console.log(options.title);
 */
export interface ResourceOptions<P extends ListPath> {
  readonly title: Name<RowOf<P>>;
  readonly columns: readonly Name<RowOf<P>>[];
  readonly form: { readonly [K in Name<BodyOf<P>>]?: ResourceField };
  /** Members by which the service sorts; none unless said. */
  readonly sorts?: readonly Name<RowOf<P>>[];
  /** Whether the service knows `q`; true unless said. */
  readonly search?: boolean;
  readonly can?: { readonly create?: string; readonly change?: string; readonly delete?: string };
}

interface Row extends Versioned {
  readonly [member: string]: unknown;
}

/**
 * List, record, create, change and delete of a resource, from a description. The record is `?open=` of the list's address. Texts come from the app's
 * catalog, where it has them: `notes.field.title` (the label of a member), `notes.new`, `notes.empty`, `notes.empty.text`; `notes` is the last part of the path.
 *
 * @example
 * const Notes = resource("/api/notes", { title: "title", columns: ["title", "updatedAt"], form: { title: {}, text: { multiline: true } }, can: { create: "notes:write" } });
 * console.log(typeof Notes);
 */
export function resource<P extends ListPath>(path: P, options: ResourceOptions<P>): ComponentType<object> {
  const fieldNames = Object.keys(options.form);
  const Page = (): ReactNode => <ResourcePage path={path} fieldNames={fieldNames} options={options as unknown as Plain} />;
  return Page;
}

interface Plain {
  readonly title: string;
  readonly columns: readonly string[];
  readonly form: Readonly<Record<string, ResourceField>>;
  readonly sorts?: readonly string[];
  readonly search?: boolean;
  readonly can?: { readonly create?: string; readonly change?: string; readonly delete?: string };
}

interface PageProps {
  readonly path: string;
  readonly fieldNames: readonly string[];
  readonly options: Plain;
}

function ResourcePage({ path, fieldNames, options }: PageProps): ReactNode {
  const { say, word, may, address } = useUi();
  const [here, query] = useAddress();
  const [creating, setCreating] = useState(false);
  const opened = new URLSearchParams(query).get("open");
  const name = path.slice(path.lastIndexOf("/") + 1);
  const labelOf = (member: string): string => word(`${name}.field.${member}`) ?? humanized(member);
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
      href: (row) => `${location.pathname}?${new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(location.search)), open: row.id })}`,
      columns: [options.title, ...options.columns.filter((member) => member !== options.title)].map(
        (member): Column<Row> => ({ key: member, label: labelOf(member), ...(options.sorts?.includes(member) ? { sort: member } : {}), ...(member === options.title ? {} : { cell: (row) => <Cell member={member} value={row[member]} /> }) }),
      ),
      search: options.search ?? true,
      others: ["open"],
    }),
    [path, options, label],
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
    const { multiline, kind, options: choices } = options.form[member] ?? {};
    return { name: member, label: labelOf(member), ...(multiline ? { kind: "multiline" as const } : {}), ...(kind ? { kind } : {}), ...(choices ? { options: choices } : {}) };
  });
  const first = word(`${name}.new`) ?? say("resource.new");
  return (
    <>
      <ListView
        list={list}
        empty={<Empty icon={Inbox} title={word(`${name}.empty`) ?? say("state.empty")} text={word(`${name}.empty.text`)} action={create(word(`${name}.new`) ?? say("resource.first"))} />}
        tools={create(first)}
      />
      <Creating path={path} open={creating} title={first} fields={fields} nameOf={nameOf} onClose={() => setCreating(false)} />
      {opened && <Opened key={opened} path={path} id={opened} fields={fields} options={options} nameOf={nameOf} hrefOf={open} onClose={() => address.go(open(null), { replace: true })} />}
    </>
  );
}

function Creating({ path, open, title, fields, nameOf, onClose }: { path: string; open: boolean; title: string; fields: readonly Field[]; nameOf: (row: Row) => string; onClose: () => void }): ReactNode {
  const { send, say, notices } = useUi();
  const client = useQueryClient();
  const schema = useSchema(path, "post", open);
  return (
    <SidePanel open={open} title={title} onClose={onClose}>
      <Form
        fields={fields}
        initial={Object.fromEntries(fields.map(({ name }) => [name, null])) as Record<string, unknown>}
        schema={schema}
        draft={`new:${path}`}
        act={say("act.create")}
        onCancel={onClose}
        submit={async (values, key) => {
          const body = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== ""));
          const made = await send<Row>({ method: "POST", path, body, key });
          await client.invalidateQueries({ queryKey: [path] });
          notices.tell({ kind: "done", text: say("resource.created", { name: nameOf(made) }) });
          onClose();
        }}
      />
    </SidePanel>
  );
}

interface OpenedProps {
  readonly path: string;
  readonly id: string;
  readonly fields: readonly Field[];
  readonly options: Plain;
  readonly nameOf: (row: Row) => string;
  readonly hrefOf: (id: string) => string;
  readonly onClose: () => void;
}

function Opened({ path, id, fields, options: { can }, nameOf, hrefOf, onClose }: OpenedProps): ReactNode {
  const { send, say, may, notices, sentence } = useUi();
  const client = useQueryClient();
  const record = useRecord<Row>(`${path}/${encodeURIComponent(id)}`);
  const schema = useSchema(path, "post", true);
  const [asking, setAsking] = useState(false);
  const title = record.data ? nameOf(record.data) : say("state.waiting");
  const remove = async (): Promise<void> => {
    setAsking(false);
    try {
      await send({ method: "DELETE", path: record.path });
      notices.tell({ kind: "done", text: say("resource.deleted", { name: title }) });
      onClose();
      await client.invalidateQueries({ queryKey: [path] });
    } catch (error) {
      notices.tell({ kind: "refused", text: sentence(error) });
    }
  };
  const mayDelete = can?.delete !== undefined && may(can.delete) && record.data !== undefined;
  return (
    <>
      <SidePanel
        open
        title={title}
        onClose={onClose}
        actions={
          mayDelete && (
            <Menu>
              <Menu.Target>
                <ActionIcon aria-label={say("act.more")}>
                  <Ellipsis size={18} aria-hidden />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item color="red" leftSection={<Trash2 size={16} aria-hidden />} onClick={() => setAsking(true)}>
                  {say("act.delete")}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          )
        }
      >
        <Neighbours path={path} id={id} href={hrefOf} />
        <Fields record={record} fields={fields} schema={schema} mayChange={can?.change !== undefined && may(can.change)} />
      </SidePanel>
      <Confirm open={asking} title={say("resource.delete", { name: title })} text={say("resource.delete.text")} act={say("act.delete")} onClose={() => setAsking(false)} onConfirm={() => void remove()} />
    </>
  );
}

function Cell({ member, value }: { member: string; value: unknown }): ReactNode {
  const { say, formats } = useUi();
  if (typeof value === "boolean") return say(value ? "list.yes" : "list.no");
  if (typeof value === "number") return formats.number(value);
  if (typeof value === "string" && /(At|On|Date)$/.test(member)) return <time dateTime={value} title={formats.dateTime(value)}>{formats.ago(value)}</time>;
  return Array.isArray(value) ? formats.list(value.map(String)) : String(value ?? "");
}

interface OpenApi {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, { requestBody?: { content?: Readonly<Record<string, { schema?: Schema }>> } }>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/**
 * The schema of a route's body, from the service's own description, read when it is first needed; undefined until then, and where it cannot be had.
 *
 * @example
 * const Rules = () => <output>{useSchema("/api/notes", "post")?.required?.join()}</output>;
 * console.log(Rules.name);
 */
export function useSchema(path: string, method: "post" | "patch" | "put", wanted = true): Schema | undefined {
  const { send } = useUi();
  const { data } = useQuery({ queryKey: ["/openapi.json"], queryFn: ({ signal }) => send<OpenApi>({ method: "GET", path: "/openapi.json", signal }), staleTime: Infinity, enabled: wanted, retry: false });
  return useMemo(() => {
    const schemas = data?.components?.schemas ?? {};
    const whole = (schema: Schema | undefined, depth = 0): Schema | undefined => {
      const found = schema?.$ref === undefined ? schema : schemas[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)];
      if (!found?.properties || depth > 3) return found;
      return { ...found, properties: Object.fromEntries(Object.entries(found.properties).map(([name, each]) => [name, whole(each, depth + 1) ?? {}])) };
    };
    return whole(data?.paths?.[path]?.[method]?.requestBody?.content?.["application/json"]?.schema);
  }, [data, path, method]);
}

/** `updatedAt` as "Updated at", for what has no text. */
const humanized = (member: string): string => {
  const words = member.replace(/[-_]/g, " ").replace(/([a-z])([A-Z])/g, (_, before: string, next: string) => `${before} ${next.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};
