import { useCan, useMe, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Chip, Facts, SidePanel, useDeed, useUi } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { AppIcon, LaunchLink, When } from "../parts.tsx";
import { isInstalled, useChangePreferences, useLaunchpad, useReload, type CatalogEntry, type Preferences } from "../service.ts";
import { InstallButton, usePin } from "./changes.tsx";
import page from "@portico/ui/page.module.css";
import own from "../page.module.css";
import classes from "./apps.module.css";

/** All about one app, at the side of the catalog. */
export function AppDetails({
  app,
  preferences,
  onClose,
}: {
  app: CatalogEntry;
  preferences: Preferences | undefined;
  onClose: () => void;
}) {
  const { t } = useTexts();
  const api = useLaunchpad();
  const { context } = useMe();
  const pin = usePin();
  const { data } = useQuery({
    queryKey: ["/api/store/apps", app.slug],
    queryFn: ({ signal }) => api.get("/api/store/apps/{slug}", { path: { slug: app.slug }, signal }),
  });
  const permissions = data?.permissions ?? app.permissionsRequested.map((scope) => ({ scope, title: scope }));
  const pinned = preferences?.pinned.includes(app.service_id) ?? false;
  const opens = isInstalled(app) && app.launchable;
  return (
    <SidePanel open title={app.name} onClose={onClose}>
      <div className={own["stack"]}>
        <div className={page["row"]}>
          <AppIcon app={app} size="large" />
          <span className={page["grow"]}>
            <span className={own["strong"]}>{app.tagline || app.name}</span>
            <span className={page["more"]}>
              {t("apps.by", { name: app.publisher.name })} {app.publisher.verified && <Chip kind="good">{t("apps.verified")}</Chip>}
            </span>
          </span>
        </div>
        <div className={own["acts"]}>
          {opens && (
            <LaunchLink service={app.service_id} className={classes["primary"]} data-autofocus>
              <ExternalLink size={16} aria-hidden /> {t("apps.open")}
            </LaunchLink>
          )}
          {!isInstalled(app) && <InstallButton app={app} context={context} filled />}
          {opens && <Button onClick={() => pin(app, !pinned)}>{t(pinned ? "apps.unpin" : "apps.pin")}</Button>}
          <Remove app={app} context={context} onDone={onClose} />
        </div>
        {(data?.longDescription || app.description) && <p className={classes["long"]}>{data?.longDescription || app.description}</p>}
        {preferences && opens && <FolderChoice app={app} preferences={preferences} />}
        <Facts
          list={[
            [t("apps.status"), t(`availability.${app.availability}`)],
            [t("apps.lastOpened"), app.user?.lastLaunchedAt ? <When at={app.user.lastLaunchedAt} /> : null],
            [t("apps.opened30"), app.user?.launchCount30d || null],
            [t("apps.installedOn"), app.install?.installedAt ? <When at={app.install.installedAt} /> : null],
          ]}
        />
        <section>
          <h3 className={classes["group"]}>{t("apps.permissions")}</h3>
          {permissions.length === 0 ? (
            <p className={page["muted"]}>{t("apps.permissionsNone")}</p>
          ) : (
            <ul className={classes["permissions"]}>
              {permissions.map(({ scope, title }) => (
                <li key={scope}>
                  {title}
                  {title !== scope && <code>{scope}</code>}
                </li>
              ))}
            </ul>
          )}
        </section>
        {(data?.privacyUrl || data?.supportUrl) && (
          <p className={page["row"]}>
            {data.privacyUrl && (
              <a href={data.privacyUrl} target="_blank" rel="noopener noreferrer">
                {t("apps.privacy")}
              </a>
            )}
            {data.supportUrl && (
              <a href={data.supportUrl} target="_blank" rel="noopener noreferrer">
                {t("apps.support")}
              </a>
            )}
          </p>
        )}
      </div>
    </SidePanel>
  );
}

/** Removes an app, with a way back; a required one says why not. */
function Remove({ app, context, onDone }: { app: CatalogEntry; context: "organization" | "personal"; onDone: () => void }) {
  const { t } = useTexts();
  const api = useLaunchpad();
  const reload = useReload();
  const { undo } = useUi();
  const { busy, run } = useDeed();
  const mayInstall = useCan("apps:install");
  const { install, name, service_id } = app;
  if (!isInstalled(app) || (context === "organization" && !mayInstall)) return null;
  if (install?.mode === "required") return <span className={page["muted"]}>{t("apps.requiredText")}</span>;
  const remove = () =>
    void run(async () => {
      await api.delete("/api/installs/{service_id}", { path: { service_id } }).finally(reload);
      undo.push({
        text: t("apps.removedName", { name }),
        undo: () =>
          api.post("/api/installs", { body: { service_id, scope: context === "organization" ? "organization" : "me" } }).finally(reload),
      });
      onDone();
    });
  return (
    <Button variant="subtle" color="red" loading={busy} onClick={remove}>
      {t("apps.remove")}
    </Button>
  );
}

/** The folder that an app is in. */
function FolderChoice({ app, preferences }: { app: CatalogEntry; preferences: Preferences }) {
  const { t } = useTexts();
  const change = useChangePreferences();
  const { run } = useDeed();
  const { service_id } = app;
  const current = preferences.folders.find(({ serviceIds }) => serviceIds.includes(service_id))?.id ?? "";
  if (preferences.folders.length === 0) return null;
  const put = (id: string) =>
    void run(() =>
      change(({ folders }) => ({
        folders: folders.map((each) => ({
          ...each,
          serviceIds: [...each.serviceIds.filter((other) => other !== service_id), ...(each.id === id ? [service_id] : [])],
        })),
      })),
    );
  return (
    <label className={page["field"]}>
      {t("folder.one")}
      <select value={current} onChange={(event) => put(event.currentTarget.value)}>
        <option value="">{t("folder.noneOf")}</option>
        {preferences.folders.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
