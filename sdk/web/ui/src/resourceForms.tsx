import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Ellipsis, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Confirm, SidePanel } from "./dialogs.tsx";
import { IconMenu, MenuItem } from "./Menu.tsx";
import type { Field } from "./form/FieldInput.tsx";
import { Form } from "./form/Form.tsx";
import { Fields, Neighbours } from "./record/Record.tsx";
import { useRecord } from "./record/useRecord.ts";
import type { ChoiceName, Plain, ResourceAction, Row } from "./resourceTypes.ts";
import { useDeed } from "./useDeed.ts";
import { useUi } from "./ui.tsx";
import type { Schema } from "./form/schema.ts";
import { useSchema } from "./useSchema.ts";
import page from "./page.module.css";

/** The form for a new one, beside the list. */
export function Creating({
  path,
  open,
  title,
  fields,
  nameOf,
  choiceOf,
  onClose,
}: {
  path: string;
  open: boolean;
  title: string;
  fields: readonly Field[];
  nameOf: (row: Row) => string;
  choiceOf: ChoiceName;
  onClose: () => void;
}): ReactNode {
  const { send, say, notices } = useUi();
  const client = useQueryClient();
  const schema = useSchema(path, "post", open);
  return (
    <SidePanel open={open} title={title} onClose={onClose}>
      <Form
        fields={withNames(fields, schema, choiceOf)}
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

/** Fields whose schema lists values, with the texts of the catalog for them. */
const withNames = (fields: readonly Field[], schema: Schema | undefined, choiceOf: ChoiceName): readonly Field[] =>
  fields.map((field) => {
    const choices = field.options ? undefined : schema?.properties?.[field.name]?.enum;
    if (!choices) return field;
    return { ...field, options: choices.map(String).map((value) => ({ value, label: choiceOf(field.name, value) })) };
  });

interface ActionsProps {
  readonly list: readonly ResourceAction[];
  readonly row: Row;
  readonly path: string;
  readonly of: string;
}

/** The buttons of a record that its author has described. */
function Actions({ list, row, path, of }: ActionsProps): ReactNode {
  const { send, say, may, word } = useUi();
  const { busy, run } = useDeed();
  const client = useQueryClient();
  const [asked, setAsked] = useState<ResourceAction | null>(null);
  const shown = list.filter(({ can, when }) => (can === undefined || may(can)) && (when?.(row) ?? true));
  if (shown.length === 0) return null;
  const textOf = (key: string): string => word(key) ?? key;
  const act = ({ label, method = "POST", path: below, body }: ResourceAction): void =>
    void run(
      () =>
        send({ method, path: below ? `${path}/${below}` : path, version: row.version, ...(body && { body: body(row) }) }).finally(() =>
          client.invalidateQueries({ queryKey: [of] }),
        ),
      say("resource.acted", { action: textOf(label) }),
    );
  return (
    <div className={page["actions"]}>
      {shown.map((each) => (
        <Button key={each.label} loading={busy} onClick={() => (each.confirm ? setAsked(each) : act(each))}>
          {textOf(each.label)}
        </Button>
      ))}
      <Confirm
        open={asked !== null}
        title={textOf(asked?.label ?? "")}
        text={textOf(asked?.confirm ?? "")}
        act={textOf(asked?.label ?? "")}
        danger={asked?.method === "DELETE"}
        onClose={() => setAsked(null)}
        onConfirm={() => {
          if (asked) act(asked);
          setAsked(null);
        }}
      />
    </div>
  );
}

interface OpenedProps {
  readonly path: string;
  readonly id: string;
  readonly fields: readonly Field[];
  readonly options: Plain;
  readonly nameOf: (row: Row) => string;
  readonly choiceOf: ChoiceName;
  readonly hrefOf: (id: string) => string;
  readonly onClose: () => void;
}

/** One of them, beside the list. */
export function Opened({
  path,
  id,
  fields,
  options: { can, method = "PATCH", actions },
  nameOf,
  choiceOf,
  hrefOf,
  onClose,
}: OpenedProps): ReactNode {
  const { send, say, may } = useUi();
  const { run } = useDeed();
  const client = useQueryClient();
  const record = useRecord<Row>(`${path}/${encodeURIComponent(id)}`, { method });
  const schema = useSchema(path, "post", true);
  const [asking, setAsking] = useState(false);
  const title = record.data ? nameOf(record.data) : say("state.waiting");
  const remove = (): void => {
    setAsking(false);
    void run(() => send({ method: "DELETE", path: record.path }).then(onClose), say("resource.deleted", { name: title })).then(() =>
      client.invalidateQueries({ queryKey: [path] }),
    );
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
            <IconMenu label={say("act.more")} icon={<Ellipsis size={18} aria-hidden />}>
              {(close) => (
                <MenuItem danger icon={<Trash2 size={16} aria-hidden />} onClick={() => (close(), setAsking(true))}>
                  {say("act.delete")}
                </MenuItem>
              )}
            </IconMenu>
          )
        }
      >
        <Neighbours path={path} id={id} href={hrefOf} />
        {record.data && actions && <Actions list={actions} row={record.data} path={record.path} of={path} />}
        <Fields
          record={record}
          fields={withNames(fields, schema, choiceOf)}
          schema={schema}
          mayChange={can?.change !== undefined && may(can.change)}
        />
      </SidePanel>
      <Confirm
        open={asking}
        title={say("resource.delete", { name: title })}
        text={say("resource.delete.text")}
        act={say("act.delete")}
        onClose={() => setAsking(false)}
        onConfirm={remove}
      />
    </>
  );
}
