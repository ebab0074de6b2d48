import type { TextKey } from "./texts.en.ts";

/**
 * Values for the holes of a text. Numbers are written as the language writes them.
 *
 * @example
 * const values: TextValues = { name: "Ada", count: 3 };
 * console.log(values.name);
 */
export type TextValues = Readonly<Record<string, string | number | null | undefined>>;

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
  /** Zone of the IANA database in which times are typed (default: that of the browser). */
  readonly zone?: string;
  /** The text of a key; the key itself where no catalog has it. */
  t(key: string, values?: TextValues): string;
  has(key: string): boolean;
  number(value: number): string;
  /** Minor units of an ISO 4217 currency, whole ones without the part that says nothing: €1,250, but €12.50. */
  money(minor: number, currency: string): string;
  /** Empty for what is no date. */
  date(value: string): string;
  dateTime(value: string): string;
  /** "3 hours ago", "in 2 days"; empty for what is no date. */
  relative(value: string, now?: number): string;
  bytes(value: number): string;
  /** "Lead, Won, and Lost"; with `or` "Lead, Won, or Lost". */
  list(values: readonly string[], or?: "or"): string;
}

/** Finds a text of this package by its key and fills its holes. */
export type Say = (key: TextKey, values?: TextValues) => string;
