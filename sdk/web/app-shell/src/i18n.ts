import type { TextValues, UiTexts } from "@portico/ui";
import type { Catalog } from "./catalog.ts";
import english from "./texts/en.ts";

/**
 * Catalogs by language. `en` is whole and stands in for what another lacks, so it is there from the start; each of the others is loaded when it is wanted.
 *
 * @example
 * const catalogs: Catalogs = { en: { "notes.title": "Notes" }, de: () => Promise.resolve({ default: { "notes.title": "Notizen" } }) };
 * console.log(Object.keys(catalogs)); // ["en", "de"]
 */
export type Catalogs = { readonly en: Catalog | LoadCatalog; readonly [language: string]: Catalog | LoadCatalog };
type LoadCatalog = () => Promise<{ default: Catalog }>;

/**
 * The texts of the person's language, and how it writes numbers, dates and money. A value: another language is another one.
 *
 * @example
 * const texts = createTexts("en", "Europe/Berlin", { "notes.count": "{count, plural, one {# note} other {# notes}}" });
 * console.log(texts.t("notes.count", { count: 1200 })); // "1,200 notes"
 * console.log(texts.money(123456, "EUR")); // "€1,234.56"
 */
export interface Texts extends UiTexts {
  /** A name of the IANA database. */
  readonly zone: string;
  readonly direction: "ltr" | "rtl";
  number(value: number, options?: Intl.NumberFormatOptions): string;
  /** An RFC 3339 instant, or a date `YYYY-MM-DD`, which has no zone. Empty for what is none. */
  date(value: Instant, options?: Intl.DateTimeFormatOptions): string;
  dateTime(value: Instant): string;
  time(value: Instant): string;
  /** How long ago, or until when; in an app's pages by the server's clock. */
  relative(value: Instant, now?: number): string;
  /** For sorting what people read. */
  readonly compare: (a: string, b: string) => number;
  /** 1: Monday … 7: Sunday. */
  readonly firstWeekday: number;
}

type Instant = string | number | Date | null | undefined;
type Part =
  string | { readonly name: string; readonly kind: "value" | "plural" | "select"; readonly choices: ReadonlyMap<string, readonly Part[]> };

const units = ["byte", "kilobyte", "megabyte", "gigabyte"];

/** Whether `Intl` takes what others have said: a server may know zones that this browser does not. */
const isKnown = (make: () => unknown): boolean => {
  try {
    return Boolean(make());
  } catch {
    return false;
  }
};

/**
 * A time zone as far as this browser knows it, else UTC.
 *
 * @example
 * console.log(zoneFor("Europe/Berlin"), zoneFor("Europe/Atlantis")); // Europe/Berlin UTC
 */
export const zoneFor = (zone: string): string => (isKnown(() => new Intl.DateTimeFormat("en", { timeZone: zone })) ? zone : "UTC");

/** @see Texts */
export function createTexts(locale: string, zone: string, ...catalogs: readonly Catalog[]): Texts {
  const texts = new Map<string, string>();
  for (const catalog of catalogs) for (const [key, text] of Object.entries(catalog)) texts.set(key, text);
  const compiled = new Map<string, readonly Part[]>();
  const language = /^(en-XA|ar-XB)$/.test(locale) ? locale.slice(0, 2) : locale;
  const known = zoneFor(zone);
  const plurals = new Intl.PluralRules(language);
  const formats = new Map<string, unknown>();
  /** Made once: that takes longer than what it writes. */
  const kept = <T, O>(Format: new (language: string, options?: O) => T, options?: O): T => {
    const key = Format.name + JSON.stringify(options);
    if (!formats.has(key)) formats.set(key, new Format(language, options));
    return formats.get(key) as T;
  };
  const number = (value: number, options?: Intl.NumberFormatOptions) => kept(Intl.NumberFormat, options).format(value);
  const instant = (value: Instant) => (value === null || value === undefined || value === "" ? Number.NaN : new Date(value).getTime());
  const dated = (value: Instant, options: Intl.DateTimeFormatOptions) => {
    const time = instant(value);
    const zoned = typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) ? "UTC" : known;
    return Number.isNaN(time) ? "" : kept(Intl.DateTimeFormat, { timeZone: zoned, ...options }).format(time);
  };

  const write = (parts: readonly Part[], values: TextValues, count: string): string =>
    parts
      .map((part) => {
        if (typeof part === "string") return part === "#" ? count : part;
        const value = values[part.name];
        if (part.kind === "value") return typeof value === "number" ? number(value) : isolated(value ?? "");
        const chosen =
          part.kind === "plural"
            ? (part.choices.get(`=${value}`) ?? part.choices.get(plurals.select(Number(value))))
            : part.choices.get(String(value));
        return write(chosen ?? part.choices.get("other") ?? [], values, part.kind === "plural" ? number(Number(value)) : count);
      })
      .join("");

  return {
    locale,
    zone,
    direction: /^(ar|fa|he|ur)\b/.test(locale) ? "rtl" : "ltr",
    has: (key) => texts.has(key),
    // What a newer server says, of which there is no text: as it is.
    t(key, values = {}) {
      const parts = compiled.get(key) ?? partsOf(texts.get(key) ?? key.slice(key.lastIndexOf(".") + 1));
      compiled.set(key, parts);
      return write(parts, values, "");
    },
    number,
    money(minor, currency) {
      if (!/^[a-z]{3}$/i.test(currency)) return `${number(minor / 100)} ${currency}`;
      const format = kept(Intl.NumberFormat, { style: "currency", currency, trailingZeroDisplay: "stripIfInteger" });
      return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
    },
    date: (value, options = { dateStyle: "medium" }) => dated(value, options),
    dateTime: (value) => dated(value, { dateStyle: "medium", timeStyle: "short" }),
    time: (value) => dated(value, { timeStyle: "short" }),
    relative(value, now = Date.now()) {
      const seconds = (instant(value) - now) / 1_000;
      if (Number.isNaN(seconds)) return "";
      const steps: [Intl.RelativeTimeFormatUnit, number][] = [
        ["year", 31_556_952],
        ["month", 2_629_746],
        ["week", 604_800],
        ["day", 86_400],
        ["hour", 3_600],
        ["minute", 60],
      ];
      const [unit, length] = steps.find(([, each]) => Math.abs(seconds) >= each) ?? (["second", 1] as const);
      // Not "tomorrow" or "last month": those are units of the calendar, and these are lengths of time.
      return kept(Intl.RelativeTimeFormat, { numeric: length < 86_400 ? "auto" : "always" }).format(Math.trunc(seconds / length), unit);
    },
    bytes(value) {
      const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, value)) / 10)));
      return number(value / 1_024 ** step, { style: "unit", unit: units[step] ?? "byte", maximumFractionDigits: step > 1 ? 1 : 0 });
    },
    list: (values, or) => kept(Intl.ListFormat, { type: or ? "disjunction" : "conjunction" }).format(values.map(isolated)),
    compare: new Intl.Collator(language, { numeric: true }).compare,
    firstWeekday: weekdayOf(language),
  };
}

