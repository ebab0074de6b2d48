import type { components, paths as rows } from "./api.d.ts";

type Schemas = components["schemas"];

/** A response of the service: it has every member. The schemas say which members a request may omit. */
type Whole<T> = T extends readonly (infer E)[] ? Whole<E>[] : T extends object ? { [K in keyof T]-?: Whole<Exclude<T[K], undefined>> } : T;

/** The rows of the service, with responses that have every member. */
export type paths = {
  [P in keyof rows]: {
    [M in keyof rows[P]]: rows[P][M] extends { responses: infer R } ? Omit<rows[P][M], "responses"> & { responses: Whole<R> } : rows[P][M];
  };
};

export type Action = Whole<Schemas["Action"]>;
export type Assignment = Whole<Schemas["Assignment"]>;
export type CatalogEntry = Whole<Schemas["CatalogApp"]>;
export interface Category {
  id: string;
  title: string;
  orgFirst: boolean;
}
export type Decision = Whole<Schemas["ActionDecision"]>;
export type Folder = Whole<Schemas["AppFolder"]>;
export type Notification = Whole<Schemas["Notification"]>;
export type Onboarding = Whole<Schemas["OnboardingView"]>;
export type OrgSettings = Whole<Schemas["OrgSettings"]>;
export type PlacedWidget = Whole<Schemas["PlacedWidget"]>;
export type Size = Schemas["TileSize"];
export type WidgetOffer = Whole<Schemas["CatalogWidget"]>;

/** The preferences as they apply: what the user has not set is the organization's. */
export type Preferences = Omit<Whole<Schemas["Preferences"]>, "pinned" | "order" | "announcement"> & {
  pinned: string[];
  order: string[];
  announcement?: { text: string; until: string | null } | null;
};
/** null: as the organization has set it. */
export type PreferencesPatch = Partial<Omit<Preferences, "pinned" | "order" | "announcement">> & {
  pinned?: string[] | null;
  order?: string[] | null;
};

export interface Metric {
  id: string;
  label: string;
  value: number | string;
  format: "integer" | "decimal" | "percent" | "currency" | "bytes" | "duration_seconds" | "text";
  unit?: string | null;
  currency?: string | null;
  delta?: { value: number; direction: "up" | "down" | "flat"; period: string; sentiment: "good" | "bad" | "neutral" } | null;
  href?: string | null;
}

export interface WidgetItem {
  id: string;
  title: string;
  subtitle: string | null;
  timestamp: string | null;
  status: "neutral" | "info" | "success" | "warning" | "critical";
  badge: string | null;
  href: string | null;
}

export interface Widget {
  status: "ok" | "empty" | "setup_required" | "degraded";
  title: string;
  summary: string | null;
  generatedAt: string;
  refreshAfterSeconds: number;
  metrics: Metric[];
  items: WidgetItem[];
  series: { id: string; label: string; unit: string | null; points: [string, number][] }[];
  actions: { id: string; label: string; href: string; style: string }[];
  emptyState: { title: string; body: string; action?: { label: string; href: string } | null } | null;
  more: { label: string; href: string } | null;
  setup: { title: string; body: string; href: string } | null;
}

export interface TileAnswer {
  service_id: string;
  widgetId: string;
  source: "native" | "cache" | "stale" | "metadata";
  ageSeconds: number;
  stale: boolean;
  widget: Partial<Widget> | null;
  error: { code: string; status: number | null } | null;
}

export interface Batch {
  widgets: TileAnswer[];
  excluded: { service_id: string; widgetId?: string; reason: string }[];
  nextRefreshSeconds: number;
}
