import { Link, useCan, usePlace, useTexts } from "@portico/app-shell";
import { later, Page } from "@portico/ui";
import classes from "./settings.module.css";

const parts = {
  pipelines: later(() => import("./Pipelines.tsx")),
  fields: later(() => import("./Fields.tsx")),
  tags: later(() => import("./TagSettings.tsx")),
};
type Part = keyof typeof parts;

/** `/settings`, which is the first of its parts, and `/settings/fields`. */
export default function SettingsPage() {
  const { path } = usePlace();
  const { t } = useTexts();
  const may: Readonly<Record<Part, boolean>> = {
    pipelines: useCan("pipeline:read"),
    fields: useCan("settings:read"),
    tags: useCan("tags:read"),
  };
  const mayManageKeys = useCan("api_keys:manage");
  const shown = (Object.keys(parts) as Part[]).filter((each) => may[each]);
  const part = shown.find((each) => path === `/settings/${each}`) ?? shown[0];
  const Part = part && parts[part];
  return (
    <Page title={t("settings.title")}>
      <nav className={classes["tabs"]} aria-label={t("settings.title")}>
        {shown.map((each) => (
          <Link key={each} to={`/settings/${each}`} aria-current={each === part ? "page" : undefined}>
            {t(`settings.${each}`)}
          </Link>
        ))}
        {mayManageKeys && <a href="/auth/launch/admin?return_to=/api-keys">{t("settings.keys")}</a>}
      </nav>
      {Part && <Part />}
    </Page>
  );
}
