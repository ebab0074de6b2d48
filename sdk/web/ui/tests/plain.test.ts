import { describe, expect, it } from "vitest";
import { moved, placeOf, step } from "../src/board/model.ts";
import { makeRequestKey } from "../src/form/requestKey.ts";
import { check, kindOf } from "../src/form/schema.ts";
import { createTexts } from "../../app-shell/src/i18n.ts";
import { problemOf } from "@portico/api";
import { mayPass } from "../src/states.tsx";
import { german } from "../src/texts.de.ts";
import { english } from "../src/texts.en.ts";
import { permissionOf, sentenceOf } from "../src/ui.tsx";
import { createUndo } from "../src/undo.ts";

describe("rules of a form", () => {
  const cases: [object, unknown, boolean, unknown][] = [
    [{ type: "string" }, "", true, "form.required"],
    [{ type: "string" }, "", false, undefined],
    [{ type: "string", minLength: 2 }, "👩‍👩", false, undefined],
    [{ type: "string", maxLength: 2 }, "👍👍", false, undefined],
    [{ type: "string", maxLength: 2 }, "abc", false, "form.tooLong"],
    [{ type: ["string", "null"], format: "email" }, "ada", false, "form.notEmail"],
    [{ type: "string", format: "uri" }, "javascript:alert(1)", false, "form.notAddress"],
    [{ type: "string", pattern: "^[a-z]+$" }, "A", false, "form.pattern"],
    [{ type: "string", pattern: "(" }, "A", false, undefined],
    [{ type: "integer", minimum: 1, maximum: 5 }, 0, false, "form.tooSmall"],
    [{ type: "integer", minimum: 1, maximum: 5 }, 6, false, "form.tooLarge"],
    [{ type: "integer" }, 1.5, false, "form.notWhole"],
    [{ type: "number" }, "x1", false, "form.notNumber"],
    [{ enum: ["a"] }, "b", false, "form.notOneOf"],
    [{}, "half a pair \ud83d", false, "form.notText"],
    [{}, "nul \0", false, "form.notText"],
    [{}, "whole 👍", false, undefined],
    [{ type: "array", maxItems: 1, items: { type: "string" } }, ["a", "b"], false, "form.tooMany"],
    [{ type: "array", items: { type: "string", maxLength: 1 } }, ["a", "bb"], false, "form.tooLong"],
  ];
  it.each(cases)("%j of %j, required %j: %s", (schema, value, required, key) => expect(check(schema, value, required)?.key).toBe(key));
  it("finds how a value is typed", () => {
    expect(
      [
        { enum: ["a"] },
        { type: "boolean" },
        { type: ["integer", "null"] },
        { type: "array" },
        { type: "string", format: "date" },
        { type: "string", maxLength: 20_000 },
        {},
      ].map(kindOf),
    ).toEqual(["choice", "yes", "number", "tags", "date", "multiline", "text"]);
  });
});

describe("the key of a request", () => {
  it("is that of the entry, and another one once nobody knows what became of it", () => {
    const key = makeRequestKey();
    const first = key.of("note");
    key.refused(problemOf({ status: 503, code: "overloaded" }));
    expect([key.of("note"), /^[\x21-\x7e]{8,128}$/.test(first)]).toEqual([first, true]);
    key.refused(problemOf({ status: 409, code: "request_in_progress" }));
    const second = key.of("note");
    expect(second).not.toBe(first);
    expect(key.of("another note")).not.toBe(second);
  });
});

