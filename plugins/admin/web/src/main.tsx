import { startApp } from "@portico/app-shell";
import { logOf } from "./log.ts";
import { Building2, IdCard, KeySquare, ListChecks, Server, ShieldCheck } from "lucide-react";
import en from "./texts/en.ts";

startApp({
  service: "admin",
  title: "Administration",
  personal: true,
  log: { permission: "system:read", path: logOf },
  catalog: { en, de: () => import("./texts/de.ts") },
  sections: [
    { path: "/profile", label: "profile.title", icon: IdCard, page: () => import("./account/ProfilePage.tsx") },
    { path: "/security/user", label: "security.title", icon: ShieldCheck, page: () => import("./account/SecurityPage.tsx") },
    { path: "/permissions", label: "permissions.title", icon: ListChecks, page: () => import("./permissions/PermissionsPage.tsx") },
    { path: "/api-keys", label: "keys.title", icon: KeySquare, page: () => import("./keys/KeysPage.tsx") },
    { path: "/api-keys/new", label: "keys.new", page: () => import("./keys/NewKeyPage.tsx") },
    { path: "/api-keys/:id", label: "keys.one", page: () => import("./keys/KeyPage.tsx") },
    {
      path: "/organization",
      label: "organization.title",
      icon: Building2,
      permission: "identity.organizations:read",
      page: () => import("./organization/GeneralPage.tsx"),
    },
    { path: "/organization/members", label: "members.title", page: () => import("./organization/MembersPage.tsx") },
    { path: "/organization/members/:id", label: "members.one", page: () => import("./organization/MemberPage.tsx") },
    { path: "/organization/invitations", label: "invitations.title", page: () => import("./organization/InvitationsPage.tsx") },
    { path: "/organization/roles", label: "roles.title", page: () => import("./organization/RolesPage.tsx") },
    { path: "/organization/security", label: "policy.title", page: () => import("./organization/PolicyPage.tsx") },
    { path: "/organization/domains", label: "domains.title", page: () => import("./organization/DomainsPage.tsx") },
    { path: "/organization/services", label: "access.title", page: () => import("./organization/AccessPage.tsx") },
    { path: "/organization/agents", label: "agents.title", page: () => import("./organization/AgentsPage.tsx") },
    { path: "/organization/agents/:id", label: "agents.one", page: () => import("./organization/AgentPage.tsx") },
    { path: "/organization/oauth-clients", label: "clients.title", page: () => import("./organization/ClientsPage.tsx") },
    { path: "/organization/oauth-clients/:id", label: "clients.one", page: () => import("./organization/ClientPage.tsx") },
    { path: "/organization/webhooks", label: "webhooks.title", page: () => import("./organization/WebhooksPage.tsx") },
    { path: "/organization/audit", label: "audit.title", page: () => import("./organization/AuditPage.tsx") },
    {
      path: "/platform",
      label: "platform.title",
      icon: Server,
      permission: "system:read",
      page: () => import("./platform/ServicesPage.tsx"),
    },
    {
      path: "/platform/operations",
      label: "operations.title",
      permission: "system:read",
      page: () => import("./platform/OperationsPage.tsx"),
    },
    { path: "/platform/jobs", label: "jobs.title", permission: "system:read", page: () => import("./platform/JobsPage.tsx") },
    { path: "/platform/log", label: "log.title", permission: "system:read", page: () => import("./platform/LogPage.tsx") },
  ],
});
