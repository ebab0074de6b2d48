import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import {
  Bell,
  ChevronsLeft,
  ChevronsRight,
  ChevronsUpDown,
  Grip,
  Keyboard,
  Languages,
  LogOut,
  Menu as MenuIcon,
  MessageSquareWarning,
  Moon,
  Palette as PaletteIcon,
  Search,
  Sun,
  SunMoon,
  UserRound,
} from "lucide-react";
import type { Me } from "@portico/auth-client";
import { IconMenu, Menu, MenuItem, MenuLine, MenuTitle } from "@portico/ui";
import { loadApps } from "./apps.ts";
import { keysOpen, paletteOpen } from "./commands.ts";
import { useShell, type Section } from "./core.tsx";
import { Dialog } from "./dialog.tsx";
import { languagesOf } from "./i18n.ts";
import { leave } from "./native.ts";
import { usePreference, useThemeChoice } from "./preferences.ts";
import { Link, match, usePlace } from "./router.tsx";
import { createStore, useStore } from "./store.ts";
import styles from "./frame.module.css";
import { useTheme, type Theme } from "./theme.ts";

const paletteKey = (t: (key: string) => string) => t("keys.palette.keys").split(", ")[/Mac|iPhone|iPad/.test(navigator.userAgent) ? 1 : 0];

export interface FrameProps {
  readonly me: Me;
  readonly section: Section | null;
  readonly sections: readonly Section[];
  readonly bars: ReactNode;
  readonly recent: (close: () => void) => ReactNode;
  readonly onSwitch: (organizationId: string | null) => void;
  readonly onReport: () => void;
  readonly children: ReactNode;
}

const pageName = createStore("");

/** Names the record that the page shows; returns what takes that name away. */
export function namePage(name: string): () => void {
  pageName.set(name);
  return () => pageName.set((now) => (now === name ? "" : now));
}

/** A section's name; that of its record where its path has one, once the page has named it. */
function useLabel(): (section: Section) => string {
  const { t } = useShell().texts;
  const name = useStore(pageName);
  return ({ path, label }) => (path.includes("/:") && name) || t(label);
}

/** The title of the window: the page, then the app. */
function useTitle(section: Section | null) {
  const { app } = useShell();
  const labelOf = useLabel();
  const title = `${section ? `${labelOf(section)} · ` : ""}${app.title}`;
  useEffect(() => void (document.title = title), [title]);
}

/** The place for a page alone, with a way to sign out. */
export function Bare({ section, bars, children }: FrameProps) {
  const shell = useShell();
  const { t } = shell.texts;
  useTitle(section);
  return (
    <div className={styles["bare"]}>
      {bars}
      <main id="page" tabIndex={-1} className={styles["alone"]}>
        {children}
      </main>
      <footer>
        <button type="button" className="p-link" onClick={() => void leave(shell)}>
          {t("account.signOut")}
        </button>
      </footer>
    </div>
  );
}

