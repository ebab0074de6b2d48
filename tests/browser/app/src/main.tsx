import { startApp } from "@portico/app-shell";
import { Bomb, Users } from "lucide-react";
import en from "./texts/en.ts";

startApp({
  service: "crm",
  title: "Shell",
  catalog: { en, de: () => import("./texts/de.ts") },
  changes: "/api/changes",
  sections: [
    { path: "/dashboard", label: "people.title", icon: Users, permission: "contacts:read", page: () => import("./people.tsx") },
    { path: "/contacts", label: "broken.title", icon: Bomb, page: () => import("./broken.tsx") },
  ],
});
