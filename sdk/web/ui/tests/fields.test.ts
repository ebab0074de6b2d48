import { describe, expect, it } from "vitest";
import { kindOfField } from "../src/form/FieldInput.tsx";
import { check, kindOf, wholeSchema } from "../src/form/schema.ts";
import { instantOf, localOf } from "../src/form/instants.ts";
import { majorOf, minorOf } from "../src/form/money.ts";
import { fitted } from "../src/list/widths.ts";

describe("times in a zone", () => {
  it("shows an instant by the clock of the zone, and reads it back", () => {
    expect(localOf("2026-12-01T09:30:00Z", "Europe/Berlin")).toBe("2026-12-01T10:30");
    expect(instantOf("2026-12-01T10:30", "Europe/Berlin")).toBe("2026-12-01T09:30:00.000Z");
    expect(localOf("soon", "Europe/Berlin")).toBe("");
    expect(instantOf("2026-12-01T1", "Europe/Berlin")).toBe("");
  });
  it("takes the first of two instants, and moves times in a gap forward", () => {
    expect(instantOf("2026-10-25T02:30", "Europe/Berlin")).toBe("2026-10-25T00:30:00.000Z");
    expect(instantOf("2026-03-29T02:30", "Europe/Berlin")).toBe("2026-03-29T01:30:00.000Z");
  });
  it("reads a zone that the browser does not know as UTC", () => {
    expect(localOf("2026-12-01T09:30:00Z", "Europe/Atlantis")).toBe("2026-12-01T09:30");
    expect(instantOf("2026-12-01T00:00", "Europe/Atlantis")).toBe("2026-12-01T00:00:00.000Z");
  });
});

describe("amounts", () => {
  it.each([
    ["12.50", "EUR", ".", 1250],
    ["12,5", "EUR", ",", 1250],
    ["12", "EUR", ".", 1200],
    ["-3.05", "EUR", ".", -305],
    ["1250", "JPY", ".", 1250],
    ["12.505", "EUR", ".", "12.505"],
    ["12.", "EUR", ".", "12."],
    ["1,250.00", "EUR", ".", "1,250.00"],
    ["a lot", "EUR", ".", "a lot"],
    ["  ", "EUR", ".", null],
  ])("reads %s %s as %o", (text, currency, point, minor) => expect(minorOf(text, currency, point)).toBe(minor));
  it("writes minor units as they are typed", () => {
    expect([majorOf(1250, "EUR", ","), majorOf(5, "EUR", "."), majorOf(1250, "JPY", ".")]).toEqual(["12,50", "0.05", "1250"]);
  });
});

describe("the input of a field", () => {
  it("follows from its members before its schema", () => {
    const text = { type: "string" };
    expect(kindOfField({ pick: { path: "/api/contacts", name: "name" } }, text)).toBe("record");
    expect(kindOfField({ currency: "EUR" }, { type: "integer" })).toBe("money");
    expect(kindOfField({ currency: "EUR", kind: "number" }, { type: "integer" })).toBe("number");
    expect(kindOfField({}, { type: "string", format: "date-time" })).toBe("datetime");
  });
});

describe("the schema of a member that may be empty", () => {
  const schemas = { Condition: { enum: ["fine", "worn"] } };
  const members = wholeSchema(
    {
      properties: {
        boughtOn: { anyOf: [{ type: "string", format: "date" }, { type: "null" }] },
        serial: { anyOf: [{ type: "string", maxLength: 3 }, { type: "null" }] },
        condition: { anyOf: [{ $ref: "#/components/schemas/Condition" }, { type: "null" }] },
        conditions: { type: "array", items: { $ref: "#/components/schemas/Condition" } },
        either: { anyOf: [{ type: "string" }, { type: "integer" }] },
      },
    },
    schemas,
  )?.properties;
  it("gives the input and the rules that the member has without null", () => {
    expect(["boughtOn", "condition", "either"].map((name) => kindOf(members?.[name] ?? {}))).toEqual(["date", "choice", "text"]);
    expect(check(members?.["serial"] ?? {}, "1234", false)).toEqual({ key: "form.tooLong", count: 3 });
    expect(check(members?.["serial"] ?? {}, null, false)).toBeNull();
    expect(check(members?.["conditions"] ?? {}, ["rusty"], false)).toEqual({ key: "form.notOneOf" });
  });
});

describe("the width of a column", () => {
  const perLetter = (text: string) => text.length * 10;
  const column = { key: "email", label: "E-mail", width: 120, text: (row: { email: string }) => row.email };
  it("fits the longest text, between a third and twice its own", () => {
    expect(fitted(column, [{ email: "ada@example.org" }, { email: "x" }], 400, perLetter)).toBe(176);
    expect(fitted(column, [{ email: "x".repeat(100) }], 400, perLetter)).toBe(240);
    expect(fitted({ ...column, label: "" }, [{ email: "" }], 400, perLetter)).toBe(40);
    expect(fitted(column, [], 400, perLetter)).toBe(120);
  });
});
