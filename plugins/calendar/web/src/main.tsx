import { startApp } from "@portico/app-shell";
import { Clock, Layers, Settings } from "lucide-react";

const types = () => import("./types/TypesPage.tsx");

startApp({
  service: "calendar",
  title: "Calendar",
  catalog: { en: () => import("./texts/en.ts"), de: () => import("./texts/de.ts") },
  sections: [
    { path: "/app", label: "types.title", icon: Layers, permission: "event_types:read", page: types },
    { path: "/app/event-types", label: "types.title", permission: "event_types:read", page: types },
    { path: "/app/event-types/new", label: "types.new", permission: "event_types:write", page: () => import("./types/NewTypePage.tsx") },
    { path: "/app/event-types/:id", label: "types.one", permission: "event_types:read", page: () => import("./types/TypePage.tsx") },
    { path: "/app/availability", label: "availability.title", icon: Clock, permission: "availability:read", page: () => import("./availability/AvailabilityPage.tsx") },
    { path: "/app/settings", label: "settings.title", icon: Settings, permission: "host:read", page: () => import("./settings/SettingsPage.tsx") },
  ],
});
