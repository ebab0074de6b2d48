import { startApp } from "@portico/app-shell";
import { Kanban, LayoutDashboard, Upload, Users } from "lucide-react";

startApp({
  service: "crm",
  title: "CRM",
  changes: "/api/changes",
  catalog: { en: () => import("./texts/en.ts"), de: () => import("./texts/de.ts") },
  sections: [
    { path: "/dashboard", label: "dashboard.title", icon: LayoutDashboard, page: () => import("./dashboard.tsx") },
    { path: "/contacts", label: "contacts.title", icon: Users, permission: "contacts:read", page: () => import("./contacts/ContactsPage.tsx") },
    { path: "/contacts/new", label: "contact.create", permission: "contacts:write", page: () => import("./contacts/NewContactPage.tsx") },
    { path: "/contacts/:id", label: "contact.one", permission: "contacts:read", page: () => import("./contacts/ContactPage.tsx") },
    { path: "/pipeline", label: "pipeline.title", icon: Kanban, permission: "pipeline:read", page: () => import("./pipeline/BoardPage.tsx") },
    { path: "/pipeline/:id", label: "pipeline.board", permission: "pipeline:read", page: () => import("./pipeline/BoardPage.tsx") },
    { path: "/imports", label: "imports.title", icon: Upload, permission: "contacts:read", page: () => import("./imports/ImportsPage.tsx") },
    { path: "/imports/new", label: "imports.new", permission: "contacts:import", page: () => import("./imports/NewImportPage.tsx") },
    { path: "/imports/:id", label: "imports.one", permission: "contacts:read", page: () => import("./imports/ImportPage.tsx") },
  ],
});
