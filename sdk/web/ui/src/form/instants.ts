const digits = { hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;

/** The clock of a zone. A zone that the browser does not know is UTC, as in the texts of the shell. */
function clockOf(zone: string | undefined): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US", { ...digits, ...(zone && { timeZone: zone }) });
  } catch {
    return clockOf("UTC");
  }
}

/**
 * What the clock of a zone shows at an instant, as `datetime-local` has it: `2026-11-28T14:20`; empty for what is no instant.
 *
 * @example
 * console.log(localOf("2026-12-01T09:30:00Z", "Europe/Berlin")); // 2026-12-01T10:30
 */
export function localOf(instant: string, zone: string | undefined): string {
  const at = Date.parse(instant);
  if (Number.isNaN(at)) return "";
  const part: Record<string, string> = {};
  for (const { type, value } of clockOf(zone).formatToParts(at)) part[type] = value;
  return `${part["year"]?.padStart(4, "0")}-${part["month"]}-${part["day"]}T${part["hour"]}:${part["minute"]}`;
}

/**
 * Returns the first instant at which a zone's clock shows a local time. Times in a gap move forward by its length; invalid input
 * yields an empty string.
 *
 * @example
 * console.log(instantOf("2026-12-01T10:30", "Europe/Berlin")); // 2026-12-01T09:30:00.000Z
 */
export function instantOf(local: string, zone: string | undefined): string {
  const wanted = Date.parse(`${local}Z`);
  if (Number.isNaN(wanted)) return "";
  const shown = (at: number): number => Date.parse(`${localOf(new Date(at).toISOString(), zone)}Z`);
  // A zone has at most two offsets around an instant.
  const tried = [86_400_000, -86_400_000].map((away) => wanted - (shown(wanted - away) - (wanted - away)));
  const fits = tried.filter((at) => shown(at) === wanted);
  return new Date(fits.length ? Math.min(...fits) : Math.max(...tried)).toISOString();
}
