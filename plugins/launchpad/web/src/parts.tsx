import { Link, navigate, useCan, useCommands, useMe, useTexts, type Command } from "@portico/app-shell";
import { Page } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { AppWindow, CircleCheck, Megaphone, Settings, Users } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type ComponentProps, type ReactNode } from "react";
import {
  isLaunchable,
  launchPath,
  onboardingKey,
  ordered,
  useActions,
  useCatalog,
  useLaunchpad,
  usePreferences,
  type CatalogEntry,
  type Onboarding,
} from "./service.ts";
import { showBadge } from "./bridge.ts";
import { useSettingsTabs } from "./settings/tabs.ts";
import classes from "./page.module.css";

const paletteActions = 5;
const numberKeys = 9;

/** A page of the launchpad: its apps, actions and settings are in the palette. A first sign-in goes through onboarding before. */
export function LaunchpadPage(props: ComponentProps<typeof Page>) {
  useOnboarded();
  useLaunchCommands();
  return <Page {...props} />;
}

/** Leads to onboarding where the server has not redirected: the page came from a link elsewhere, without the cookie. */
function useOnboarded(): void {
  const step = useOnboarding()?.step;
  useEffect(() => {
    if (step && step !== "done") navigate("/onboarding", { replace: true });
  }, [step]);
}

/** What is left of onboarding; undefined where nothing is, as far as the session says. */
export function useOnboarding(): Onboarding | undefined {
  const { answer } = useMe();
  const api = useLaunchpad();
  const { recoveryEmail, services } = (answer["onboarding"] ?? {}) as {
    recoveryEmail?: { status?: string };
    services?: { launchpad?: { status?: string } };
  };
  const open = recoveryEmail?.status !== "verified" || services?.launchpad?.status !== "completed";
  const { data } = useQuery({
    queryKey: onboardingKey,
    enabled: open,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => api.get("/api/onboarding", { signal }),
  });
  return open ? data : undefined;
}

/** Apps, open actions, settings, and the pages for members and marketing as entries of the palette; the first nine apps have a number as key. */
function useLaunchCommands(): void {
  const { t } = useTexts();
  const mayRead = useCan("apps:read");
  const { answer } = useMe();
  const permitted = useCan("marketing:manage");
  const managesMarketing = permitted || Boolean((answer["user"] as { platformRole?: unknown } | undefined)?.platformRole);
  const tabs = useSettingsTabs();
  const { data: apps } = useCatalog();
  const { data: preferences } = usePreferences();
  const { data: actions } = useActions("open", paletteActions);
  const open = actions?.counts.open;
  useEffect(() => {
    if (open !== undefined) showBadge(open);
  }, [open]);
  const commands = useMemo<readonly Command[]>(() => {
    const pinned = preferences?.pinned ?? [];
    const list = mayRead ? ordered((apps ?? []).filter(isLaunchable), [...pinned, ...(preferences?.order ?? [])]) : [];
    return [
      ...list.map((app, at) => ({
        id: `open.${app.service_id}`,
        label: t("apps.openName", { name: app.name }),
        group: t("apps.heading"),
        icon: AppWindow,
        ...(at < numberKeys && { key: String(at + 1) }),
        run: () => navigate(launchPath(app.service_id)),
      })),
      ...(actions?.items ?? []).map(({ id, title }) => ({
        id: `action.${id}`,
        label: title,
        group: t("actions.title"),
        icon: CircleCheck,
        run: () => navigate(`/actions?id=${id}`),
      })),
      ...tabs.map((tab) => ({
        id: `settings.${tab}`,
        label: t(`settings.${tab}`),
        words: t(`settings.${tab}.words`),
        group: t("settings.title"),
        icon: Settings,
        run: () => navigate(`/settings/${tab}`),
      })),
      ...(tabs.includes("organization")
        ? [
            {
              id: "people",
              label: t("org.people"),
              words: t("org.people.words"),
              group: t("settings.title"),
              icon: Users,
              run: () => navigate(launchPath("admin", "/organization/members")),
            },
          ]
        : []),
      ...(managesMarketing
        ? [
            {
              id: "marketing",
              label: t("marketing.title"),
              words: t("marketing.words"),
              group: t("settings.title"),
              icon: Megaphone,
              // The server renders this page.
              run: () => location.assign("/admin/marketing"),
            },
          ]
        : []),
    ];
  }, [actions, apps, managesMarketing, mayRead, preferences, t, tabs]);
  useCommands(commands);
}

/** The icon of an app; its first letter where it has none or it does not load. */
export function AppIcon({ app, size }: { app: Pick<CatalogEntry, "service_id" | "name" | "iconUrl">; size?: "small" | "large" }) {
  const [failed, setFailed] = useState("");
  const { iconUrl, name, service_id } = app;
  const sized = size ? classes[size] : "";
  if (iconUrl && failed !== iconUrl)
    return (
      <img src={iconUrl} alt="" className={`${classes["icon"]} ${sized}`} referrerPolicy="no-referrer" onError={() => setFailed(iconUrl)} />
    );
  const hue = [...service_id].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 8, 3);
  return (
    <span
      className={`${classes["icon"]} ${classes["letter"]} ${sized}`}
      data-hue={hue}
      data-letter={[...name][0]?.toUpperCase() ?? "·"}
      aria-hidden
    />
  );
}

/** Its own pages are not launched. */
const ownService = "launchpad";

/** A link that opens an app signed in, in this tab or a new one as the user has chosen. */
export function LaunchLink({
  service,
  returnTo,
  children,
  ...rest
}: { service: string; returnTo?: string | null | undefined; children: ReactNode } & Omit<ComponentProps<"a">, "href">) {
  const { data } = usePreferences();
  const here = service === ownService;
  const path = here ? (returnTo ?? "/dashboard") : launchPath(service, returnTo);
  if (data?.openIn === "new_tab" && !here)
    return (
      <a {...rest} href={path} target="_blank" rel="noopener">
        {children}
      </a>
    );
  return (
    <Link {...rest} to={path}>
      {children}
    </Link>
  );
}

/** A point in time relative to now, with the exact one as title. */
export function When({ at }: { at: string | null | undefined }) {
  const { relative, dateTime } = useTexts();
  if (!at) return null;
  return (
    <time dateTime={at} title={dateTime(at)}>
      {relative(at)}
    </time>
  );
}

/** A choice of few, as radio buttons in a row. */
export function Choices<T extends string>({
  label,
  value,
  options,
  off = false,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  off?: boolean;
  onChange: (value: T) => void;
}) {
  return (
    <fieldset className={classes["choices"]} disabled={off}>
      <legend>{label}</legend>
      {options.map(([key, name]) => (
        <label key={key}>
          <input type="radio" name={label} checked={key === value} onChange={() => onChange(key)} />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

/** Links to the parts of a page that has several. */
export function Tabs({ label, tabs, current }: { label: string; tabs: readonly (readonly [string, string])[]; current: string }) {
  const list = useRef<HTMLElement>(null);
  // On a phone they are wider than the page.
  useEffect(() => {
    const [row, tab] = [list.current, list.current?.querySelector("[aria-current]")];
    if (!row || !tab) return;
    const [outer, inner] = [row.getBoundingClientRect(), tab.getBoundingClientRect()];
    row.scrollBy({ left: inner.left + inner.width / 2 - outer.left - outer.width / 2 });
  }, [current]);
  return (
    <nav ref={list} className={classes["tabs"]} aria-label={label}>
      {tabs.map(([to, name]) => (
        <Link key={to} to={to} aria-current={current === to ? "page" : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
