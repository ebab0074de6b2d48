import type { Action } from "../types.ts";

const ranks = { critical: 0, warning: 1, info: 2 } as const;

/** Sorts the critical and the overdue first, then by due date and age. */
export function byUrgency(a: Action, b: Action): number {
  const due = ({ dueAt }: Action) => (dueAt ? Date.parse(dueAt) : Number.MAX_SAFE_INTEGER);
  return (ranks[a.severity] ?? 2) - (ranks[b.severity] ?? 2) || due(a) - due(b) || Date.parse(a.createdAt) - Date.parse(b.createdAt);
}

/** Where the cause of an action is mended, for the kinds that are decided elsewhere. */
const placeOf: Readonly<Record<string, { readonly to?: string; readonly launch?: string; readonly returnTo?: string }>> = {
  recovery_email_unverified: { to: "/settings/recovery" },
  mfa_required: { launch: "admin", returnTo: "/security/user" },
  api_key_expiring: { to: "/settings/api-keys" },
  api_key_scope_removed: { to: "/settings/api-keys" },
  leaked_key: { to: "/settings/api-keys" },
  service_incomplete: { launch: "admin", returnTo: "/platform" },
};

/** Where the cause of an action is mended; undefined for one that is decided on its card. */
export function placeFor({
  kind,
  source,
}: Action): { readonly to?: string; readonly launch?: string; readonly returnTo?: string } | undefined {
  return kind === "assignment_required" ? { launch: source.service_id } : placeOf[kind];
}

/** Whether an action is an invitation, which its card accepts or declines. */
export const isInvitation = ({ kind, resolution }: Action): boolean =>
  resolution === null && (kind === "invitation_pending" || kind === "household_invitation");

/** Times to which an action can be put off, from now on. */
export function snoozes(now: Date): readonly (readonly [key: "hour" | "tomorrow" | "week", until: Date])[] {
  const morning = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9);
  const hour = 3_600_000;
  return [
    ["hour", new Date(now.getTime() + hour)],
    ["tomorrow", morning(1)],
    ["week", morning(7)],
  ];
}