/** What turns the direction of writing turns its own only: what is around a value reads on as it was written. */
const isolated = (value: string): string =>
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/.test(value)
    ? `\u2068${value.replace(/[\u2066-\u2068][^\u2066-\u2069]*\u2069|[\u2066-\u2069]/g, (found) => (found.length > 1 ? found : ""))}\u2069`
    : value;

function weekdayOf(language: string): number {
  const locale = new Intl.Locale(language) as Intl.Locale & { getWeekInfo?(): { firstDay: number }; weekInfo?: { firstDay: number } };
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1;
}

/** Reads a text once. What is no placeholder stays as it is, so a wrong text is seen and nothing fails. */
function partsOf(text: string): readonly Part[] {
  let at = 0;
  const read = (inside: boolean): Part[] => {
    const parts: Part[] = [];
    let plain = "";
    const flush = () => {
      if (plain) parts.push(plain);
      plain = "";
    };
    while (at < text.length && !(inside && text[at] === "}")) {
      const placeholder = text[at] === "{" ? /^\{(\w+)(?:, (plural|select), |\})/.exec(text.slice(at)) : null;
      if (!placeholder) {
        if (inside && text[at] === "#") (flush(), parts.push("#"));
        else plain += text[at];
        ++at;
        continue;
      }
      flush();
      at += placeholder[0].length;
      const choices = new Map<string, readonly Part[]>();
      if (placeholder[2]) {
        for (let choice; (choice = /^\s*([=\w]+) ?\{/.exec(text.slice(at))); ++at) {
          at += choice[0].length;
          choices.set(choice[1] ?? "", read(true));
        }
        ++at;
      }
      parts.push({ name: placeholder[1] ?? "", kind: (placeholder[2] as "plural" | "select" | undefined) ?? "value", choices });
    }
    flush();
    return parts;
  };
  return read(false);
}

const ours: Catalogs = { en: english, de: () => import("./texts/de.ts") };

/** The languages that an app and the kit both have. */
export const languagesOf = (catalogs: Catalogs): string[] => Object.keys(ours).filter((language) => language in catalogs);

const isPseudo = (locale: string): locale is "en-XA" | "ar-XB" => locale === "en-XA" || locale === "ar-XB";

/** A language as the browser's region writes it: an account says `en`, and in London a week begins on Monday. */
const inRegion = (language: string): string => globalThis.navigator?.languages?.find((each) => each.startsWith(`${language}-`)) ?? language;

/**
 * The first of the wished locales that there is a catalog for, else English, in the browser's region where none is said. `en-XA` (long, accented) and `ar-XB` (right to left) are made from English,
 * to see what does not hold them.
 */
export const localeFor = (wished: readonly string[]): string =>
  inRegion(
    wished.find(
      (each, at) => (at === 0 && isPseudo(each)) || (Object.hasOwn(ours, each.split("-")[0] ?? "") && isKnown(() => new Intl.Locale(each))),
    ) ?? "en",
  );

/** Texts in `localeFor` of what is wished. */
export async function loadTexts(wished: readonly string[], zone: string, app: Catalogs): Promise<Texts> {
  const locale = localeFor(wished);
  const language = isPseudo(locale) ? "en" : (locale.split("-")[0] ?? "en");
  const load = (all: Catalogs) => [all.en, ...(language !== "en" && all[language] ? [all[language]] : [])];
  const catalogs = await Promise.all(
    [...load(ours), ...load(app)].map(async (each) => (typeof each === "function" ? (await (each as LoadCatalog)()).default : each)),
  );
  if (!isPseudo(locale)) return createTexts(locale, zone, ...catalogs);
  const { accented } = await import("./pseudo.ts");
  return createTexts(locale, zone, ...catalogs.map((each) => accented(each, locale)));
}
