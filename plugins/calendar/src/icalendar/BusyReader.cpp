#include "icalendar/BusyReader.h"

#include "icalendar/Values.h"

#include "portico/Text.h"

#include <algorithm>
#include <map>
#include <set>

namespace portico::calendar::icalendar
{

namespace
{
using namespace std::chrono;

/// Beyond every question; times are kept within them, so that arithmetic with them stays within 64 bits.
constexpr auto earliestWall = WallSeconds(local_days(year(1) / January / 1)),
               latestWall = WallSeconds(local_days(year(9998) / January / 1));

/// A time of an event: where a wall in a zone shows it, and when that is. Of a date the beginning, as if in UTC.
struct EventTime
{
    WallSeconds wall{};
    bool isDate = false;
    const EventZone* zone = nullptr;
    Instant at{};
};

/// From `start` for so long: a number of days on the wall, or of seconds.
struct EventLength
{
    days wallDays{0};
    seconds elapsed{0};
};

Instant instantOfDate(WallSeconds wall) { return Instant(wall.time_since_epoch()); }
LocalDate dateOf(WallSeconds wall) { return LocalDate(sys_days(floor<days>(wall).time_since_epoch())); }

/// An event as far as it says when it is.
struct Event
{
    const Component* component = nullptr;
    EventTime start;
    EventLength length;
    bool busy = false;
};

/// What an occurrence became.
struct Override
{
    Event event;
    EventTime replaced;
};

/// Those of one event, in the order of what they replace.
struct Overrides
{
    /// All of them: each replaces one.
    std::vector<Override> single;
    /// Those that move every later one as well.
    std::vector<Override> future;

    void add(const Override& entry, bool andFuture)
    {
        single.push_back(entry);
        if (andFuture) future.push_back(entry);
    }
    void sort()
    {
        std::ranges::sort(single, {}, when);
        std::ranges::sort(future, {}, when);
    }
    bool replace(Instant at) const { return std::ranges::binary_search(single, at, {}, when); }
    const Override* lastBefore(Instant at) const
    {
        const auto next = std::ranges::lower_bound(future, at, {}, when);
        return next == future.begin() ? nullptr : &*std::prev(next);
    }

private:
    static Instant when(const Override& entry) { return entry.replaced.at; }
};

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

/// Reads the events of one calendar.
class CalendarReader
{
public:
    CalendarReader(const TimeZones& zones, const BusyOptions& options, const Component& calendar, RecurrenceBudget& budget,
                   BusyCollector& busy)
        : _options(options),
          _budget(budget),
          _busy(busy),
          _calendar(calendar),
          _hostZone(options.zone),
          _zones(zones, calendar.components, options.to + days(400), budget)
    {
    }

    void read()
    {
        std::map<std::string_view, std::vector<const Component*>> groups;
        std::vector<const Component*> unnamed;
        for (const auto& component : _calendar.components)
        {
            if (component.name == "VFREEBUSY") readFreeBusy(component);
            if (component.name != "VEVENT") continue;
            _busy.count();
            const auto uid = component.value("UID");
            if (uid.empty())
                unnamed.push_back(&component);
            else if (!_options.isOurs || !_options.isOurs(uid))
                groups[uid].push_back(&component);
        }
        for (const auto& [uid, components] : groups) readGroup(components);
        for (const auto* component : unnamed) readGroup({component});
    }

private:
    void note(const Component& component, std::string_view what)
    {
        _busy.note(component.value("SUMMARY").empty() ? component.value("UID") : component.value("SUMMARY"), what);
    }

    /// An event with those that change some of its occurrences.
    void readGroup(const std::vector<const Component*>& components)
    {
        std::vector<Event> masters;
        Overrides overrides;
        for (const auto* component : components)
        {
            const auto event = readEvent(*component);
            if (!event) continue;
            const auto* replaced = component->find("RECURRENCE-ID");
            if (!replaced)
                masters.push_back(*event);
            else if (const auto time = readTime(*component, *replaced, replaced->value))
                overrides.add({*event, *time}, upperCase(replaced->parameter("RANGE")) == "THISANDFUTURE");
        }
        overrides.sort();
        for (const auto& master : masters) readOccurrences(master, overrides);
        for (const auto& [event, replaced] : overrides.single) place(event, event.start, event.length);
    }

    std::optional<Event> readEvent(const Component& component)
    {
        const auto* property = component.find("DTSTART");
        const auto start = property ? readTime(component, *property, property->value) : std::nullopt;
        if (!start)
        {
            note(component, "its start cannot be read.");
            return std::nullopt;
        }
        return Event{&component, *start, readLength(component, *start), isBusy(component, start->isDate)};
    }

