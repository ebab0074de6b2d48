import { Link, useMe, useTexts } from "@portico/app-shell";
import { Chip } from "@portico/ui";
import { Info, Pin, PinOff } from "lucide-react";
import { AppIcon, LaunchLink } from "../parts.tsx";
import { isInstalled, type CatalogEntry, type Preferences } from "../service.ts";
import { InstallButton, usePin } from "./changes.tsx";
import classes from "./apps.module.css";

/** An app: opens with one click where it is installed; else it can be installed or requested. */
export function AppCard({ app, preferences }: { app: CatalogEntry; preferences: Preferences }) {
  const { t } = useTexts();
  const { context } = useMe();
  const pin = usePin();
  const pinned = preferences.pinned.includes(app.service_id);
  const opens = isInstalled(app) && app.launchable;
  const head = (
    <>
      <AppIcon app={app} size="large" />
      <span className={classes["words"]}>
        <span className={classes["name"]}>
          <bdi>{app.name}</bdi>
        </span>
        <span className={classes["about"]}>{app.tagline || app.description}</span>
      </span>
    </>
  );
  return (
    <li className={classes["app"]} data-app={app.service_id}>
      {opens ? (
        <LaunchLink service={app.service_id} className={classes["open"]}>
          {head}
        </LaunchLink>
      ) : (
        <Link to={detailsPath(app)} className={classes["open"]}>
          {head}
        </Link>
      )}
      <span className={classes["foot"]}>
        {isInstalled(app) ? (
          app.install?.mode === "required" && <Chip>{t("apps.required")}</Chip>
        ) : (
          <InstallButton app={app} context={context} />
        )}
        <span className={classes["ends"]}>
          {opens && (
            <button
              type="button"
              className="p-icon"
              aria-pressed={pinned}
              aria-label={t(pinned ? "apps.unpinName" : "apps.pinName", { name: app.name })}
              title={t(pinned ? "apps.unpin" : "apps.pin")}
              onClick={() => pin(app, !pinned)}
            >
              {pinned ? <PinOff size={16} aria-hidden /> : <Pin size={16} aria-hidden />}
            </button>
          )}
          <Link to={detailsPath(app)} className="p-icon" aria-label={t("apps.detailsName", { name: app.name })} title={t("apps.details")}>
            <Info size={16} aria-hidden />
          </Link>
        </span>
      </span>
    </li>
  );
}

/** The address of the details keeps what is searched for. */
function detailsPath({ slug, service_id }: CatalogEntry): string {
  const query = new URLSearchParams(location.search);
  query.set("app", slug || service_id);
  return `/apps?${query}`;
}
