import { usePreference, useTexts, useTheme, useThemeChoice } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Loaded, useDeed, useUi } from "@portico/ui";
import { Choices } from "../parts.tsx";
import { useChangePreferences, usePreferences, type Preferences } from "../service.ts";
import classes from "../page.module.css";

const languages = ["en", "de"] as const;

/** What follows the user to every device: theme, density, language, and how apps open. Saved at once. */
export function Appearance() {
  const { t, locale } = useTexts();
  const { theme } = useTheme();
  const choose = useThemeChoice();
  const [language, setLanguage] = usePreference("locale", "", { shared: true });
  const [density, setDensity] = usePreference<"comfortable" | "compact">("density", "comfortable", { shared: true });
  const preferences = usePreferences();
  const change = useChangePreferences();
  const { run } = useDeed();
  const set = (part: Partial<Preferences>) => void run(() => change(() => part));
  const current = languages.find((each) => (language || locale).startsWith(each)) ?? "en";
  const nameOf = (each: string) => new Intl.DisplayNames([each], { type: "language" }).of(each) ?? each;
  return (
    <>
      <Card title={t("settings.look")} text={t("settings.lookText")}>
        <div className={classes["stack"]}>
          <Choices
            label={t("settings.theme")}
            value={theme}
            options={[
              ["system", t("settings.theme.system")],
              ["light", t("settings.theme.light")],
              ["dark", t("settings.theme.dark")],
            ]}
            onChange={choose}
          />
          <Choices
            label={t("settings.density")}
            value={density}
            options={[
              ["comfortable", t("settings.density.comfortable")],
              ["compact", t("settings.density.compact")],
            ]}
            onChange={setDensity}
          />
          <Choices
            label={t("settings.language")}
            value={current}
            options={languages.map((each) => [each, nameOf(each)] as const)}
            onChange={setLanguage}
          />
        </div>
      </Card>
      <Card title={t("settings.apps")}>
        <Loaded query={preferences} lines={4}>
          {({ openIn, view }) => (
            <div className={classes["stack"]}>
              <Choices
                label={t("settings.openIn")}
                value={openIn}
                options={[
                  ["same_tab", t("settings.openIn.same")],
                  ["new_tab", t("settings.openIn.new")],
                ]}
                onChange={(value) => set({ openIn: value })}
              />
              <Choices
                label={t("settings.view")}
                value={view}
                options={[
                  ["tiles", t("apps.view.tiles")],
                  ["list", t("apps.view.list")],
                ]}
                onChange={(value) => set({ view: value })}
              />
              <ResetDashboard />
            </div>
          )}
        </Loaded>
      </Card>
    </>
  );
}

/** Shows the tiles and pins as they are before the user has changed them, with a way back. */
function ResetDashboard() {
  const { t } = useTexts();
  const { undo } = useUi();
  const { busy, run } = useDeed();
  const { data } = usePreferences();
  const change = useChangePreferences();
  const reset = () =>
    void run(async () => {
      const { widgets = [], pinned = [], order = [] } = data ?? {};
      await change(() => ({ widgets: [], pinned: null, order: null }));
      undo.push({ text: t("settings.wasReset"), undo: () => change(() => ({ widgets, pinned, order })) });
    });
  return (
    <div>
      <Button loading={busy} onClick={reset}>
        {t("settings.reset")}
      </Button>
    </div>
  );
}
