import { startApp } from "@portico/app-shell";
import { CalendarDays, ChartColumn, Flame, Images, LayoutDashboard, Newspaper, Settings, Share2, ThumbsUp } from "lucide-react";
import en from "./texts/en.ts";

startApp({
  service: "social",
  title: "Social",
  changes: "/api/changes",
  catalog: { en, de: () => import("./texts/de.ts") },
  sections: [
    {
      path: "/overview",
      label: "overview.title",
      icon: LayoutDashboard,
      permission: "content:read",
      page: () => import("./overview/OverviewPage.tsx"),
    },
    { path: "/posts", label: "posts.title", icon: Newspaper, permission: "posts:read", page: () => import("./posts/PostsPage.tsx") },
    { path: "/posts/new", label: "posts.new", permission: "posts:write", page: () => import("./posts/NewPostPage.tsx") },
    { path: "/posts/:id", label: "posts.one", permission: "posts:read", page: () => import("./posts/PostPage.tsx") },
    { path: "/posts/:id/edit", label: "posts.edit", permission: "posts:write", page: () => import("./posts/EditPostPage.tsx") },
    {
      path: "/calendar",
      label: "calendar.title",
      icon: CalendarDays,
      permission: "posts:read",
      page: () => import("./calendar/CalendarPage.tsx"),
    },
    {
      path: "/approvals",
      label: "approvals.title",
      icon: ThumbsUp,
      permission: "content:read",
      page: () => import("./approvals/ApprovalsPage.tsx"),
    },
    { path: "/trends", label: "trends.title", icon: Flame, permission: "content:read", page: () => import("./trends/TrendsPage.tsx") },
    { path: "/library", label: "library.title", icon: Images, permission: "media:read", page: () => import("./library/LibraryPage.tsx") },
    {
      path: "/accounts",
      label: "accounts.title",
      icon: Share2,
      permission: "accounts:read",
      page: () => import("./accounts/AccountsPage.tsx"),
    },
    {
      path: "/analytics",
      label: "analytics.title",
      icon: ChartColumn,
      permission: "content:read",
      page: () => import("./analytics/AnalyticsPage.tsx"),
    },
    {
      path: "/settings",
      label: "settings.title",
      icon: Settings,
      permission: "brands:read",
      page: () => import("./settings/SettingsPage.tsx"),
    },
  ],
});
