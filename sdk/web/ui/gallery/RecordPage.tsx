import type { ReactNode } from "react";
import { Fields, Markdown, Neighbours, useAddress, useRecord, type RecordField, type Schema } from "../src/index.ts";
import classes from "./gallery.module.css";
import { STAGES, type Contact } from "./server.ts";

const fields: readonly RecordField<Contact>[] = [
  { name: "name", label: "Name" },
  { name: "company", label: "Company", hint: "“Refused” is refused" },
  { name: "email", label: "E-mail" },
  { name: "website", label: "Website", kind: "url" },
  { name: "stage", label: "Stage", kind: "choice" },
  { name: "value", label: "Value in cents" },
  { name: "tags", label: "Tags" },
  { name: "doNotContact", label: "Do not contact" },
  { name: "updatedAt", label: "Changed", kind: "date", off: "Set by the server" },
  { name: "notes", label: "Notes", kind: "multiline", show: (contact) => <Markdown>{contact.notes}</Markdown> },
];

const schema: Schema = {
  required: ["name"],
  properties: {
    name: { type: "string", maxLength: 100 },
    company: { type: "string", maxLength: 100 },
    email: { type: "string", format: "email" },
    stage: { type: "string", enum: STAGES },
    value: { type: "integer", minimum: 0 },
    tags: { type: "array", items: { type: "string", maxLength: 40 }, maxItems: 5 },
    doNotContact: { type: "boolean" },
    notes: { type: "string", maxLength: 20_000 },
  },
};

export function RecordPage(): ReactNode {
  const [, query] = useAddress();
  const id = new URLSearchParams(query).get("id") ?? "con_1";
  const record = useRecord<Contact>(`/api/contacts/${id}`);
  return (
    <div className={classes["panel"]}>
      <Neighbours path="/api/contacts" id={id} href={(other) => `/record?id=${other}`} />
      <Fields record={record} fields={fields} schema={schema} />
    </div>
  );
}
