import { useCan, useMe } from "@portico/app-shell";
import { useMemo } from "react";

/** The pages below settings, in the order of their tabs. */
export const settingsTabs = ["appearance", "recovery", "api-keys", "organization", "billing", "households"] as const;

export type SettingsTab = (typeof settingsTabs)[number];

/** The pages that the user may open in the active context: what an organization has is for those who may read it. */
export function useSettingsTabs(): readonly SettingsTab[] {
  const { context } = useMe();
  const personal = context === "personal";
  const organization = useCan("settings:read") && !personal;
  const billing = useCan("billing:read") || personal;
  const households = useCan("households:manage");
  return useMemo(() => {
    const may: Partial<Record<SettingsTab, boolean>> = { organization, billing, households };
    return settingsTabs.filter((each) => may[each] !== false);
  }, [billing, households, organization]);
}
