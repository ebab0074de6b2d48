import type { Item } from "../service.ts";

type Times = Pick<Item, "scheduledFor" | "timestamps">;

/** Returns true if an item was retried after it failed: “Retry” queues it for the time of the click. */
function isRetried({ scheduledFor, timestamps: { failedAt, lastRescheduledAt } }: Times): boolean {
  const isAfterFailure = (at: string | null) => at !== null && failedAt !== null && Date.parse(at) >= Date.parse(failedAt);
  return isAfterFailure(scheduledFor) && !isAfterFailure(lastRescheduledAt);
}

/** The time that a user chose for an item. “Publish now” and “Retry” queue it for the time of the click. */
export function chosenTime(item: Times): string | null {
  const { scheduledFor, timestamps } = item;
  const now = scheduledFor === timestamps.scheduledAt || scheduledFor === timestamps.lastRescheduledAt;
  return now || isRetried(item) ? null : scheduledFor;
}

/** The time of the next attempt of an item that was attempted before. */
export function nextTry(item: Item): string | null {
  return item.attempts.nextAttemptAt ?? (item.publishStatus === "queued" && isRetried(item) ? item.scheduledFor : null);
}
