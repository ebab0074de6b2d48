import { Link, useTexts } from "@portico/app-shell";
import { LayoutGrid } from "lucide-react";
import { AppIcon, LaunchLink } from "../parts.tsx";
import { isLaunchable, ordered, type CatalogEntry, type Preferences } from "../service.ts";
import classes from "./dashboard.module.css";

const mostShown = 12;

/** Apps that open with one click: the pinned ones, or those that are installed while none is pinned. */
export function Pinned({ apps, preferences }: { apps: readonly CatalogEntry[]; preferences: Preferences }) {
  const { t } = useTexts();
  const installed = ordered(
    apps.filter((app) => isLaunchable(app) && !preferences.hidden.includes(app.service_id)),
    [...preferences.pinned, ...preferences.order],
  );
  const pinned = installed.filter(({ service_id }) => preferences.pinned.includes(service_id));
  const shown = pinned.length > 0 ? pinned : installed.slice(0, mostShown);
  if (shown.length === 0) return null;
  return (
    <nav aria-label={t(pinned.length > 0 ? "apps.pinned" : "apps.yours")}>
      <ul className={classes["pinned"]}>
        {shown.map((app) => (
          <li key={app.service_id}>
            <LaunchLink service={app.service_id}>
              <AppIcon app={app} size="large" />
              <bdi>{app.name}</bdi>
            </LaunchLink>
          </li>
        ))}
        <li>
          <Link to="/apps">
            <span className={classes["allApps"]}>
              <LayoutGrid size={22} aria-hidden />
            </span>
            {t("apps.all")}
          </Link>
        </li>
      </ul>
    </nav>
  );
}
