import { useTexts } from "@portico/app-shell";
import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { languagesOf, selfLabels, visibilities, type NetworkSettings } from "./settings.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** Settings that one network knows: who sees the post, warnings, languages. */
export function SettingsFields({
  platform,
  value,
  onChange,
}: {
  platform: string;
  value: NetworkSettings;
  onChange: (value: NetworkSettings) => void;
}) {
  const { t } = useTexts();
  const change = (part: NetworkSettings) => onChange({ ...value, ...part });
  const [languages, setLanguages] = useState((value.languages ?? []).join(", "));
  return (
    <details>
      <summary>{t("composer.settings", { network: t(`platform.${platform}`) })}</summary>
      <div className={classes["stack"]}>
        {platform === "mastodon" && (
          <>
            <NativeSelect
              label={t("settings.visibility")}
              value={value.visibility ?? ""}
              onChange={(event) => change({ visibility: event.currentTarget.value })}
              data={[
                { value: "", label: t("visibility.default") },
                ...visibilities.map((each) => ({ value: each, label: t(`visibility.${each}`) })),
              ]}
            />
            <label className={classes["label"]}>
              {t("settings.contentWarning")}
              <input value={value.contentWarning ?? ""} onChange={(event) => change({ contentWarning: event.currentTarget.value })} />
            </label>
            <label className={page["check"]}>
              <input
                type="checkbox"
                checked={value.sensitive ?? false}
                onChange={(event) => change({ sensitive: event.currentTarget.checked })}
              />
              <span>{t("settings.sensitive")}</span>
            </label>
          </>
        )}
        {platform === "bluesky" && (
          <fieldset className={classes["targets"]}>
            <legend>{t("settings.selfLabels")}</legend>
            {selfLabels.map((each) => (
              <label key={each} className={page["check"]}>
                <input
                  type="checkbox"
                  checked={value.labels?.includes(each) ?? false}
                  onChange={(event) =>
                    change({
                      labels: selfLabels.filter((one) => (one === each ? event.currentTarget.checked : value.labels?.includes(one))),
                    })
                  }
                />
                <span>{t(`selfLabel.${each}`)}</span>
              </label>
            ))}
          </fieldset>
        )}
        <label className={classes["label"]}>
          {t("settings.languages")}
          <input
            value={languages}
            onChange={(event) => {
              setLanguages(event.currentTarget.value);
              change({ languages: languagesOf(event.currentTarget.value) });
            }}
          />
          <small>{t("settings.languagesHint")}</small>
        </label>
      </div>
    </details>
  );
}
