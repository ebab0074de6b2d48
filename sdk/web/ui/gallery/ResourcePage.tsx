import { resource } from "../src/index.ts";

/** As an app's own page: all that its author writes. */
export const ResourcePage = resource("/api/contacts", {
  title: "name",
  columns: ["name", "company", "updatedAt"],
  sorts: ["name"],
  form: { name: {}, company: {}, notes: { multiline: true } },
  can: { create: "contacts:write", change: "contacts:write", delete: "contacts:write" },
});
