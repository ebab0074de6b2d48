import { startApp } from "@portico/app-shell";
import { Kanban, LayoutDashboard, Users } from "lucide-react";

startApp({
  service: "crm",
  title: "CRM",
  catalog: { en: () => import("./texts/en.ts"), de: () => import("./texts/de.ts") },
  sections: [
    { path: "/dashboard", label: "dashboard.title", icon: LayoutDashboard, page: () => import("./dashboard.tsx") },
    { path: "/contacts", label: "contacts.title", icon: Users, permission: "contacts:read", page: () => import("./contacts/ContactsPage.tsx") },
    { path: "/contacts/new", label: "contact.create", permission: "contacts:write", page: () => import("./contacts/NewContactPage.tsx") },
    { path: "/contacts/:id", label: "contact.one", permission: "contacts:read", page: () => import("./contacts/ContactPage.tsx") },
    { path: "/pipeline", label: "pipeline.title", icon: Kanban, permission: "pipeline:read", page: () => import("./pipeline/BoardPage.tsx") },
    { path: "/pipeline/:id", label: "pipeline.board", permission: "pipeline:read", page: () => import("./pipeline/BoardPage.tsx") },
  ],
});
