import { expect, test, vi } from "vitest";
import { createTexts, loadTexts, zoneFor } from "../src/i18n.ts";
import de from "../src/texts/de.ts";
import en from "../src/texts/en.ts";

const app = { en: { "app.title": "Notes" }, de: () => Promise.resolve({ default: { "app.title": "Notizen" } }) };

test("values, plurals and choices are written as the locale writes them", () => {
  const { t } = createTexts("de", "UTC", {
    a: "{name} hat {count, plural, =0 {nichts} one {# Notiz} other {# Notizen}} in {kind, select, file {Datei} other {Rest}}.",
    b: "{n}",
    c: "50 { % }, # and {unknown}",
  });
  expect(t("a", { name: "Ada", count: 1234, kind: "file" })).toBe("Ada hat 1.234 Notizen in Datei.");
  expect(t("a", { name: "Ada", count: 1, kind: "x" })).toBe("Ada hat 1 Notiz in Rest.");
  expect(t("a", { name: "Ada", count: 0, kind: "x" })).toBe("Ada hat nichts in Rest.");
  expect(t("b", { n: 0.5 })).toBe("0,5");
  expect(t("c")).toBe("50 { % }, # and ");
  // A state that only a newer server knows is shown as it is.
  expect(t("status.half_open")).toBe("half_open");
});

test("a value is a value, whatever it looks like", () => {
  const { t } = createTexts("en", "UTC", { a: "Hello {name}" });
  expect(t("a", { name: "{count, plural, other {x}} $& <b>" })).toBe("Hello {count, plural, other {x}} $& <b>");
});

test("a value that turns the direction of writing turns nothing but itself", () => {
  const { t, list } = createTexts("en", "UTC", { a: "{name} is removed", b: "Because: {why}." });
  const [override, first, pop] = ["\u202e", "\u2068", "\u2069"];
  expect(t("a", { name: `${override}gnp.exe` })).toBe(`${first}${override}gnp.exe${pop} is removed`);
  expect(t("a", { name: "דנה" })).toBe(`${first}דנה${pop} is removed`);
  // It cannot end its own place, nor leave one open.
  expect(t("a", { name: `x${pop}${override}y` })).toBe(`${first}x${override}y${pop} is removed`);
  expect(t("a", { name: `\u2067x` })).toBe(`${first}x${pop} is removed`);
  // A sentence within another keeps what it has isolated.
  expect(t("b", { why: t("a", { name: `${override}z` }) })).toBe(`Because: ${first}${first}${override}z${pop} is removed${pop}.`);
  expect(list(["Ada", `${override}b`])).toBe(`Ada and ${first}${override}b${pop}`);
  expect(t("a", { name: "Ada" })).toBe("Ada is removed");
});

test("dates have the person's zone, and days have none", () => {
  const texts = createTexts("en-GB", "Pacific/Kiritimati");
  expect(texts.date("2026-03-01T23:30:00.000Z")).toBe("2 Mar 2026");
  expect(texts.date("2026-03-01")).toBe("1 Mar 2026");
  expect(texts.date("nonsense")).toBe("");
  expect(texts.money(-123450, "JPY").replace(/\s/g, "")).toMatch(/^-.*123,450$/);
  expect(texts.relative("2026-03-01T00:00:00Z", Date.parse("2026-03-01T03:00:00Z"))).toBe("3 hours ago");
});

test("days and more are lengths of time, not days and months of the calendar", () => {
  const wednesday = Date.parse("2026-12-02T11:00:00Z");
  const when = (locale: string) =>
    ["2026-12-04T10:00:00Z", "2026-12-01T10:00:00Z", "2026-10-04T12:00:00Z", "2026-12-02T11:00:00Z"].map((at) =>
      createTexts(locale, "UTC").relative(at, wednesday),
    );
  expect(when("en-GB")).toEqual(["in 1 day", "1 day ago", "1 month ago", "now"]);
  expect(when("de")).toEqual(["in 1 Tag", "vor 1 Tag", "vor 1 Monat", "jetzt"]);
});

