import { setQuery, useCan, useMe, useQuery as useQueryMember, useTexts } from "@portico/app-shell";
import { Button, NativeSelect } from "@mantine/core";
import { Empty, Loaded, NoMatch, useDeed } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { FolderPlus, LayoutGrid, List, Store } from "lucide-react";
import { useState } from "react";
import { LaunchpadPage } from "../parts.tsx";
import {
  isInstalled,
  ordered,
  useCatalog,
  useChangePreferences,
  useLaunchpad,
  usePreferences,
  wholeList,
  type CatalogEntry,
  type Category,
  type Preferences,
} from "../service.ts";
import { finds, fold } from "./search.ts";
import { AppCard } from "./AppCard.tsx";
import { AppDetails } from "./AppDetails.tsx";
import { Folders, NewFolder } from "./Folders.tsx";
import classes from "./apps.module.css";
import page from "../page.module.css";

const views = ["tiles", "list"] as const;

/** The apps of the workspace, and those that can be added. */
export default function AppsPage() {
  const { t } = useTexts();
  const catalog = useCatalog();
  const preferences = usePreferences();
  const change = useChangePreferences();
  const { run } = useDeed();
  const [foldering, setFoldering] = useState(false);
  const [chosen] = useQueryMember("app");
  const [notice] = useQueryMember("notice");
  const view = preferences.data?.view === "list" ? "list" : "tiles";
  const app = catalog.data?.find(({ slug, service_id }) => chosen === slug || chosen === service_id);
  return (
    <LaunchpadPage
      title={t("apps.heading")}
      wide
      tools={
        <>
          <Button leftSection={<FolderPlus size={16} aria-hidden />} onClick={() => setFoldering(true)}>
            {t("folder.new")}
          </Button>
          <div role="group" aria-label={t("apps.view")} className={classes["views"]}>
            {views.map((each) => (
              <button
                key={each}
                type="button"
                aria-pressed={view === each}
                aria-label={t(`apps.view.${each}`)}
                title={t(`apps.view.${each}`)}
                onClick={() => void run(() => change(() => ({ view: each })))}
              >
                {each === "tiles" ? <LayoutGrid size={18} aria-hidden /> : <List size={18} aria-hidden />}
              </button>
            ))}
          </div>
        </>
      }
    >
      {notice === "launch_expired" && (
        <p role="status" className={classes["notice"]}>
          {t("apps.launchExpired")}
        </p>
      )}
      <Loaded query={catalog} lines={10}>
        {(apps) => (
          <Loaded query={preferences} lines={10}>
            {(set) => <Catalog apps={apps} preferences={set} view={view} />}
          </Loaded>
        )}
      </Loaded>
      {app && <AppDetails app={app} preferences={preferences.data} onClose={() => setQuery({ app: null })} />}
      {foldering && <NewFolder onClose={() => setFoldering(false)} />}
    </LaunchpadPage>
  );
}

function Catalog({ apps, preferences, view }: { apps: readonly CatalogEntry[]; preferences: Preferences; view: "tiles" | "list" }) {
  const { t } = useTexts();
  const { context } = useMe();
  const mayInstall = useCan("apps:install");
  const [q, setQ] = useQueryMember("q");
  const [category, setCategory] = useQueryMember("category");
  const categories = useCategories(context === "personal");
  const words = fold(q ?? "")
    .split(/\s+/)
    .filter(Boolean);
  const fits = (app: CatalogEntry) =>
    (!category || app.categories.includes(category)) &&
    words.every((word) => finds(fold(`${app.name} ${app.tagline} ${app.description} ${app.categories.join(" ")}`), word));
  const all = ordered(apps, [...preferences.pinned, ...preferences.order]);
  const found = all.filter(fits);
  const foldered = new Set(preferences.folders.flatMap(({ serviceIds }) => serviceIds));
  const filtered = words.length > 0 || category !== null;
  const installed = found.filter(isInstalled);
  const others = found.filter((app) => !isInstalled(app));
  const offered = categories.filter(({ id }) => all.some((app) => app.categories.includes(id)));
  if (apps.length === 0) return <Empty icon={Store} title={t("apps.empty")} text={t(mayInstall ? "apps.emptyAdmin" : "apps.emptyText")} />;
  return (
    <>
      <div className={page["bar"]}>
        <input
          type="search"
          value={q ?? ""}
          maxLength={80}
          placeholder={t("apps.search")}
          aria-label={t("apps.search")}
          onChange={(event) => setQ(event.currentTarget.value || null)}
        />
        {offered.length > 0 && (
          <NativeSelect
            aria-label={t("apps.category")}
            value={category ?? ""}
            data={[{ value: "", label: t("apps.everyCategory") }, ...offered.map(({ id, title }) => ({ value: id, label: title }))]}
            onChange={(event) => setCategory(event.currentTarget.value || null)}
          />
        )}
        <span className="ui-hidden" role="status">
          {filtered ? t("apps.found", { count: found.length }) : ""}
        </span>
      </div>
      {found.length === 0 && <NoMatch clear={() => setQuery({ q: null, category: null })} />}
      {!filtered && <Folders apps={all.filter(isInstalled)} preferences={preferences} view={view} />}
      <Group
        title={t("apps.installed")}
        apps={filtered ? installed : installed.filter(({ service_id }) => !foldered.has(service_id))}
        preferences={preferences}
        view={view}
      />
      <Group title={t("apps.available")} apps={others} preferences={preferences} view={view} />
    </>
  );
}

function Group({
  title,
  apps,
  preferences,
  view,
}: {
  title: string;
  apps: readonly CatalogEntry[];
  preferences: Preferences;
  view: "tiles" | "list";
}) {
  if (apps.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className={classes["group"]}>{title}</h2>
      <ul className={classes[view]}>
        {apps.map((app) => (
          <AppCard key={app.service_id} app={app} preferences={preferences} />
        ))}
      </ul>
    </section>
  );
}

const hourMilliseconds = 3_600_000;

/** Categories of the store. In the personal context those of organizations are left out. */
function useCategories(personal: boolean): readonly Category[] {
  const api = useLaunchpad();
  const { data } = useQuery({
    queryKey: ["/api/store/categories"],
    staleTime: hourMilliseconds,
    queryFn: ({ signal }) => wholeList<Category>((query) => api.get("/api/store/categories", { query, signal })),
  });
  return (data ?? []).filter(({ orgFirst }) => !personal || !orgFirst);
}
