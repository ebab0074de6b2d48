import { startApp } from "@portico/app-shell";
import { Kanban, LayoutDashboard, Settings, Upload, Users } from "lucide-react";
import en from "./texts/en.ts";

const board = () => import("./pipeline/BoardPage.tsx");
const settings = () => import("./settings/SettingsPage.tsx");

startApp({
  service: "crm",
  title: "CRM",
  changes: "/api/changes",
  catalog: { en, de: () => import("./texts/de.ts") },
  search: {
    label: "contacts.title",
    icon: Users,
    permission: "contacts:read",
    find: async (q, send, signal) =>
      (
        await send<{ items: { id: string; displayName: string }[] }>({
          method: "GET",
          path: "/api/contacts",
          query: { q, fields: "displayName", limit: 8 },
          signal,
        })
      ).items.map(({ id, displayName }) => ({ label: displayName, path: `/contacts/${id}` })),
  },
  sections: [
    { path: "/dashboard", label: "dashboard.title", icon: LayoutDashboard, page: () => import("./dashboard.tsx") },
    {
      path: "/contacts",
      label: "contacts.title",
      icon: Users,
      permission: "contacts:read",
      page: () => import("./contacts/ContactsPage.tsx"),
    },
    { path: "/contacts/new", label: "contact.create", permission: "contacts:write", page: () => import("./contacts/NewContactPage.tsx") },
    {
      path: "/contacts/duplicates",
      label: "duplicates.title",
      permission: "contacts:read",
      page: () => import("./duplicates/DuplicatesPage.tsx"),
    },
    { path: "/contacts/merge", label: "merge.title", permission: "contacts:write", page: () => import("./duplicates/MergePage.tsx") },
    { path: "/contacts/bulk", label: "bulk.list", permission: "contacts:read", page: () => import("./bulk/BulksPage.tsx") },
    { path: "/contacts/bulk/:id", label: "bulk.one", permission: "contacts:read", page: () => import("./bulk/BulkPage.tsx") },
    { path: "/contacts/:id", label: "contact.one", permission: "contacts:read", page: () => import("./contacts/ContactPage.tsx") },
    { path: "/pipeline", label: "pipeline.title", icon: Kanban, permission: "pipeline:read", page: board },
    { path: "/pipeline/:id", label: "pipeline.board", permission: "pipeline:read", page: board },
    {
      path: "/imports",
      label: "imports.title",
      icon: Upload,
      permission: "contacts:read",
      page: () => import("./imports/ImportsPage.tsx"),
    },
    { path: "/imports/new", label: "imports.new", permission: "contacts:import", page: () => import("./imports/NewImportPage.tsx") },
    { path: "/imports/:id", label: "imports.one", permission: "contacts:read", page: () => import("./imports/ImportPage.tsx") },
    { path: "/settings", label: "settings.title", icon: Settings, permission: "pipeline:read", page: settings },
    { path: "/settings/pipelines", label: "settings.pipelines", permission: "pipeline:read", page: settings },
    { path: "/settings/fields", label: "settings.fields", permission: "settings:read", page: settings },
    { path: "/settings/tags", label: "settings.tags", permission: "tags:read", page: settings },
  ],
});