    std::optional<EventTime> readTime(const Component& component, const Property& property, std::string_view text)
    {
        const auto written = parseTime(trim(text));
        if (!written) return std::nullopt;
        EventTime time{std::clamp(written->wall, earliestWall, latestWall), written->isDate, &_hostZone, {}};
        if (written->isDate)
            time.at = instantOfDate(time.wall);
        else
        {
            time.zone = written->isUtc ? &_utc : zoneNamed(component, property.parameter("TZID"));
            time.at = time.zone->at(time.wall);
        }
        return time;
    }

    const EventZone* zoneNamed(const Component& component, std::string_view name)
    {
        if (name.empty()) return &_hostZone;
        if (const auto* zone = _zones.find(name)) return zone;
        note(component, "nobody knows its time zone “" + cleanText(name, 60) + "”; taken as yours.");
        return &_hostZone;
    }

    EventLength readLength(const Component& component, const EventTime& start)
    {
        const auto* end = component.find("DTEND");
        const auto time = end ? readTime(component, *end, end->value) : std::nullopt;
        const auto written = parseDuration(component.value("DURATION"));
        if (start.isDate)
        {
            const auto whole = time ? floor<days>(time->wall - start.wall) : written ? written->days : days(1);
            return {std::max(whole, days(1)), {}};
        }
        if (time && !time->isDate) return {{}, floor<seconds>(time->at - start.at)};
        return written && !time ? EventLength{written->days, written->seconds} : EventLength{};
    }

    bool isBusy(const Component& component, bool isDate) const
    {
        const auto status = upperCase(component.value("STATUS"));
        if (status == "CANCELLED" || upperCase(component.value("TRANSP")) == "TRANSPARENT" || (isDate && !_options.allDay)) return false;
        const auto answer = ownAnswer(component);
        return answer != "DECLINED" && (_options.tentative || (status != "TENTATIVE" && answer != "TENTATIVE"));
    }

    /// The PARTSTAT of the host; empty where they are not invited.
    std::string ownAnswer(const Component& component) const
    {
        for (const auto& property : component.properties)
        {
            if (property.name != "ATTENDEE") continue;
            auto address = lowerCase(trim(property.value));
            if (address.starts_with("mailto:")) address.erase(0, 7);
            if (std::ranges::find(_options.ownAddresses, address) != _options.ownAddresses.end())
                return upperCase(property.parameter("PARTSTAT"));
        }
        return {};
    }

    /// @throws ICalendarError when nothing is left for other events
    void readOccurrences(const Event& master, const Overrides& overrides)
    {
        try
        {
            for (const auto& start : startsOf(master)) takePlace(master, start, overrides);
        }
        catch (const RecurrenceTooLong& reason)
        {
            if (_budget.steps <= 0 || _budget.occurrences <= 0) throw;
            note(*master.component, std::string(reason.what()) + " Only its first time counts.");
            place(master, master.start, master.length);
        }
    }

    /// One occurrence: as it is, or as it was changed.
    void takePlace(const Event& master, const EventTime& start, const Overrides& overrides)
    {
        if (overrides.replace(start.at)) return; // it is placed by itself
        const auto* changed = overrides.lastBefore(start.at);
        if (!changed) return place(master, start, master.length);
        const auto& event = changed->event;
        EventTime moved = event.start;
        moved.wall = std::clamp(start.wall + (event.start.wall - changed->replaced.wall), earliestWall, latestWall);
        moved.at = moved.isDate ? instantOfDate(moved.wall) : moved.zone->at(moved.wall);
        place(event, moved, event.length);
    }

    std::vector<EventTime> startsOf(const Event& master)
    {
        std::vector<EventTime> starts{master.start};
        for (const auto& property : master.component->properties)
        {
            if (property.name == "RRULE") addRule(master, property, starts);
            if (property.name == "RDATE") addDates(master, property, starts);
        }
        std::set<Instant> left;
        std::set<WallSeconds> leftDates;
        for (const auto& property : master.component->properties)
        {
            if (property.name != "EXDATE") continue;
            for (const auto& item : splitList(property.value))
                if (const auto time = readTime(*master.component, property, item))
                    time->isDate ? (void)leftDates.insert(time->wall) : (void)left.insert(time->at);
        }
        const auto isLeftOut = [&](const EventTime& time)
        { return (!time.isDate && left.contains(time.at)) || leftDates.contains(floor<days>(time.wall)); };
        std::erase_if(starts, isLeftOut);
        std::ranges::sort(starts, {}, &EventTime::at);
        const auto same = [](const EventTime& one, const EventTime& other) { return one.at == other.at; };
        starts.erase(std::unique(starts.begin(), starts.end(), same), starts.end());
        return starts;
    }

