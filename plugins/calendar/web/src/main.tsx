import { startApp } from "@portico/app-shell";
import { CalendarDays, CalendarSync, Clock, Inbox, Layers, Settings } from "lucide-react";
import en from "./texts/en.ts";

startApp({
  service: "calendar",
  title: "Calendar",
  changes: "/api/changes",
  search: {
    label: "bookings.title",
    icon: CalendarDays,
    permission: "bookings:read",
    find: async (q, send, signal) => {
      const [from, to] = [-365, 730].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
      const { items } = await send<{ items: { bookingId: string; title: string; start: string; guest: { name: string } }[] }>({
        method: "GET",
        path: "/api/admin/bookings",
        query: { q, from, to, sort: "-start", limit: 8 },
        signal,
      });
      // By the clock of whoever looks, in their language.
      const day = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium" });
      return items.map(({ bookingId, title, start, guest }) => ({
        label: `${guest.name} · ${title} · ${day.format(new Date(start))}`,
        path: `/app/bookings/${bookingId}`,
      }));
    },
  },
  catalog: { en, de: () => import("./texts/de.ts") },
  sections: [
    { path: "/app", label: "week.title", icon: CalendarDays, permission: "bookings:read", page: () => import("./week/WeekPage.tsx") },
    { path: "/app/bookings/:id", label: "booking.one", permission: "bookings:read", page: () => import("./bookings/BookingPage.tsx") },
    {
      path: "/app/requests",
      label: "requests.title",
      icon: Inbox,
      permission: "bookings:read",
      page: () => import("./requests/RequestsPage.tsx"),
    },
    {
      path: "/app/event-types",
      label: "types.title",
      icon: Layers,
      permission: "event_types:read",
      page: () => import("./types/TypesPage.tsx"),
    },
    { path: "/app/event-types/new", label: "types.new", permission: "event_types:write", page: () => import("./types/NewTypePage.tsx") },
    { path: "/app/event-types/:id", label: "types.one", permission: "event_types:read", page: () => import("./types/TypePage.tsx") },
    { path: "/app/event-types/:id/embed", label: "embed.title", permission: "embed:issue", page: () => import("./embed/EmbedPage.tsx") },
    {
      path: "/app/availability",
      label: "availability.title",
      icon: Clock,
      permission: "availability:read",
      page: () => import("./availability/AvailabilityPage.tsx"),
    },
    {
      path: "/app/calendars",
      label: "calendars.title",
      icon: CalendarSync,
      permission: "external_sync:read",
      page: () => import("./calendars/CalendarsPage.tsx"),
    },
    {
      path: "/app/settings",
      label: "settings.title",
      icon: Settings,
      permission: "host:read",
      page: () => import("./settings/SettingsPage.tsx"),
    },
  ],
});
