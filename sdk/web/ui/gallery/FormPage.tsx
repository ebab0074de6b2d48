import { Button } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { Form, SidePanel, useUi, type Field, type Schema } from "../src/index.ts";
import classes from "./gallery.module.css";
import { STAGES } from "./server.ts";

interface Draft {
  readonly name: string;
  readonly email: string | null;
  readonly stage: string | null;
  readonly value: number | null;
  readonly tags: readonly string[];
  readonly doNotContact: boolean;
  readonly birthday: string | null;
  readonly notes: string;
}

const fields: readonly Field<keyof Draft>[] = [
  { name: "name", label: "Name", hint: "“taken” is taken" },
  { name: "email", label: "E-mail", autoComplete: "email" },
  { name: "stage", label: "Stage" },
  { name: "value", label: "Value" },
  { name: "tags", label: "Tags" },
  { name: "birthday", label: "Birthday" },
  { name: "doNotContact", label: "Do not contact" },
  { name: "notes", label: "Notes" },
];

const schema: Schema = {
  required: ["name"],
  properties: {
    name: { type: "string", minLength: 2, maxLength: 100 },
    email: { type: ["string", "null"], format: "email" },
    stage: { type: "string", enum: STAGES },
    value: { type: "integer", minimum: 0, maximum: 1_000_000 },
    tags: { type: "array", items: { type: "string", maxLength: 40 }, maxItems: 5 },
    birthday: { type: "string", format: "date" },
    doNotContact: { type: "boolean" },
    notes: { type: "string", maxLength: 20_000 },
  },
};

const blank: Draft = { name: "", email: null, stage: null, value: null, tags: [], doNotContact: false, birthday: null, notes: "" };

export function FormPage(): ReactNode {
  const { send, notices } = useUi();
  const [side, setSide] = useState(false);
  const [initial, setInitial] = useState(blank);
  const form = (
    <Form
      fields={fields}
      initial={initial}
      schema={schema}
      draft="gallery"
      act="Create"
      onCancel={() => setSide(false)}
      submit={async (values, key) => {
        await send({ method: "POST", path: "/api/contacts", body: values, key });
        notices.tell({ kind: "done", text: `${values.name} created` });
      }}
    />
  );
  return (
    <div className={classes["panel"]}>
      <p>
        <Button onClick={() => setSide(true)}>In a side panel</Button>
        <Button onClick={() => setInitial((now) => ({ ...now, email: "theirs@example.org", notes: `${now.notes}Theirs` }))}>
          Another user changes it
        </Button>
      </p>
      {!side && form}
      <SidePanel open={side} title="New contact" onClose={() => setSide(false)}>
        {form}
      </SidePanel>
    </div>
  );
}
