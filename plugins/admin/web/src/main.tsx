import { startApp } from "@portico/app-shell";
import { IdCard, ShieldCheck } from "lucide-react";

startApp({
  service: "admin",
  title: "Administration",
  personal: true,
  catalog: { en: () => import("./texts/en.ts") },
  sections: [
    { path: "/profile", label: "profile.title", icon: IdCard, page: () => import("./account/ProfilePage.tsx") },
    { path: "/security/user", label: "security.title", icon: ShieldCheck, page: () => import("./account/SecurityPage.tsx") },
  ],
});
