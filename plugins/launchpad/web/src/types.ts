/** The rows of the service as `docs` of the interface describe them, until they are generated. */
interface Operation<Response, Path = undefined, Query = undefined, Body = undefined> {
  parameters: { path: Path; query?: Query };
  requestBody: Body extends undefined ? undefined : { content: { "application/json": Body } };
  responses: { 200: { content: { "application/json": Response } } };
}

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export type Availability = "installed" | "available" | "requires_plan" | "request_required" | "requested" | "coming_soon" | "unavailable";

export interface CatalogEntry {
  service_id: string;
  slug: string;
  name: string;
  tagline: string;
  description: string;
  iconUrl: string | null;
  categories: string[];
  publisher: { type: string; name: string; verified: boolean };
  surface_group: string;
  launchable: boolean;
  availability: Availability;
  install: { state: string; mode: "required" | "optional" | null; installedAt: string | null; installedBy: string | null } | null;
  permissionsRequested: string[];
  user: { pinned: boolean; hidden: boolean; folderId: string | null; order: number; lastLaunchedAt: string | null; launchCount30d: number } | null;
}

export interface Category {
  id: string;
  title: string;
  count: number;
  orgFirst: boolean;
}

export type Size = "s" | "m" | "l";

export interface PlacedWidget {
  service_id: string;
  widgetId: string;
  size: Size;
  column: number;
  row: number;
  visible: boolean;
}

export interface Folder {
  id: string;
  name: string;
  serviceIds: string[];
}

export interface Preferences {
  context: "organization" | "personal";
  theme: "system" | "light" | "dark";
  density: "comfortable" | "compact";
  view: "tiles" | "list";
  defaultLanding: string;
  openIn: "same_tab" | "new_tab";
  locale: string;
  pinned: string[];
  hidden: string[];
  order: string[];
  folders: Folder[];
  widgets: PlacedWidget[];
  /** The organization's, while it is shown. */
  announcement?: { text: string; until: string | null };
  version: number;
}

/** null: as the organization has set it. */
export type PreferencesPatch = Partial<Omit<Preferences, "pinned" | "order">> & { pinned?: string[] | null; order?: string[] | null };

export interface Decision {
  id: string;
  label: string;
  style: "primary" | "secondary" | "danger";
  requiresStepUp: boolean;
  requiresReason: boolean;
}

export interface Action {
  id: string;
  kind: string;
  severity: "info" | "warning" | "critical";
  title: string;
  body: string;
  source: { service_id: string; resourceType: string; resourceId: string };
  status: string;
  decisions: Decision[];
  href: string | null;
  dueAt: string | null;
  snoozedUntil: string | null;
  createdAt: string;
  resolution: { decision: string; by: string | null; at: string; reason: string | null; outcome: "pending" | "applied" | "failed"; error: string | null } | null;
  version: number;
}

export interface Assignment {
  id: string;
  service_id: string;
  subject: { type: "user" | "role" | "everyone"; id: string | null };
  mode: "required" | "optional" | "blocked";
  status: string;
  version: number;
}

export interface OrgSettings {
  defaultOrder: string[];
  defaultPinned: string[];
  allowRequests: boolean;
  allowPersonalInstalls: boolean;
  announcement: { text: string; until: string | null } | null;
  version: number;
}

export interface Onboarding {
  step: "recovery_email" | "organization" | "done";
  recoveryEmail: { status: "missing" | "pending" | "verified"; maskedEmail: string | null; pendingMaskedEmail: string | null };
  service: { status: string; manageable: boolean };
  next: string;
}

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
  emptyState: { title: string; body: string } | null;
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

export interface WidgetOffer {
  service_id: string;
  widgetId: string;
  title: string;
  sizes: Size[];
}

export interface paths {
  "/api/catalog": { get: Operation<Page<CatalogEntry>, undefined, { availability?: string; q?: string; limit?: number; cursor?: string }> };
  "/api/store/categories": { get: Operation<Page<Category>> };
  "/api/store/apps/{slug}": { get: Operation<{ longDescription: string; permissions: { scope: string; title: string }[]; privacyUrl: string | null; supportUrl: string | null }, { slug: string }> };
  "/api/launch": { post: Operation<{ launchId: string; mode: "handoff" | "external"; url: string }, undefined, undefined, { service_id: string; target: "web"; returnTo?: string }> };
  "/api/launches/summary": { get: Operation<{ byService: { service_id: string; launches: number; users: number; lastAt: string }[]; unused: string[] }, undefined, { days?: number }> };
  "/api/installs": { post: Operation<{ service_id: string; state: string }, undefined, undefined, { service_id: string; scope: "me" | "organization" }> };
  "/api/installs/{service_id}": { delete: Operation<undefined, { service_id: string }> };
  "/api/install-requests": { post: Operation<{ requestId: string; actionId: string }, undefined, undefined, { service_id: string; reason?: string }> };
  "/api/assignments": {
    get: Operation<Page<Assignment>, undefined, { service_id?: string; limit?: number }>;
    post: Operation<Assignment, undefined, undefined, { service_id: string; subject: { type: string; id?: string }; mode: string }>;
  };
  "/api/assignments/{id}": { patch: Operation<Assignment, { id: string }, undefined, { mode: string }>; delete: Operation<undefined, { id: string }> };
  "/api/assignments/effective": { get: Operation<Page<{ service_id: string; mode: string; because: string[] }>, undefined, { userId?: string }> };
  "/api/preferences": {
    get: Operation<Preferences, undefined, { context?: string }>;
    patch: Operation<Preferences, undefined, { context?: string }, PreferencesPatch>;
  };
  "/api/org-settings": { get: Operation<OrgSettings>; put: Operation<OrgSettings, undefined, undefined, Partial<OrgSettings>> };
  "/api/onboarding": { get: Operation<Onboarding> };
  "/api/onboarding/complete": { post: Operation<{ next: string }, undefined, undefined, { data?: object }> };
  "/api/actions": { get: Operation<Page<Action> & { counts: { open: number; overdue: number; critical: number } }, undefined, { status?: string; kind?: string; assignee?: string; limit?: number; cursor?: string }> };
  "/api/actions/{id}/resolve": { post: Operation<Action, { id: string }, undefined, { decision: string; reason?: string }> };
  "/api/actions/{id}/snooze": { post: Operation<Action, { id: string }, undefined, { until: string }> };
  "/api/actions/{id}/dismiss": { post: Operation<Action, { id: string }, undefined, { reason?: string }> };
  "/api/widgets": { post: Operation<Batch, undefined, undefined, { widgets?: { service_id: string; widgetId: string }[]; refresh?: boolean }> };
  "/api/widgets/catalog": { get: Operation<Page<WidgetOffer>> };
}
