import { startApp } from "@portico/app-shell";
import { problemIn } from "@portico/api";
import { Bell, CircleCheck, LayoutDashboard, LayoutGrid, Settings } from "lucide-react";
import { native } from "./bridge.ts";
import { settingsTabs } from "./settings/tabs.ts";
import en from "./texts/en.ts";

const settings = () => import("./settings/SettingsPage.tsx");

startApp({
  service: "launchpad",
  title: "Launchpad",
  personal: true,
  changes: "/api/changes",
  native,
  // Identity is not visited in a web view: the mobile shell signs it in by a handoff.
  silent: !native,
  catalog: { en, de: () => import("./texts/de.ts") },
  // The service records each launch, and its codes are the only ones in an address.
  launch: async (service, returnTo, send) => {
    const body = { service_id: service, target: "web", ...(returnTo && { returnTo }) };
    const response = await send("/api/launch", {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json" },
    });
    if (!response.ok) throw await problemIn(response);
    return ((await response.json()) as { url: string }).url;
  },
  sections: [
    {
      path: "/dashboard",
      label: "dashboard.title",
      icon: LayoutDashboard,
      permission: "widgets:read",
      page: () => import("./dashboard/DashboardPage.tsx"),
    },
    { path: "/apps", label: "apps.heading", icon: LayoutGrid, permission: "apps:read", page: () => import("./apps/AppsPage.tsx") },
    {
      path: "/actions",
      label: "actions.title",
      icon: CircleCheck,
      permission: "actions:read",
      page: () => import("./actions/ActionsPage.tsx"),
    },
    {
      path: "/notifications",
      label: "notifications.title",
      icon: Bell,
      permission: "notifications:read",
      page: () => import("./notifications/NotificationsPage.tsx"),
    },
    { path: "/settings", label: "settings.title", icon: Settings, page: settings },
    ...settingsTabs.map((tab) => ({
      path: `/settings/${tab}`,
      label: `settings.${tab}`,
      page: settings,
      ...(tab === "households" && { permission: "households:manage" }),
    })),
    { path: "/onboarding", label: "onboarding.title", bare: true, page: () => import("./onboarding/OnboardingPage.tsx") },
    { path: "/claim", label: "claim.title", bare: true, page: () => import("./ClaimPage.tsx") },
  ],
});
