import { startApp } from "@portico/app-shell";
import { ClipboardList } from "lucide-react";
import en from "./texts/en.ts";

startApp({
  service: "acme-notes",
  title: "Acme Notes",
  catalog: { en },
  sections: [{ path: "/notes", label: "notes.title", icon: ClipboardList, permission: "notes:read", page: () => import("./notes.tsx") }],
});