describe("texts", () => {
  it("are in both languages with the same holes", () => {
    const holes = (message: unknown): string[] => [...new Set(JSON.stringify(message).match(/\{\w+(?=[,}])|#/g) ?? [])].sort();
    expect(Object.keys(german)).toEqual(Object.keys(english));
    for (const [key, message] of Object.entries(english))
      expect([key, holes((german as Record<string, unknown>)[key])]).toEqual([key, holes(message)]);
  });
  it("choose the plural of their number", () => {
    expect(createTexts("en", "UTC", english).t("ui.list.total", { count: 1 })).toBe("1 entry");
    expect(createTexts("de", "UTC", english, german).t("ui.list.total", { count: 12345 })).toBe("12.345 Einträge");
  });
});

describe("problems", () => {
  it("are read from whatever was thrown", () => {
    expect(
      problemOf({ status: 409, code: "stage_changed", detail: "Moved on", requestId: "r", errors: [{ field: "a", code: "b" }, null] }),
    ).toMatchObject({
      status: 409,
      code: "stage_changed",
      detail: "Moved on",
      requestId: "r",
      errors: [{ field: "a", code: "b", message: "" }, { field: "" }],
    });
    expect(problemOf(new TypeError("Failed to fetch"))).toMatchObject({ status: 0, code: "unavailable", detail: "" });
    expect(problemOf(new DOMException("x", "AbortError")).code).toBe("aborted");
    expect(problemOf(null).code).toBe("unavailable");
    expect(problemOf({ problem: { status: 503, code: "overloaded" }, retryAfter: 7 }).retryAfter).toBe(7);
  });
  it("name the permission that is missing, where the server does", () => {
    const texts = createTexts("en", "UTC", english);
    const refused = (details: object) => sentenceOf(problemOf({ status: 403, code: "permission_denied", details }), texts);
    expect(refused({ permission: "crm.contacts:export", titles: { en: "Export contacts", de: "Kontakte exportieren" } })).toBe(
      "You have no permission for this (Export contacts).",
    );
    expect(refused({ permission: "crm.contacts:export" })).toBe("You have no permission for this (crm.contacts:export).");
    expect(refused({})).toBe("You have no permission for this.");
    expect(permissionOf({ permission: "x", titles: { en: "Export contacts", de: "Kontakte exportieren" } }, "de-AT")).toEqual({
      name: "x",
      title: "Kontakte exportieren",
    });
  });
  it("may pass by themselves or not", () =>
    expect([0, 400, 403, 404, 409, 412, 429, 500, 503].filter((status) => mayPass(problemOf({ status, code: "x" })))).toEqual([
      0, 429, 500, 503,
    ]));
});

describe("undo", () => {
  it("takes back the newest once, keeps what failed, and forgets what is over", async () => {
    let time = 0;
    const undo = createUndo(() => time);
    const back: string[] = [];
    undo.push({ text: "a", undo: async () => back.push("a"), until: 100 });
    undo.push({ text: "b", undo: async () => back.push("b") });
    await Promise.all([undo.take(), undo.take()]);
    expect(back).toEqual(["b", "a"]);
    expect(await undo.take()).toBe(false);
    undo.push({ text: "c", undo: () => Promise.reject(new Error("no")) });
    await expect(undo.take()).rejects.toThrow("no");
    expect(undo.current().map(({ text }) => text)).toEqual(["c"]);
    undo.push({ text: "d", undo: async () => back.push("d"), until: 50 });
    time = 60;
    expect(await undo.take(undo.current()[0]?.id)).toBe(false);
  });
});

describe("a board", () => {
  const cards = new Map([
    ["a", ["1", "2", "3"]],
    ["b", []],
    ["c", ["4"]],
  ]);
  const id = (card: string): string => card;
  const lengthOf = (column: string): number => cards.get(column)?.length ?? 0;
  it("finds and moves cards, several in their order", () => {
    expect(placeOf(cards, id, "3")).toEqual({ column: "a", index: 2 });
    expect(placeOf(cards, id, "9")).toBeUndefined();
    expect([...moved(cards, id, new Set(["3", "1"]), { column: "c", index: 1 })]).toEqual([
      ["a", ["2"]],
      ["b", []],
      ["c", ["4", "1", "3"]],
    ]);
    expect(moved(cards, id, new Set(["1"]), { column: "a", index: 99 }).get("a")).toEqual(["2", "3", "1"]);
  });
  it("walks within its edges, mirrored where one reads from right to left", () => {
    const from = { column: "a", index: 2 };
    expect(step(["a", "b", "c"], lengthOf, from, "ArrowDown", false)).toEqual(from);
    expect(step(["a", "b", "c"], lengthOf, from, "ArrowRight", false)).toEqual({ column: "b", index: 0 });
    expect(step(["a", "b", "c"], lengthOf, from, "ArrowLeft", false)).toEqual(from);
    expect(step(["a", "b", "c"], lengthOf, from, "ArrowLeft", true)).toEqual({ column: "b", index: 0 });
    expect(step(["a", "b", "c"], lengthOf, from, "Home", false)).toEqual({ column: "a", index: 0 });
  });
});
