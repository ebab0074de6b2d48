import { startApp } from "@portico/app-shell";
import { LayoutDashboard } from "lucide-react";

startApp({
  service: "crm",
  title: "CRM",
  catalog: { en: () => import("./texts/en.ts"), de: () => import("./texts/de.ts") },
  sections: [{ path: "/dashboard", label: "dashboard.title", icon: LayoutDashboard, page: () => import("./dashboard.tsx") }],
});
