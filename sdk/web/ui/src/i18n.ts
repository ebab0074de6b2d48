import type { TextKey } from "./texts.en.ts";

/** Values for the holes of a text. Numbers are written as the language writes them. */
export type Values = Readonly<Record<string, string | number | null | undefined>>;

/**
 * Texts of all catalogs (the shell's, the app's and, below `ui.`, this package's) in the person's language, and how it writes dates, numbers and money.
 * The shell's `Texts` are these.
 *
 * @example
 * const saved = (texts: UiTexts): string => texts.t("ui.act.save");
 * console.log(saved.name);
 */
export interface UiTexts {
  /** BCP 47. */
  readonly locale: string;
  /** The text of a key; the key itself where no catalog has it. */
  t(key: string, values?: Values): string;
  has(key: string): boolean;
  number(value: number): string;
  /** Minor units of an ISO 4217 currency; throws where it is none. */
  money(minor: number, currency: string): string;
  /** Empty for what is no date. */
  date(value: string): string;
  dateTime(value: string): string;
  relative(value: string, now?: number): string;
}

/**
 * An amount as the services send it: integer minor units and an ISO 4217 code.
 *
 * @example
 * const value: Money = { amount: 1250, currency: "EUR" };
 * console.log(value.amount);
 */
export interface Money {
  readonly amount: number;
  readonly currency: string;
}

/** Finds a text of this package by its key and fills its holes. */
export type Say = (key: TextKey, values?: Values) => string;

/**
 * Dates, numbers and money in a person's language and zone. What cannot be read is shown as it came.
 *
 * @example
 * const sum = (formats: Formats): string => formats.money({ amount: 1250, currency: "EUR" });
 * console.log(sum.name);
 */
export interface Formats {
  date(value: string): string;
  dateTime(value: string): string;
  /** "3 hours ago", "in 2 days". */
  ago(value: string): string;
  number(value: number): string;
  money(value: Money): string;
  bytes(value: number): string;
  /** "Lead, Won, and Lost"; with `or` "Lead, Won, or Lost". */
  list(values: readonly string[], or?: "or"): string;
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"];

/** Formats over the texts of the page. */
export function createFormats(texts: UiTexts): Formats {
  // The languages of tests (`en-XA`) are English with other texts.
  const language = texts.locale.replace(/-X[AB]$/, "");
  return {
    date: (value) => texts.date(value) || value,
    dateTime: (value) => texts.dateTime(value) || value,
    ago: (value) => texts.relative(value) || value,
    number: (value) => texts.number(value),
    money: ({ amount, currency }) => {
      try {
        return texts.money(amount, currency);
      } catch {
        return `${texts.number(amount / 100)} ${currency}`;
      }
    },
    bytes: (value) => {
      const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, value)) / 10)));
      return new Intl.NumberFormat(language, { style: "unit", unit: UNITS[step] ?? "byte", maximumFractionDigits: step > 1 ? 1 : 0 }).format(value / 1024 ** step);
    },
    list: (values, or) => new Intl.ListFormat(language, { type: or ? "disjunction" : "conjunction" }).format(values),
  };
}
