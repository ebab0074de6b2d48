#include "icalendar/BusyReader.h"

#include "icalendar/EventReader.h"

#include "portico/Text.h"

#include <algorithm>
#include <map>
#include <set>

namespace portico::calendar::icalendar
{

namespace
{
using namespace std::chrono;

LocalDate dateOf(WallSeconds wall) { return LocalDate(sys_days(floor<days>(wall).time_since_epoch())); }

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

/// Reads the events of one calendar.
class CalendarReader
{
public:
    CalendarReader(const TimeZones& zones, const BusyOptions& options, const Component& calendar, RecurrenceBudget& budget,
                   BusyCollector& busy)
        : _options(options), _budget(budget), _busy(busy), _calendar(calendar), _events(zones, options, calendar, budget, busy)
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
    /// An event with those that change some of its occurrences.
    void readGroup(const std::vector<const Component*>& components)
    {
        std::vector<Event> masters;
        Overrides overrides;
        for (const auto* component : components)
        {
            const auto event = _events.read(*component);
            if (!event) continue;
            const auto* replaced = component->find("RECURRENCE-ID");
            if (!replaced)
                masters.push_back(*event);
            else if (const auto time = _events.time(*component, *replaced, replaced->value))
                overrides.add({*event, *time}, upperCase(replaced->parameter("RANGE")) == "THISANDFUTURE");
        }
        overrides.sort();
        for (const auto& master : masters) readOccurrences(master, overrides);
        for (const auto& [event, replaced] : overrides.single) place(event, event.start, event.length);
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
            _events.note(*master.component, "endless_rule", {}, std::string(reason.what()) + " Only its first time counts.");
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
        const auto moved = event.start.movedTo(start.wall + (event.start.wall - changed->replaced.wall));
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
                if (const auto time = _events.time(*master.component, property, item))
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
            return _events.note(*master.component, "unknown_rule", property.value,
                                "its rule “" + cleanText(property.value, 60) + "” cannot be read; only its first time counts.");
        const auto& start = master.start;
        const auto longest =
            std::clamp(floor<seconds>(abs(master.length.wallDays)) + abs(master.length.elapsed), seconds(0), seconds(days(36'525))) +
            days(2);
        RecurrenceSpan span{start.wall, start.isDate, _events.wallAt(start, _options.from) - longest,
                            _events.wallAt(start, _options.to) + days(2)};
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
            for (const auto wall : occurrences(*rule, span, part)) starts.push_back(start.movedTo(wall));
        }
        catch (const RecurrenceTooLong&)
        {
            spend();
            throw;
        }
        spend();
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
            const auto time = _events.time(*master.component, property, std::string_view(item).substr(0, item.find('/')));
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
        const auto start = _events.time(component, property, text.substr(0, slash));
        const auto rest = text.substr(std::min(slash + 1, text.size()));
        const auto length = parseDuration(rest);
        const auto end = length ? std::nullopt : _events.time(component, property, rest);
        if (!start || start->isDate || (!length && !end)) return;
        _busy.count();
        place(Event{&component, *start, {}, true}, *start,
              length ? EventLength{length->days, length->seconds} : EventLength{{}, floor<seconds>(end->at - start->at)});
    }

    void place(const Event& event, const EventTime& start, const EventLength& length)
    {
        if (!event.busy) return;
        const auto lastDay = length.wallDays.count() == 0 ? start : start.movedTo(start.wall + length.wallDays);
        if (start.isDate) return _busy.add(dateOf(start.wall), dateOf(lastDay.wall));
        _busy.add(start.at, lastDay.at + length.elapsed);
    }

    const BusyOptions& _options;
    RecurrenceBudget& _budget;
    BusyCollector& _busy;
    const Component& _calendar;
    EventReader _events;
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
        throw ICalendarError("too_many", "The calendar has too many events, or time zones, that come again too often.");
    }
}

} // namespace portico::calendar::icalendar