test("what a server says and this browser does not know is shown as it is, and breaks nothing", async () => {
  const atlantis = createTexts("en-GB", "Europe/Atlantis");
  expect([atlantis.zone, atlantis.dateTime("2026-03-01T23:30:00.000Z")]).toEqual(["Europe/Atlantis", "1 Mar 2026, 23:30"]);
  expect(zoneFor("Pacific/Kiritimati")).toBe("Pacific/Kiritimati");
  expect([atlantis.money(125_000, "euro"), atlantis.money(125_000, "EUR"), atlantis.money(1_250, "EUR")]).toEqual([
    "1,250 euro",
    "€1,250",
    "€12.50",
  ]);
  for (const locale of ["de-", "en-@@", "valueOf", "constructor", "5"])
    expect((await loadTexts([locale, "de-CH"], "UTC", app)).locale).toBe("de-CH");
});

test("sizes and lists are written as the locale writes them", () => {
  expect(createTexts("en-GB", "UTC").bytes(52_428_800)).toBe("50 MB");
  expect(createTexts("en-GB", "UTC").list(["a", "b"], "or")).toBe("a or b");
  expect(createTexts("en-XA", "UTC").list(["a", "b"])).toBe("a and b");
});

test("a language that the kit lacks is English, one that an app lacks is half", async () => {
  const japanese = await loadTexts(["ja-JP"], "UTC", app);
  expect([japanese.locale, japanese.t("login.title"), japanese.t("app.title")]).toEqual(["en", "Sign in", "Notes"]);
  const german = await loadTexts(["fr", "de-CH"], "UTC", app);
  expect([german.locale, german.t("login.title"), german.t("app.title")]).toEqual(["de-CH", "Anmelden", "Notizen"]);
  const half = await loadTexts(["de"], "UTC", { en: app.en });
  expect([half.t("login.title"), half.t("app.title")]).toEqual(["Anmelden", "Notes"]);
});

test("a language without a region is that of the browser, where it has one", async () => {
  vi.stubGlobal("navigator", { languages: ["fr-FR", "en-GB", "en"] });
  const [english, german, american] = await Promise.all([["en"], ["de"], ["en-US"]].map((wished) => loadTexts(wished, "UTC", app)));
  vi.unstubAllGlobals();
  expect([english?.locale, english?.firstWeekday, english?.date("2026-03-01")]).toEqual(["en-GB", 1, "1 Mar 2026"]);
  expect([german?.locale, american?.locale]).toEqual(["de", "en-US"]);
});

test("pseudo-languages change every text and keep its holes", async () => {
  const long = await loadTexts(["en-XA"], "UTC", app);
  expect(long.t("app.title")).toBe("[Ñöťéš···]");
  expect(long.t("workspace.to", { name: "Acme" })).toContain("Acme");
  expect(long.t("bar.unsent", { count: 2 })).toContain("2");
  const mirrored = await loadTexts(["ar-XB"], "UTC", app);
  expect([mirrored.direction, mirrored.t("app.title")]).toEqual(["rtl", "\u202eNotes\u202c"]);
});

test("both catalogs have the same holes", () => {
  const holes = (text: string) => [...text.matchAll(/\{(\w+)[,}]/g)].map(([, name]) => name).sort();
  for (const key of Object.keys(en) as (keyof typeof en)[]) expect([key, ...holes(de[key])]).toEqual([key, ...holes(en[key])]);
});

test("every text that the sources name is in the catalog", () => {
  const sources = import.meta.glob("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true }) as Record<string, string>;
  const named = Object.values(sources).flatMap((source) =>
    [...source.replace(/\/\*\*[^]*?\*\//g, "").matchAll(/\bt\((?:[^()"'`]*\? )?"([\w.]+)"(?: : "([\w.]+)")?/g)].flatMap(([, a, b]) => [
      a,
      b,
    ]),
  );
  const unknown = named.filter((key) => key !== undefined && key.includes(".") && !(key in en));
  expect(named.length).toBeGreaterThan(80);
  expect(unknown).toEqual([]);
});
