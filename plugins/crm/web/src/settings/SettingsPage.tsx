import { Link, useCan, usePlace, useTexts } from "@portico/app-shell";
import { Page } from "@portico/ui";
import { lazy, Suspense } from "react";
import classes from "./settings.module.css";

const parts = {
  pipelines: lazy(() => import("./Pipelines.tsx")),
  fields: lazy(() => import("./Fields.tsx")),
  tags: lazy(() => import("./TagSettings.tsx")),
};
type Part = keyof typeof parts;

/** `/settings`, which is the first of its parts, and `/settings/fields`. */
export default function SettingsPage() {
  const { path } = usePlace();
  const { t } = useTexts();
  const may: Readonly<Record<Part, boolean>> = { pipelines: useCan("pipeline:read"), fields: useCan("settings:read"), tags: useCan("tags:read") };
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
      </nav>
      <Suspense fallback={null}>{Part && <Part />}</Suspense>
    </Page>
  );
}