    void addRule(const Event& master, const Property& property, std::vector<EventTime>& starts)
    {
        const auto rule = RecurrenceRule::parse(trim(property.value));
        if (!rule)
            return note(*master.component, "its rule “" + cleanText(property.value, 60) + "” cannot be read; only its first time counts.");
        const auto& start = master.start;
        const auto longest =
            std::clamp(floor<seconds>(abs(master.length.wallDays)) + abs(master.length.elapsed), seconds(0), seconds(days(36'525))) +
            days(2);
        RecurrenceSpan span{start.wall, start.isDate, wallOf(start, _options.from) - longest, wallOf(start, _options.to) + days(2)};
        if (rule->until) span.until = lastTime(*rule->until, start);
        RecurrenceBudget part{std::min(_budget.steps, _options.budgetOfEvent.steps),
                              std::min(_budget.occurrences, _options.budgetOfEvent.occurrences)};
        const auto given = part;
        const auto spend = [&]
        {
            _budget.steps -= given.steps - std::max<std::int64_t>(part.steps, 0);
            _budget.occurrences -= given.occurrences - std::max<std::int64_t>(part.occurrences, 0);
        };
        try
        {
            for (const auto wall : occurrences(*rule, span, part))
                starts.push_back({wall, start.isDate, start.zone, start.isDate ? instantOfDate(wall) : start.zone->at(wall)});
        }
        catch (const RecurrenceTooLong&)
        {
            spend();
            throw;
        }
        spend();
    }

    WallSeconds wallOf(const EventTime& time, Instant instant) const
    {
        return time.isDate ? _hostZone.wallAt(instant) : time.zone->wallAt(instant);
    }

    /// UNTIL on the wall of the event. A date counts as a whole.
    static WallSeconds lastTime(const RecurrenceRule::Until& until, const EventTime& start)
    {
        if (start.isDate) return floor<days>(until.time);
        if (until.isDate) return until.time + days(1) - seconds(1);
        return until.isUtc ? start.zone->wallAt(Instant(until.time.time_since_epoch())) : until.time;
    }

    /// RDATE: times, dates, or periods, of which the start counts here.
    void addDates(const Event& master, const Property& property, std::vector<EventTime>& starts)
    {
        for (const auto& item : splitList(property.value))
        {
            const auto time = readTime(*master.component, property, std::string_view(item).substr(0, item.find('/')));
            if (time && time->isDate == master.start.isDate) starts.push_back(*time);
        }
    }

    void readFreeBusy(const Component& component)
    {
        for (const auto& property : component.properties)
        {
            const auto kind = upperCase(property.parameter("FBTYPE"));
            if (property.name != "FREEBUSY" || kind == "FREE" || (kind == "BUSY-TENTATIVE" && !_options.tentative)) continue;
            for (const auto& item : splitList(property.value)) readPeriod(component, property, item);
        }
    }

    void readPeriod(const Component& component, const Property& property, std::string_view text)
    {
        const auto slash = std::min(text.find('/'), text.size());
        const auto start = readTime(component, property, text.substr(0, slash));
        const auto rest = text.substr(std::min(slash + 1, text.size()));
        const auto length = parseDuration(rest);
        const auto end = length ? std::nullopt : readTime(component, property, rest);
        if (!start || start->isDate || (!length && !end)) return;
        _busy.count();
        place(Event{&component, *start, {}, true}, *start,
              length ? EventLength{length->days, length->seconds} : EventLength{{}, floor<seconds>(end->at - start->at)});
    }

    void place(const Event& event, const EventTime& start, const EventLength& length)
    {
        if (!event.busy) return;
        if (start.isDate) return _busy.add(dateOf(start.wall), dateOf(std::min(start.wall + length.wallDays, latestWall)));
        const auto lastDay =
            length.wallDays.count() == 0 ? start.at : start.zone->at(std::clamp(start.wall + length.wallDays, earliestWall, latestWall));
        _busy.add(start.at, lastDay + length.elapsed);
    }

    const BusyOptions& _options;
    RecurrenceBudget& _budget;
    BusyCollector& _busy;
    const Component& _calendar;
    const EventZone _hostZone;
    const EventZone _utc{TimeZone()};
    ZoneFinder _zones;
};
} // namespace

BusyReader::BusyReader(const TimeZones& zones, const BusyOptions& options)
    : _zones(zones), _options(options), _budget(options.budget), _busy(options.from, options.to)
{
}

void BusyReader::add(std::string_view text)
{
    try
    {
        for (const auto& calendar : parseComponents(text, _options.limits))
            CalendarReader(_zones, _options, calendar, _budget, _busy).read();
    }
    catch (const RecurrenceTooLong&)
    {
        throw ICalendarError("The calendar has too many events, or time zones, that come again too often.");
    }
}

} // namespace portico::calendar::icalendar
