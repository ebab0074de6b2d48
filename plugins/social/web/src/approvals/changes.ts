/** An event of an item, as the audit trail has it. */
export interface ItemEvent {
  readonly kind: string;
  readonly occurredAt: string;
  readonly changes: readonly { readonly field: string; readonly from: unknown; readonly to: unknown }[];
}

/** A member before the first change since an instant and after the last one. */
export interface Change {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
  /** The trail keeps the beginning of a long text only. */
  readonly isCut: boolean;
}

/** Fields that an approver sees, in this order. */
const shown = ["text", "thread", "linkUrl", "mediaIds", "altTexts", "scheduledFor", "settings"];
const maxText = 280;

/** The members that differ from what they were at an instant. A change that was taken back is none. */
export function changesSince(events: readonly ItemEvent[], since: string): readonly Change[] {
  const found = new Map<string, { from: unknown; to: unknown }>();
  for (const { occurredAt, changes } of events)
    if (occurredAt > since)
      for (const { field, from, to } of changes) found.set(field, { from: found.has(field) ? found.get(field)?.from : from, to });
  return shown.flatMap((field) => {
    const change = found.get(field);
    if (!change) return [];
    const isCut = typeof change.from === "string" && [...change.from].length >= maxText;
    return !isCut && JSON.stringify(change.from) === JSON.stringify(change.to) ? [] : [{ field, ...change, isCut }];
  });
}
