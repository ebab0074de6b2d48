import { resource } from "../src/index.ts";

/** As an app's own page: all that its author writes. */
export const ResourcePage = resource("/api/contacts", {
  title: "name",
  columns: ["name", "company", "value", "stage", "updatedAt"],
  sorts: ["name"],
  filters: [{ key: "stage", label: "contacts.field.stage", kind: "choice", options: [{ value: "Lead", label: "contacts.stage.Lead" }] }],
  form: {
    name: {},
    company: {},
    stage: {},
    value: { currency: "EUR" },
    callAt: { kind: "datetime" },
    referredBy: { pick: { path: "/api/contacts", name: "name" } },
    notes: { multiline: true },
  },
  actions: [
    { label: "contacts.qualify", path: "qualify", can: "contacts:write", when: (contact) => contact["stage"] === "Lead" },
    { label: "contacts.block", path: "block", confirm: "contacts.block.text", when: (contact) => contact["doNotContact"] === false },
  ],
  can: { create: "contacts:write", change: "contacts:write", delete: "contacts:write" },
});
