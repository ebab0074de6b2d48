/** The pages below settings, in the order of their tabs. */
export const settingsTabs = ["appearance", "recovery", "api-keys", "organization", "billing", "households"] as const;
