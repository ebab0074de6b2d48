import { describe, expect, it } from "vitest";
import { emptyDraft, keptOf, startOf, timeOf } from "../src/posts/draft.ts";
import { chosenTime, nextTry } from "../src/posts/times.ts";
import type { Item, Post } from "../src/service.ts";
import { instantOf, localOf, startOn } from "../src/zone.ts";

describe("a time in a zone", () => {
  it("comes back as it was typed, also while the year is typed", () => {
    for (const zone of ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"])
      for (const local of ["0002-06-15T10:30", "0020-06-15T10:30", "0202-06-15T10:30", "2027-06-15T10:30", "9999-12-31T10:30"])
        expect(localOf(instantOf(local, zone), zone)).toBe(local);
  });

  it("is 09:00 for a new post, or the next full hour if that is over", () => {
    const at = (now: string) => startOn("2026-11-24", "Europe/Berlin", Date.parse(now));
    expect(at("2026-11-23T20:00:00Z")).toBe("2026-11-24T08:00:00.000Z");
    expect(at("2026-11-24T07:59:59Z")).toBe("2026-11-24T08:00:00.000Z");
    expect(at("2026-11-24T08:00:00Z")).toBe("2026-11-24T09:00:00.000Z");
    expect(at("2026-11-24T13:10:00Z")).toBe("2026-11-24T14:00:00.000Z");
  });
});

describe("a draft of the composer", () => {
  const initial = { ...emptyDraft, text: "From a trend" };

  it("survives a reload of its address, and gives way to what another address asks for", () => {
    const kept = keptOf({ ...initial, text: "From a trend, typed on", title: "Mine" }, { text: "From a trend" });
    expect(startOf(initial, { text: "From a trend" }, kept)).toEqual({ ...initial, text: "From a trend, typed on", title: "Mine" });
    expect(startOf({ ...emptyDraft, text: "Another" }, { text: "Another" }, kept)).toEqual({ ...initial, text: "Another", title: "Mine" });
    expect(startOf(emptyDraft, {}, kept).text).toBe("From a trend, typed on");
    expect(startOf(initial, { text: "From a trend" }, undefined)).toEqual(initial);
  });

  it("sends its time only where the post has one", () => {
    const at = "2027-01-01T10:00:00Z";
    const post = { scheduledFor: "2027-01-01T10:00:00.000Z" } as Post;
    expect(timeOf({ ...emptyDraft, scheduledFor: at }, undefined)).toEqual({});
    expect(timeOf({ ...emptyDraft, scheduledFor: at }, { scheduledFor: null } as Post)).toEqual({});
    expect(timeOf({ ...emptyDraft, scheduledFor: at }, post)).toEqual({});
    expect(timeOf({ ...emptyDraft, scheduledFor: "2027-01-02T10:00:00Z" }, post)).toEqual({ scheduledFor: "2027-01-02T10:00:00Z" });
    expect(timeOf(emptyDraft, post)).toEqual({ scheduledFor: null });
  });
});

describe("the time of an item", () => {
  const [planned, failed, later] = ["2026-11-23T08:00:00Z", "2026-11-23T08:00:02Z", "2026-11-23T09:00:00Z"];
  const item = (scheduledFor: string, publishStatus: string, timestamps: object, nextAttemptAt: string | null = null) =>
    ({
      scheduledFor,
      publishStatus,
      attempts: { nextAttemptAt },
      timestamps: { scheduledAt: "2026-11-22T08:00:00Z", failedAt: null, lastRescheduledAt: null, ...timestamps },
    }) as unknown as Item;

  it("is the time that a user chose, also while the host retries", () => {
    const queued = item(planned, "queued", {});
    expect([chosenTime(queued), nextTry(queued)]).toEqual([planned, null]);
    const retrying = item(planned, "retrying", {}, later);
    expect([chosenTime(retrying), nextTry(retrying)]).toEqual([planned, later]);
    const rescheduled = item(later, "queued", { failedAt: failed, lastRescheduledAt: failed });
    expect([chosenTime(rescheduled), nextTry(rescheduled)]).toEqual([later, null]);
    expect(chosenTime(item(planned, "failed", { failedAt: failed }))).toBe(planned);
  });

  it("is that of the next try once a user has retried a failed item", () => {
    const retried = item(later, "queued", { failedAt: failed });
    expect([chosenTime(retried), nextTry(retried)]).toEqual([null, later]);
    const published = item(later, "published", { failedAt: failed });
    expect([chosenTime(published), nextTry(published)]).toEqual([null, null]);
    expect(chosenTime(item(planned, "queued", { scheduledAt: planned }))).toBeNull();
  });
});
