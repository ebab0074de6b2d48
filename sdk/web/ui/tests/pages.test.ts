import { describe, expect, it } from "vitest";
import { Pages, type ReadPage } from "../src/list/pages.ts";

/** A service with so many rows, that counts what it is asked for. */
function service(count: number, perPage = 100): { read: ReadPage<number>; asked: (string | null)[] } {
  const asked: (string | null)[] = [];
  return {
    asked,
    read: async (cursor, withTotal) => {
      asked.push(cursor);
      const from = Number(cursor ?? 0);
      const items = Array.from({ length: Math.min(perPage, count - from) }, (_, at) => from + at);
      return {
        items,
        nextCursor: from + items.length < count ? String(from + items.length) : null,
        ...(withTotal ? { total: count } : {}),
      };
    },
  };
}
/** A service whose cursors name the last row of the page before, as those of the services do. */
interface Keyed {
  rows: number[];
  readonly asked: (string | null)[];
  /** Delays the answers to the requests that begin now. */
  until: Promise<void> | undefined;
  readonly read: ReadPage<number>;
}
function keyed(count: number): Keyed {
  const table: Keyed = {
    rows: Array.from({ length: count }, (_, at) => at * 10),
    asked: [],
    until: undefined,
    read: async (cursor, withTotal) => {
      table.asked.push(cursor);
      await table.until;
      const rest = table.rows.filter((row) => cursor === null || row > Number(cursor));
      return {
        items: rest.slice(0, 100),
        nextCursor: rest.length > 100 ? String(rest[99]) : null,
        ...(withTotal ? { total: table.rows.length } : {}),
      };
    },
  };
  return table;
}
const shownBy = (pages: Pages<number>): number[] => [...pages.kept()].map(([, row]) => row);

const settled = async (pages: Pages<unknown>): Promise<void> => {
  for (let turns = 0; turns < 50; turns += 1) await Promise.resolve();
  void pages;
};

