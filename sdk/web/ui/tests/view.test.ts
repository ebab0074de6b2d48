import { describe, expect, it } from "vitest";
import { readView, viewParameters, writeView } from "../src/list/view.ts";

const read = (query: string) => readView(query, ["stage", "tag"], ["name", "company", "value"], ["open"], ["name", "updatedAt"]);

describe("a view in the address", () => {
  it("is written as it was read, and keeps what belongs to the page", () => {
    const query = "open=con_1&q=ada&stage=lead,won&sort=-updatedAt&columns=name:220,value";
    const { view, unknown } = read(query);
    expect(unknown).toEqual([]);
    expect(view).toEqual({
      q: "ada",
      sort: "-updatedAt",
      filters: { stage: ["lead", "won"] },
      columns: [{ key: "name", width: 220 }, { key: "value" }],
    });
    expect(writeView(view, query, ["open"])).toBe(query);
  });

  it("names what it does not know, and drops it when it is written", () => {
    const { view, unknown } = read("q=ada&planet=mars&constructor=x");
    expect(unknown).toEqual(["planet", "constructor"]);
    expect(writeView(view, "q=ada&planet=mars", ["open"])).toBe("q=ada");
    // Nor what it cannot be sorted by: the service would refuse the whole list.
    for (const sort of ["mass", "-mass", "name;drop", ""])
      expect([read(`sort=${sort}`).view.sort, ...read(`sort=${sort}`).unknown]).toEqual(["", "sort"]);
  });

  it("takes no column twice, none that is not there, and no width that hides a column", () => {
    expect(read("columns=value:1,name:99999,value,evil:10").view.columns).toEqual([
      { key: "value", width: 60 },
      { key: "name", width: 800 },
    ]);
  });

  it("sends what decides the rows and nothing else", () => {
    expect(viewParameters(read("q=%20ada%20&stage=lead&tag=&columns=name&sort=name").view)).toEqual({
      q: "ada",
      stage: "lead",
      sort: "name",
    });
  });

  it("keeps texts with signs of the address whole", () => {
    const { view } = read(`q=${encodeURIComponent("a&b=c, d:e %2C #")}`);
    expect(read(writeView(view, "", [])).view.q).toBe("a&b=c, d:e %2C #");
  });
});
