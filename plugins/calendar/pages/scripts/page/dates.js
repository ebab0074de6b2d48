// Dates are `YYYY-MM-DD`, instants milliseconds since 1970.

const language = document.documentElement.lang;

// A date alone has no zone: noon of UTC shows it everywhere in UTC.
const noon = (day) => new Date(`${day}T12:00:00Z`);
const isoOf = (at) => at.toISOString().slice(0, 10);
const plusDays = (day, count) => isoOf(new Date(noon(day).getTime() + count * 86400000));
const firstOf = (day, ahead = 0) => isoOf(new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1 + ahead, 1, 12)));
const weekdayOf = (day) => noon(day).getUTCDay() || 7;
const dayText = (day) =>
  new Intl.DateTimeFormat(language, { timeZone: "UTC", weekday: "long", day: "numeric", month: "long", year: "numeric" }).format(noon(day));
const monthText = (day) => new Intl.DateTimeFormat(language, { timeZone: "UTC", month: "long", year: "numeric" }).format(noon(day));

/** The zone of the browser; some say `Etc/Unknown`, which they do not know themselves. */
const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
function knowsZone(name) {
  try {
    return Boolean(name && new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}

/** What a clock of a zone shows: the date and the time of an instant, and how far it is from UTC then. */
function clockOf(zone, twelveHours) {
  const made = (locale, options) => new Intl.DateTimeFormat(locale, { timeZone: zone, ...options });
  const parts = made("en-CA", { year: "numeric", month: "2-digit", day: "2-digit" });
  const time = made(language, { hour: twelveHours ? "numeric" : "2-digit", minute: "2-digit", hourCycle: twelveHours ? "h12" : "h23" });
  const offset = made("en-CA", { timeZoneName: "shortOffset" });
  return {
    dateOf(at) {
      const { year, month, day } = Object.fromEntries(parts.formatToParts(at).map(({ type, value }) => [type, value]));
      return `${year.padStart(4, "0")}-${month}-${day}`;
    },
    timeText: (at) => time.format(at).replace("\u202f", " "),
    offsetText: (at) =>
      offset
        .formatToParts(at)
        .find(({ type }) => type === "timeZoneName")
        .value.replace("GMT", "UTC")
        .replace("-", "\u2212"),
  };
}

function zoneText(name, at) {
  const place = name.slice(name.lastIndexOf("/") + 1).replaceAll("_", " ");
  const offset = clockOf(name, false).offsetText(at);
  return place === offset ? place : `${place} (${offset})`;
}
