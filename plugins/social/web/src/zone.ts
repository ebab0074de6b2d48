/** Times of a zone, by the browser's data. */
const parts = (at: number, zone: string): Record<string, string> =>
  Object.fromEntries(
    new Intl.DateTimeFormat("en-CA", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    })
      .formatToParts(new Date(at))
      .map(({ type, value }) => [type, value]),
  );

/** `2026-03-29T14:30` of an instant in a zone, as inputs of the type `datetime-local` have it. */
export function localOf(at: string | number, zone: string): string {
  const { year = "", month, day, hour, minute } = parts(typeof at === "number" ? at : Date.parse(at), zone);
  // While a user types the year, the field passes through years such as 0002.
  return `${year.padStart(4, "0")}-${month}-${day}T${hour}:${minute}`;
}

/** The instant of a local time. A time that a clock change skips becomes the time after it; of two, the earlier one. */
export function instantOf(local: string, zone: string): string {
  const wanted = Date.parse(`${local}:00Z`);
  if (Number.isNaN(wanted)) return "";
  const offset = (at: number): number => Date.parse(`${localOf(at, zone)}:00Z`) - Math.floor(at / 60_000) * 60_000;
  const guesses = [wanted - offset(wanted - 86_400_000), wanted - offset(wanted + 86_400_000)].sort((a, b) => a - b);
  const found = guesses.find((at) => localOf(at, zone) === local) ?? Math.max(...guesses);
  return new Date(found).toISOString();
}

/** 09:00 on a day, or the next full hour if that is over. */
export function startOn(day: string, zone: string, now: number): string {
  const hour = 3_600_000;
  const nine = instantOf(`${day}T09:00`, zone);
  return Date.parse(nine) > now ? nine : new Date(Math.floor(now / hour + 1) * hour).toISOString();
}

export const dateOf = (at: string | number, zone: string): string => localOf(at, zone).slice(0, 10);

export const plusDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
