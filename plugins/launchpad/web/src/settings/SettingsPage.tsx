import { usePlace, useTexts } from "@portico/app-shell";
import { later } from "@portico/ui";
import type { ComponentType } from "react";
import { LaunchpadPage, Tabs } from "../parts.tsx";
import { Appearance } from "./Appearance.tsx";
import { settingsTabs, useSettingsTabs, type SettingsTab } from "./tabs.ts";

const parts: Readonly<Record<SettingsTab, ComponentType>> = {
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
  const { path } = usePlace();
  const tab = settingsTabs.find((each) => path === `/settings/${each}`) ?? "appearance";
  const Part = parts[tab];
  const shown = useSettingsTabs();
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