describe("pages of a cursor list", () => {
  it("reads the first page with its total, and one ahead of what is seen", async () => {
    const { read, asked } = service(1000);
    const pages = new Pages(read);
    pages.want(0, 20);
    await settled(pages);
    expect(pages.state).toMatchObject({ count: 100, total: 1000, more: true, first: false });
    pages.want(0, 20);
    await settled(pages);
    expect(asked).toEqual([null, "100"]);
    pages.want(0, 20);
    await settled(pages);
    expect(asked).toHaveLength(2);
  });

  it("keeps at most 2,000 rows and reads dropped ones again on the way back", async () => {
    const { read, asked } = service(10_000);
    const pages = new Pages(read);
    for (let seen = 0; seen < 9_900; seen += 90) {
      pages.want(seen, seen + 30);
      await settled(pages);
    }
    expect([...pages.kept()].length).toBeLessThanOrEqual(2_000);
    expect(pages.row(9_850)).toBe(9_850);
    expect(pages.row(10)).toBeUndefined();
    const before = asked.length;
    pages.want(0, 30);
    await settled(pages);
    expect(pages.row(10)).toBe(10);
    // The first page and the one after it, by their own cursors.
    expect(asked.slice(before)).toEqual([null, "100"]);
    expect([...pages.kept()].length).toBeLessThanOrEqual(2_000);
  });

  it("continues short pages five times, and then only when it is told to", async () => {
    const { read, asked } = service(10_000, 3);
    const pages = new Pages(read);
    pages.want(0, 20);
    await settled(pages);
    expect(asked).toHaveLength(5);
    expect(pages.state).toMatchObject({ count: 15, paused: true, more: true });
    pages.want(0, 20);
    await settled(pages);
    expect(asked).toHaveLength(5);
    pages.further();
    await settled(pages);
    expect(asked).toHaveLength(10);
  });

  it("tells of an error, keeps its rows, and goes on", async () => {
    const { read } = service(1000);
    let fails = false;
    const pages = new Pages<number>((...all) => (fails ? Promise.reject(new Error("no")) : read(...all)));
    pages.want(0, 20);
    await settled(pages);
    fails = true;
    pages.want(50, 99);
    await settled(pages);
    expect(pages.state.error).toBeInstanceOf(Error);
    expect(pages.row(99)).toBe(99);
    fails = false;
    pages.further();
    await settled(pages);
    expect(pages.state).toMatchObject({ error: undefined, count: 200 });
  });

  it("reads rows again that failed, and no row twice", async () => {
    const { read } = service(60);
    let rows = 0;
    let fails = false;
    const pages = new Pages<number>(async (...all) => {
      if (fails) throw new Error("no");
      rows += 1;
      return read(...all);
    });
    pages.want(0, 20);
    await settled(pages);
    fails = true;
    await pages.reload();
    expect(pages.state.error).toBeInstanceOf(Error);
    fails = false;
    pages.further();
    await settled(pages);
    expect(pages.state).toMatchObject({ error: undefined, count: 60, more: false });
    expect(rows).toBe(2);
  });

  it("ignores errors of requests that began before it continued", async () => {
    const { read } = service(1000);
    const refuse: (() => void)[] = [];
    let fails = false;
    const pages = new Pages<number>((...all) => (fails ? new Promise((_, no) => refuse.push(() => no(new Error("late")))) : read(...all)));
    fails = true;
    pages.want(0, 20);
    fails = false;
    pages.further();
    await settled(pages);
    expect(pages.state).toMatchObject({ error: undefined, count: 100, first: false });
    pages.want(50, 150);
    await settled(pages);
    fails = true;
    void pages.reload();
    refuse[1]?.();
    await settled(pages);
    expect(pages.state.error).toBeInstanceOf(Error);
    fails = false;
    pages.further();
    await settled(pages);
    for (const each of refuse) each();
    await settled(pages);
    expect(pages.state.error).toBeUndefined();
    expect(refuse).toHaveLength(3);
  });

  it("reads what is seen again, and follows rows that came and went", async () => {
    let rows = Array.from({ length: 250 }, (_, at) => at);
    const pages = new Pages<number>(async (cursor, withTotal) => {
      const from = Number(cursor ?? 0);
      return {
        items: rows.slice(from, from + 100),
        nextCursor: from + 100 < rows.length ? String(from + 100) : null,
        ...(withTotal ? { total: rows.length } : {}),
      };
    });
    pages.want(0, 150);
    await settled(pages);
    pages.want(0, 200);
    await settled(pages);
    pages.want(0, 20);
    rows = [1000, ...rows];
    await pages.reload();
    expect(pages.row(0)).toBe(1000);
    expect(pages.state.total).toBe(251);
    rows = rows.slice(0, 40);
    await pages.reload();
    expect(pages.state).toMatchObject({ count: 40, total: 40, more: false });
    expect(pages.row(60)).toBeUndefined();
  });

  it("shows each row once after rows above the visible ones are inserted and deleted", async () => {
    const table = keyed(300);
    const pages = new Pages(table.read);
    for (const seen of [0, 100, 200, 140]) {
      pages.want(seen, seen + 30);
      await settled(pages);
    }
    expect(shownBy(pages)).toEqual(table.rows);
    table.rows = [-5, ...table.rows];
    const before = table.asked.length;
    await pages.reload();
    for (let turn = 0; turn < 3; turn += 1) await settled(pages);
    pages.want(280, 301);
    await settled(pages);
    expect(shownBy(pages)).toEqual(table.rows);
    // What is seen, the pages around it, and those that moved, once each.
    expect(table.asked.slice(before)).toEqual(["990", null, "1990", "980", "1980", "2980"]);
    table.rows = table.rows.filter((row) => row !== 500);
    pages.want(140, 170);
    await pages.reload();
    for (let turn = 0; turn < 3; turn += 1) await settled(pages);
    expect(shownBy(pages)).toEqual(table.rows);
    expect(pages.state).toMatchObject({ count: 300, total: 300, more: false });
  });

  it("discards a next page whose cursor changed during the request, and reads it again", async () => {
    const table = keyed(300);
    const pages = new Pages(table.read);
    pages.want(0, 20);
    await settled(pages);
    let answer: () => void = () => undefined;
    table.until = new Promise<void>((done) => (answer = done));
    pages.want(0, 20);
    table.until = undefined;
    table.rows = [-5, ...table.rows];
    await pages.reload();
    answer();
    await settled(pages);
    expect(table.asked).toEqual([null, "990", null, "980"]);
    expect(shownBy(pages)).toEqual(table.rows.slice(0, 200));
  });

  it("keeps the remaining rows when pages are removed while they are read", async () => {
    const table = keyed(250);
    const pages = new Pages(table.read);
    for (const seen of [0, 90]) {
      pages.want(seen, seen + 20);
      await settled(pages);
    }
    table.rows = table.rows.slice(0, 40);
    await pages.reload();
    await settled(pages);
    expect(pages.state).toMatchObject({ count: 40, more: false });
    expect(shownBy(pages)).toEqual(table.rows);
  });

  it("is changed by nothing after it was stopped", async () => {
    let answer: (page: { items: number[]; nextCursor: null }) => void = () => undefined;
    const pages = new Pages<number>(() => new Promise((done) => (answer = done)));
    pages.want(0, 20);
    pages.stop();
    answer({ items: [1], nextCursor: null });
    await settled(pages);
    expect(pages.state.first).toBe(true);
  });
});
