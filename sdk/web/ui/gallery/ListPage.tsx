import { Button } from "@mantine/core";
import { Plus, Users } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Empty, ListView, useList, useUi, type ListOptions, type SavedView } from "../src/index.ts";
import { STAGES, type Contact } from "./server.ts";

const options: ListOptions<Contact> = {
  label: "Contacts",
  path: "/api/contacts",
  id: (row) => row.id,
  name: (row) => row.name,
  href: (row) => `/record?id=${row.id}`,
  selects: true,
  columns: [
    { key: "name", label: "Name", sort: "name", width: 220 },
    { key: "company", label: "Company", sort: "company" },
    { key: "email", label: "E-mail", width: 220 },
    { key: "stage", label: "Stage", width: 120 },
    { key: "value", label: "Value", end: true, width: 130, cell: (row) => <Amount cents={row.value} /> },
    { key: "updatedAt", label: "Changed", sort: "updatedAt", width: 130, cell: (row) => <Day at={row.updatedAt} /> },
    { key: "tags", label: "Tags", optional: true },
  ],
  filters: [
    { key: "stage", label: "Stage", kind: "choice", options: STAGES.map((value) => ({ value, label: value })) },
    { key: "company", label: "Company", kind: "text" },
    { key: "doNotContact", label: "Do not contact", kind: "yes" },
    { key: "createdFrom", label: "Created from", kind: "date" },
  ],
};

const Amount = ({ cents }: { cents: number }): ReactNode => useUi().texts.money(cents, "EUR");
const Day = ({ at }: { at: string }): ReactNode => useUi().texts.date(at);

export function ListPage(): ReactNode {
  const list = useList(options);
  const [views, setViews] = useState<readonly SavedView[]>([{ name: "Open deals", query: "stage=Lead,Qualified&sort=-updatedAt" }]);
  return (
    <ListView
      list={list}
      empty={
        <Empty
          icon={Users}
          title="No contacts yet"
          text="People and companies that you work with."
          action={<Button variant="filled">New contact</Button>}
        />
      }
      tools={
        <Button variant="filled" leftSection={<Plus size={16} aria-hidden />}>
          New contact
        </Button>
      }
      actions={() => <Button size="compact-sm">Add a tag</Button>}
      views={{ list: views, save: setViews }}
      peek={(row) => (
        <dl>
          <dt>Company</dt>
          <dd>{row.company}</dd>
          <dt>E-mail</dt>
          <dd>{row.email}</dd>
        </dl>
      )}
    />
  );
}
