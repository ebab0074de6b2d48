/** What surrounds the pages of an app: signing in, the sidebar, texts, keys, and what is done when something goes wrong. */
export {
  useApi,
  useAuth,
  useCan,
  useMe,
  useSession,
  useTexts,
  type AppOptions,
  type NativeApp,
  type PageProps,
  type Search,
  type Section,
} from "./core.tsx";
export { useCommands, type Command } from "./commands.ts";
export { Panel } from "./errors.tsx";
export { type Catalog } from "./catalog.ts";
export { createTexts, zoneFor, type Catalogs, type Texts } from "./i18n.ts";
export { usePreference, useThemeChoice } from "./preferences.ts";
export { Link, match, navigate, setQuery, unsaved, usePlace, useQuery, type Place } from "./router.tsx";
export { startApp } from "./start.tsx";
export { useTheme, type Theme } from "./theme.ts";