/** Sidebar, header and the place for a page. */
export function Frame({ me, section, sections, bars, recent, onSwitch, onReport, children }: FrameProps) {
  const { app, texts } = useShell();
  const { t } = texts;
  const [folded, setFolded] = usePreference("sidebarFolded", false, { shared: true });
  const [drawer, setDrawer] = useState(false);
  const { path } = usePlace();
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);

  useEffect(() => setDrawer(false), [path]);
  // After a change of page whoever reads with their ears is at its beginning.
  useEffect(() => {
    if (first.current) first.current = false;
    else if (!document.querySelector("dialog[open]")) main.current?.focus({ preventScroll: true });
  }, [path]);
  useTitle(section);

  const entry = entryOf(section, sections, path);
  const navigation = (wide: boolean) => (
    <>
      <WorkspaceMenu me={me} wide={wide} onSwitch={onSwitch} />
      <nav aria-label={t("frame.navigation")}>
        <ul className={styles["sections"]}>
          {sections.map((each) => (
            <li key={each.path}>
              <Link to={each.path} aria-current={each === entry ? "page" : undefined} title={wide ? undefined : t(each.label)}>
                {each.icon && <each.icon size={18} aria-hidden />}
                <span className={wide ? undefined : "ui-hidden"}>{t(each.label)}</span>
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </>
  );
  // Who opens a record waits for the record, and for nothing around it that is the same as before.
  const side = useMemo(() => navigation(!folded), [me, sections, entry, folded, texts, onSwitch]);
  const menus = useMemo(
    () => (
      <>
        <IconMenu label={t("toasts.recent")} icon={<Bell size={18} aria-hidden />}>
          {recent}
        </IconMenu>
        {me.answer["launcherEligible"] !== false && (
          <IconMenu label={t("apps.title")} icon={<Grip size={18} aria-hidden />}>
            {() => <Apps />}
          </IconMenu>
        )}
        <AccountMenu me={me} onReport={onReport} />
      </>
    ),
    [me, texts, recent, onReport],
  );

  return (
    <div className={styles["frame"]} data-folded={folded}>
      <a className={styles["skip"]} href="#page" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        {t("frame.skip")}
      </a>
      <aside className={styles["side"]} aria-label={t("frame.sidebar")}>
        {side}
        <button
          type="button"
          className={styles["fold"]}
          aria-expanded={!folded}
          aria-label={t(folded ? "frame.unfold" : "frame.fold")}
          onClick={() => setFolded(!folded)}
        >
          {folded === (texts.direction === "ltr") ? <ChevronsRight size={18} aria-hidden /> : <ChevronsLeft size={18} aria-hidden />}
          {!folded && <span>{t("frame.fold")}</span>}
        </button>
      </aside>
      {drawer && (
        <Dialog title={app.title} place="start" onClose={() => setDrawer(false)}>
          <div className={styles["drawer"]}>{navigation(true)}</div>
        </Dialog>
      )}
      <div className={styles["column"]}>
        <header className={styles["header"]}>
          <button type="button" className={`p-icon ${styles["burger"]}`} aria-label={t("frame.menu")} onClick={() => setDrawer(true)}>
            <MenuIcon size={20} aria-hidden />
          </button>
          <Breadcrumbs section={section} sections={sections} />
          <button type="button" className={styles["search"]} onClick={() => paletteOpen.set(true)} aria-keyshortcuts="Control+K Meta+K">
            <Search size={16} aria-hidden />
            <span>{t("frame.search")}</span>
            <kbd aria-hidden="true">{paletteKey(t)}</kbd>
          </button>
          {menus}
        </header>
        {bars}
        <main id="page" ref={main} tabIndex={-1} className={styles["main"]}>
          {children}
        </main>
      </div>
    </div>
  );
}

const isWithin = (section: Section, path: string) => path.startsWith(`${section.path.replace(/\/\*$/, "")}/`);

/** The entry of the sidebar that a page belongs to: its own, else the nearest above it. */
function entryOf(section: Section | null, sections: readonly Section[], path: string): Section | undefined {
  if (section && sections.includes(section)) return section;
  return sections.filter((each) => match(each.path, path) ?? isWithin(each, path)).sort((a, b) => b.path.length - a.path.length)[0];
}

/** Where one is: the app, the section of the sidebar, the page. */
function Breadcrumbs({ section, sections }: { section: Section | null; sections: readonly Section[] }) {
  const { app, texts } = useShell();
  const { path } = usePlace();
  const labelOf = useLabel();
  const trail = [...new Set([entryOf(section, sections, path), section])].filter((each) => each !== undefined && each !== null);
  return (
    <nav aria-label={texts.t("frame.breadcrumbs")} className={styles["crumbs"]}>
      <ol>
        <li className={styles["appName"]}>
          <Link to={sections[0]?.path ?? "/"}>{app.title}</Link>
        </li>
        {trail.map((each, index) => (
          <li key={each.path} aria-current={index === trail.length - 1 ? "page" : undefined}>
            {index === trail.length - 1 ? <bdi>{labelOf(each)}</bdi> : <Link to={each.path}>{texts.t(each.label)}</Link>}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** A sign that tells workspaces apart at a glance: their first letter on one of eight hues. */
function Badge({ name, round = false }: { name: string; round?: boolean }) {
  const hue = [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 8, 7);
  const letters = name
    .split(/\s+/)
    .map((word) => [...word][0] ?? "")
    .join("")
    .slice(0, round ? 2 : 1)
    .toUpperCase();
  return <span className={styles["badge"]} data-hue={hue} data-round={round} data-letters={letters || "·"} aria-hidden />;
}

function WorkspaceMenu({ me, wide, onSwitch }: { me: Me; wide: boolean; onSwitch: (organizationId: string | null) => void }) {
  const { app, texts } = useShell();
  const { t } = texts;
  const current = me.organizations.find((each) => each.id === me.organizationId);
  const name = current?.name ?? t("workspace.personal");
  const role = texts.has(`role.${me.role}`) ? t(`role.${me.role}`) : me.role;
  const sign = (
    <>
      <Badge name={name} />
      <span className={wide ? styles["workspace"] : "ui-hidden"}>
        <bdi>{name}</bdi> <small>{current ? role : me.user.displayName}</small>
      </span>
      <span className="ui-hidden">{t("workspace.switch")}</span>
      {wide && <ChevronsUpDown size={16} aria-hidden />}
    </>
  );
  return (
    <Menu
      label={t("workspace.title")}
      opener={(props) => (
        <button {...props} type="button" className={styles["switcher"]}>
          {sign}
        </button>
      )}
    >
      {(close) => (
        <>
          <MenuTitle>{t("workspace.title")}</MenuTitle>
          {me.organizations.map((each) => (
            <MenuItem key={each.id} checked={each === current} onClick={() => (close(), each !== current && onSwitch(each.id))}>
              <bdi>{each.name}</bdi>
            </MenuItem>
          ))}
          {app.personal && (
            <MenuItem checked={me.context === "personal"} onClick={() => (close(), me.context !== "personal" && onSwitch(null))}>
              {t("workspace.personal")}
            </MenuItem>
          )}
        </>
      )}
    </Menu>
  );
}

/** Other apps: true links, so a middle click and a copied address work. */
function Apps() {
  const { app, auth, sender, texts } = useShell();
  const { data, isError } = useQuery({ queryKey: ["apps"], queryFn: () => loadApps(sender, auth), staleTime: 0 });
  return (
    <>
      <MenuTitle>{texts.t("apps.title")}</MenuTitle>
      {data?.map((each) => (
        <MenuItem
          key={each.serviceId}
          current={each.serviceId === app.service}
          href={each.serviceId === app.service ? "/" : `/auth/launch/${each.serviceId}`}
        >
          <bdi>{each.name}</bdi>
        </MenuItem>
      ))}
      {(isError || data?.length === 0) && <MenuTitle>{texts.t("apps.none")}</MenuTitle>}
    </>
  );
}

const themes: readonly [Theme, typeof Sun][] = [
  ["light", Sun],
  ["dark", Moon],
  ["system", SunMoon],
];

function AccountMenu({ me, onReport }: { me: Me; onReport: () => void }) {
  const shell = useShell();
  const { app, identity, texts } = shell;
  const { t } = texts;
  const { theme } = useTheme();
  const choose = useThemeChoice();
  const [single, setSingle] = usePreference("singleKeys", true, { shared: true });
  const [locale, setLocale] = usePreference("locale", "", { shared: true });
  const names = (language: string) => new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language;
  return (
    <IconMenu
      label={t("account.menu", { name: me.user.displayName || me.user.email })}
      className={styles["account"]}
      icon={<Badge name={me.user.displayName || me.user.email} round />}
    >
      {(close) => (
        <>
          <MenuTitle>
            <bdi>{me.user.displayName}</bdi> <bdi>{me.user.email}</bdi>
          </MenuTitle>
          <MenuItem icon={<UserRound size={16} aria-hidden />} href={`${identity}/settings`}>
            {t("account.settings")}
          </MenuItem>
          <MenuLine />
          <MenuTitle>{t("account.theme")}</MenuTitle>
          {themes.map(([each, Icon]) => (
            <MenuItem key={each} icon={<Icon size={16} aria-hidden />} checked={theme === each} onClick={() => choose(each)}>
              {t(`theme.${each}`)}
            </MenuItem>
          ))}
          <MenuLine />
          <MenuTitle>
            <Languages size={14} aria-hidden /> {t("account.language")}
          </MenuTitle>
          {languagesOf(app.catalog).map((each) => (
            <MenuItem key={each} checked={(locale || texts.locale).startsWith(each)} onClick={() => setLocale(each)}>
              <bdi lang={each}>{names(each)}</bdi>
            </MenuItem>
          ))}
          <MenuLine />
          <MenuItem
            icon={<PaletteIcon size={16} aria-hidden />}
            hint={<kbd>{paletteKey(t)}</kbd>}
            onClick={() => (close(), paletteOpen.set(true))}
          >
            {t("palette.title")}
          </MenuItem>
          <MenuItem icon={<Keyboard size={16} aria-hidden />} hint={<kbd>?</kbd>} onClick={() => (close(), keysOpen.set(true))}>
            {t("keys.title")}
          </MenuItem>
          <MenuItem checked={single} onClick={() => setSingle(!single)}>
            {t("account.singleKeys")}
          </MenuItem>
          <MenuItem icon={<MessageSquareWarning size={16} aria-hidden />} onClick={() => (close(), onReport())}>
            {t("report.title")}
          </MenuItem>
          <MenuLine />
          <MenuItem icon={<LogOut size={16} aria-hidden />} onClick={() => (close(), void leave(shell))}>
            {t("account.signOut")}
          </MenuItem>
          <MenuItem icon="" onClick={() => (close(), void leave(shell, "everywhere"))}>
            {t("account.signOutEverywhere")}
          </MenuItem>
        </>
      )}
    </IconMenu>
  );
}
