"""The slot rules R1 to R13 once more, from their text and by Python's own reader of the tz database: slow and plain, to compare with.

It shares nothing with the engine. Instants are whole seconds since 1970, in UTC.
"""

import functools
import zoneinfo
from datetime import date, datetime, timedelta, timezone

DAY = 86400
EPOCH = datetime(1970, 1, 1)


def instant(text):
    """Of RFC 3339 text; fractions are kept."""
    value = datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    return int(value) if value == int(value) else value


def shown(seconds):
    return (EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def minutes(text):
    hours, rest = text.split(":")
    return int(hours) * 60 + int(rest)


def seconds_of(day, minute=0):
    """A date and time on a wall, as if it hung in Greenwich."""
    return (day - date(1970, 1, 1)).days * DAY + minute * 60


class Zone:
    """Pieces of time with one offset each, found by asking for the offset of every quarter of an hour."""

    STEP = 900

    def __init__(self, name):
        self.zone = zoneinfo.ZoneInfo(name)

    @functools.lru_cache(maxsize=None)
    def offset(self, seconds):
        local = datetime.fromtimestamp(seconds, timezone.utc).astimezone(self.zone)
        return int(local.utcoffset().total_seconds())

    def change_between(self, low, high):
        """The first instant of the offset of `high`, when that of `low` differs."""
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.offset(middle) == self.offset(low) else (low, middle)
        return high

    @functools.lru_cache(maxsize=None)
    def pieces(self, day):
        """(from, until, offset) around a date, more than 24 hours to both sides of it."""
        first = seconds_of(day) - 2 * DAY
        found, begin = [], first
        for at in range(first, first + 5 * DAY, self.STEP):
            if self.offset(at) != self.offset(at + self.STEP):
                change = self.change_between(at, at + self.STEP)
                found.append((begin, change, self.offset(at)))
                begin = change
        return (*found, (begin, first + 5 * DAY, self.offset(first + 5 * DAY)))

    @functools.lru_cache(maxsize=None)
    def at(self, day, minute=0):
        """R2."""
        wanted = seconds_of(day, minute)
        for begin, until, offset in self.pieces(day):
            earliest = max(begin, wanted - offset)
            if earliest < until:
                return earliest
        raise AssertionError("further than two days")

    def date(self, seconds):
        whole = int(seconds // 1)
        return (EPOCH + timedelta(seconds=whole + self.offset(whole))).date()

    def wall(self, seconds):
        return (EPOCH + timedelta(seconds=seconds + self.offset(seconds))).strftime("%H:%M")


@functools.lru_cache(maxsize=None)
def zone(name):
    return Zone(name)


def united(spans):
    result = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


class Rules:
    def __init__(self, given):
        self.given = given
        self.zone = zone(given["hostTimeZone"])
        self.duration = given["durationMinutes"] * 60
        self.step = (given.get("slotIntervalMinutes") or given["durationMinutes"]) * 60
        self.before = given.get("bufferBeforeMinutes", 0) * 60
        self.after = given.get("bufferAfterMinutes", 0) * 60
        self.seats = given.get("seatsPerSlot", 1)
        self.now = instant(given["now"])

    # R1 to R6

    def intervals(self, day):
        """Of one date, as written: its overrides, or its weekly rules."""
        mine = [each for each in self.given.get("dateOverrides", []) if each["date"] == day.isoformat()]
        if any(each.get("closed") for each in mine):
            return []
        if mine:
            return [interval for each in mine for interval in each["intervals"]]
        return [rule for rule in self.given.get("weeklyRules", []) if rule["weekday"] == day.isoweekday()]

    def owned(self, day):
        spans = []
        for interval in self.intervals(day):
            start, end = minutes(interval["start"]), minutes(interval["end"])
            span = (self.zone.at(day, start), self.zone.at(day if end > start else day + timedelta(1), end))
            if span[0] < span[1]:
                spans.append(span)
        overridden = {date.fromisoformat(each["date"]) for each in self.given.get("dateOverrides", [])} - {day}
        near = [each for each in overridden if abs((each - day).days) <= 3]
        return [part for span in united(spans) for part in self.without(span, near)]

    def without(self, span, days):
        """What is left of a span beside those dates."""
        parts = [span]
        for day in days:
            begin, end = self.zone.at(day), self.zone.at(day + timedelta(1))
            parts = [part for a, b in parts for part in ((a, min(b, begin)), (max(a, end), b)) if part[0] < part[1]]
        return parts

    def starts(self, begin, end):
        first, last = self.zone.date(begin) - timedelta(3), self.zone.date(end + self.duration) + timedelta(3)
        days = [first + timedelta(n) for n in range((last - first).days + 1)]
        grids = [span for day in days for span in self.owned(day)]
        hours = united(grids)
        found = set()
        for low, high in grids:
            found.update(at for at in range(low, high, self.step) if begin <= at < end)
        return sorted(at for at in found if any(low <= at and at + self.duration <= high for low, high in hours))

    # R7 to R13

    def is_busy(self, start, end):
        spans = [(instant(each["start"]), instant(each["end"])) for each in self.given.get("busy", [])]
        for each in self.given.get("busyAllDay", []):
            spans.append(tuple(self.zone.at(date.fromisoformat(each[key])) for key in ("startDate", "endDate")))
        return any(max(a, start - self.before) < min(b, end + self.after) for a, b in spans)

    def events(self):
        """Those that take time."""
        live = [hold for hold in self.given.get("holds", []) if instant(hold["expiresAt"]) > self.now]
        return [each for each in self.given.get("bookings", []) + live if each["start"] < each["end"]]

    def is_taken(self, start, end):
        seats = self.seats
        for each in self.events():
            a, b = instant(each["start"]), instant(each["end"])
            if (a, b) == (start, end) and not each.get("otherEventType"):
                seats -= each.get("seats", 1)
            elif b <= start:
                if start - b < max(each.get("bufferAfterMinutes", 0) * 60, self.before):
                    return True
            elif end <= a:
                if a - end < max(self.after, each.get("bufferBeforeMinutes", 0) * 60):
                    return True
            else:
                return True
        return seats < 1

    def is_outside_window(self, day):
        window = self.given.get("bookingWindow") or {"kind": "unlimited"}
        if window["kind"] == "dateRange":
            return not window["from"] <= day.isoformat() <= window["to"]
        return day > self.zone.date(self.now) + timedelta(window.get("days", 730))

    def is_limited(self, day):
        days = [self.zone.date(instant(each["start"])) for each in self.given.get("bookings", []) if not each.get("otherEventType")]
        weeks = [each.isocalendar()[:2] for each in days]
        daily, weekly = self.given.get("dailyLimit"), self.given.get("weeklyLimit")
        return (daily is not None and days.count(day) >= daily) or (weekly is not None and weeks.count(day.isocalendar()[:2]) >= weekly)

    def is_open(self, start):
        end, day = start + self.duration, self.zone.date(start)
        early = start < self.now + self.given.get("minimumNoticeMinutes", 0) * 60
        return not (early or self.is_outside_window(day) or self.is_busy(start, end) or self.is_taken(start, end) or self.is_limited(day))


def query_of(given):
    query = given["query"]
    if "from" in query:
        return instant(query["from"]), instant(query["to"])
    guest = zone(query["guestTimeZone"])
    return guest.at(date.fromisoformat(query["fromDate"])), guest.at(date.fromisoformat(query["toDate"]) + timedelta(1))


def starts(given):
    """The open starts of a vector's input."""
    rules = Rules(given)
    return [at for at in rules.starts(*query_of(given)) if rules.is_open(at)]


def by_guest_date(given, found):
    guest = zone(given["query"]["guestTimeZone"])
    result = {}
    for at in found:
        result.setdefault(guest.date(at).isoformat(), []).append(guest.wall(at))
    return result
