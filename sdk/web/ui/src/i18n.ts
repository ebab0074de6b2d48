/** A text with holes (`{name}`), or one for each plural form of `count` that its language has (`one`, `few`, `other`, …). */
export type Message = string | ({ readonly other: string } & { readonly [form in Intl.LDMLPluralRule]?: string });

/**
 * The texts of a package in one language, by their keys.
 *
 * @example
 * const texts: Catalog<"hello"> = { hello: "Hello, {name}" };
 * console.log(createSay(texts, "en")("hello", { name: "Ada" }));
 */
export type Catalog<Key extends string = string> = { readonly [key in Key]: Message };

/** Values for the holes of a text. Numbers are written as the language writes them. */
export type Values = { readonly [name: string]: string | number };

/**
 * Finds a text by its key and fills its holes.
 *
 * @example
 * const say: Say<"hello"> = createSay({ hello: "Hello" }, "en");
 * console.log(say("hello"));
 */
export type Say<Key extends string = string> = (key: Key, values?: Values) => string;

/**
 * Texts of a catalog in a language. A hole without a value stays as it is written, and so does an unknown key: a page shows it, and nothing breaks.
 *
 * @example
 * const say = createSay({ found: { one: "{count} contact", other: "{count} contacts" } }, "en");
 * console.log(say("found", { count: 12345 })); // 12,345 contacts
 */
export function createSay<Key extends string>(catalog: Catalog<Key>, locale: string): Say<Key> {
  const plurals = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale);
  return (key, values = {}) => {
    const message = catalog[key] as Message | undefined;
    if (message === undefined) return key;
    const text = typeof message === "string" ? message : (message[plurals.select(Number(values["count"]))] ?? message.other);
    return text.replace(/\{(\w+)\}/g, (hole, name: string) => {
      const value = values[name];
      return value === undefined ? hole : typeof value === "number" ? numbers.format(value) : value;
    });
  };
}

/**
 * An amount as the services send it: integer minor units and an ISO 4217 code.
 *
 * @example
 * const value: Money = { amount: 1250, currency: "EUR" };
 * console.log(createFormats("en").money(value)); // €12.50
 */
export interface Money {
  readonly amount: number;
  readonly currency: string;
}

/**
 * Dates, numbers and money in a person's language and zone. What cannot be read as a date is shown as it came.
 *
 * @example
 * const formats: Formats = createFormats("en", "UTC");
 * console.log(formats.date("2026-11-23")); // Nov 23, 2026
 */
export interface Formats {
  /** `2026-11-23` stays that day in every zone; an instant becomes the day in the person's. */
  date(value: string): string;
  dateTime(value: string): string;
  time(value: string | Date): string;
  /** "3 hours ago", "in 2 days"; beyond a month the date. */
  ago(value: string, now?: Date): string;
  number(value: number): string;
  money(value: Money): string;
  bytes(value: number): string;
  /** "Lead, Won, and Lost"; with `or` "Lead, Won, or Lost". */
  list(values: readonly string[], or?: "or"): string;
  /** For sorting names as the language does. */
  compare(a: string, b: string): number;
}

/**
 * Formats of a locale and a zone (IANA; the computer's where it is empty or unknown).
 *
 * @example
 * const formats = createFormats("de", "Europe/Berlin");
 * console.log(formats.money({ amount: 1250000, currency: "EUR" })); // 12.500,00 €
 */
export function createFormats(locale: string, zone = ""): Formats {
  const timeZone = zoneOr(zone);
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone });
  const plainDay = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
  const both = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone });
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: "short", timeZone });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const number = new Intl.NumberFormat(locale);
  const and = new Intl.ListFormat(locale, { type: "conjunction" });
  const either = new Intl.ListFormat(locale, { type: "disjunction" });
  const collator = new Intl.Collator(locale, { numeric: true, sensitivity: "base" });
  const of = (value: string | Date, as: Intl.DateTimeFormat): string => {
    const instant = new Date(value);
    return Number.isNaN(instant.getTime()) ? String(value) : as.format(instant);
  };
  const date = (value: string): string => of(value, /^\d{4}-\d\d-\d\d$/.test(value) ? plainDay : day);
  return {
    date,
    dateTime: (value) => of(value, both),
    time: (value) => of(value, clock),
    ago: (value, now = new Date()) => {
      const seconds = (new Date(value).getTime() - now.getTime()) / 1000;
      if (Number.isNaN(seconds) || Math.abs(seconds) > 30 * 86_400) return date(value);
      for (const [unit, size] of STEPS) if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
      return relative.format(0, "second");
    },
    number: (value) => number.format(value),
    money: ({ amount, currency }) => {
      const as = moneyFormat(locale, currency);
      return as.format(amount / 10 ** (as.resolvedOptions().maximumFractionDigits ?? 2));
    },
    bytes: (value) => {
      const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, value)) / 10)));
      const as = new Intl.NumberFormat(locale, { style: "unit", unit: UNITS[step] ?? "byte", maximumFractionDigits: step > 1 ? 1 : 0 });
      return as.format(value / 1024 ** step);
    },
    list: (values, or) => (or ? either : and).format(values),
    compare: collator.compare,
  };
}

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [["day", 86_400], ["hour", 3_600], ["minute", 60]];
const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"];

function zoneOr(zone: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone || undefined }).resolvedOptions().timeZone;
  } catch {
    return "UTC";
  }
}

/** A code that is none is written behind the number. */
function moneyFormat(locale: string, currency: string): Intl.NumberFormat {
  try {
    return new Intl.NumberFormat(locale, { style: "currency", currency });
  } catch {
    return new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  }
}
