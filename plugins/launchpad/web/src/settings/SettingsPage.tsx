import { useMe, usePlace, useTexts } from "@portico/app-shell";
import { later } from "@portico/ui";
import type { ComponentType } from "react";
import { LaunchpadPage, Tabs } from "../parts.tsx";
import { Appearance } from "./Appearance.tsx";
import { settingsTabs } from "./tabs.ts";

type Tab = (typeof settingsTabs)[number];

const parts: Readonly<Record<Tab, ComponentType>> = {
  appearance: Appearance,
  recovery: later(() => import("./Recovery.tsx")),
  "api-keys": later(() => import("./Keys.tsx")),
  organization: later(() => import("./Organization.tsx")),
  billing: later(() => import("./Billing.tsx")),
  households: later(() => import("./Households.tsx")),
};

/** Settings of the user and, for administrators, of the organization. */
export default function SettingsPage() {
  const { t } = useTexts();
  const { context } = useMe();
  const { path } = usePlace();
  const tab = settingsTabs.find((each) => path === `/settings/${each}`) ?? "appearance";
  const Part = parts[tab];
  // The organization has none in the personal context; households are chosen there only, and explained elsewhere.
  const shown = settingsTabs.filter((each) => each !== "organization" || context === "organization");
  return (
    <LaunchpadPage title={t("settings.title")}>
      <Tabs
        label={t("settings.parts")}
        tabs={shown.map((each) => [`/settings/${each}`, t(`settings.${each}`)] as const)}
        current={`/settings/${tab}`}
      />
      <Part />
    </LaunchpadPage>
  );
}
