/** Digits behind the point of a currency. */
const digitsOf = (currency: string): number =>
  new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;

/** An amount in minor units as it is typed: 1250 EUR is 12.50. */
export const majorOf = (minor: number, currency: string, point: string): string =>
  (minor / 10 ** digitsOf(currency)).toFixed(digitsOf(currency)).replace(".", point);

/** The minor units of a typed amount; null for an empty one. Text that is no amount stays, so that nothing typed is lost and the rule can say it. */
export function minorOf(text: string, currency: string, point: string): number | string | null {
  const typed = text.trim();
  if (typed === "") return null;
  const digits = digitsOf(currency);
  const [whole = "", part = "", ...more] = typed.split(typed.includes(point) ? point : ".");
  const fits = /^-?\d+$/.test(whole) && /^\d*$/.test(part) && part.length <= digits && more.length === 0 && !/[.,]$/.test(typed);
  return fits ? Number(`${whole}${part.padEnd(digits, "0")}`) : text;
}
