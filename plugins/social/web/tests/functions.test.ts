import { describe, expect, it } from "vitest";
import { emptyDraft, keptOf, startOf, timeOf } from "../src/posts/draft.ts";
import type { Post } from "../src/service.ts";
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
