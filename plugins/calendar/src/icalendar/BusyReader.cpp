#include "icalendar/BusyReader.h"

#include "icalendar/EventReader.h"
#include "icalendar/EventVersions.h"

#include "portico/Text.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace portico::calendar::icalendar
{

namespace
{
using namespace std::chrono;

LocalDate dateOf(WallSeconds wall) { return LocalDate(sys_days(floor<days>(wall).time_since_epoch())); }

/// An event with its reader.
struct Master
{
    Event event;
    EventReader* reader = nullptr;
};

struct Occurrence
{
    EventTime start;
    EventLength length;
};

/// Reads the events of the calendars of one text.
class TextReader
{
public:
    TextReader(const ZoneReading& zones, const BusyOptions& options, BusyCollector& busy) : _zones(zones), _options(options), _busy(busy) {}

    void read(const std::vector<Component>& calendars)
    {
        for (const auto& calendar : calendars) gather(calendar);
        for (const auto& [uid, parts] : _groups) readGroup(parts);
        for (const auto& part : _unnamed) readGroup({part});
    }

private:
    void gather(const Component& calendar)
    {
        auto& reader = _readers.emplace_back(_zones, _options, calendar, _busy);
        const bool cancelled = upperCase(calendar.value("METHOD")) == "CANCEL";
        for (const auto& component : calendar.components)
        {
            if (component.name == "VFREEBUSY") readFreeBusy(reader, component);
            if (component.name != "VEVENT") continue;
            _busy.count();
            const auto uid = component.value("UID");
            if (uid.empty())
                _unnamed.push_back({&component, &reader, cancelled});
            else if (!_options.isOurs || !_options.isOurs(uid))
                _groups[uid].push_back({&component, &reader, cancelled});
        }
    }

    /// An event with those that change some of its occurrences.
    void readGroup(std::vector<Part> parts)
    {
        const auto isChange = [](const Part& part) { return part.component->find("RECURRENCE-ID") != nullptr; };
        std::vector<Part> changes;
        std::ranges::copy_if(parts, std::back_inserter(changes), isChange);
        std::erase_if(parts, isChange);
        keepLatest(parts);
        std::vector<Master> masters;
        for (const auto& part : parts)
            if (const auto event = part.read()) masters.push_back({*event, part.reader});
        Overrides overrides;
        for (const auto& part : changes) addChange(part, masters, overrides);
        overrides.arrange();
        for (const auto& master : masters) readOccurrences(master, overrides);
        for (const auto& entry : overrides.all()) place(entry.event, entry.event.start, entry.event.length);
    }

    void addChange(const Part& part, const std::vector<Master>& masters, Overrides& overrides)
    {
        const auto event = part.read();
        if (!event) return;
        const auto& property = *part.component->find("RECURRENCE-ID");
        const auto replaced = part.reader->time(*part.component, property, property.value);
        if (!replaced)
        {
            part.reader->note(*part.component, "unreadable_date", property.value,
                              "which of its times it replaces cannot be read; both count.");
            return place(*event, event->start, event->length);
        }
        // Against the first one: several have one start, or none that a change could mean.
        const auto at = masters.empty() ? *replaced : part.reader->matching(*replaced, masters.front().event.start);
        overrides.add({*event, at, part, upperCase(trim(property.parameter("RANGE"))) == "THISANDFUTURE"});
    }

    void readOccurrences(const Master& master, const Overrides& overrides)
    {
        for (const auto& occurrence : occurrencesOf(master)) takePlace(master.event, occurrence, overrides);
    }

    /// Adds one occurrence, with its override if there is one.
    void takePlace(const Event& master, const Occurrence& occurrence, const Overrides& overrides)
    {
        const auto& start = occurrence.start;
        if (overrides.replace(start.at)) return; // Skips it: the override is placed separately.
        const auto* changed = overrides.lastBefore(start.at);
        if (!changed) return place(master, start, occurrence.length);
        const auto& event = changed->event;
        const auto moved = event.start.movedTo(start.wall + (event.start.wall - changed->replaced.wall));
        place(event, moved, event.length);
    }

    std::vector<Occurrence> occurrencesOf(const Master& master)
    {
        const auto& event = master.event;
        std::vector<Occurrence> found{{event.start, event.length}};
        std::set<Instant> left;
        std::set<WallSeconds> leftDates;
        const auto leaveOut = [&](const EventTime& time) { time.isDate ? (void)leftDates.insert(time.wall) : (void)left.insert(time.at); };
        for (const auto& property : event.component->properties)
        {
            if (property.name == "RRULE")
                for (const auto& start : followRule(master, property)) found.push_back({start, event.length});
            if (property.name == "RDATE") addDates(master, property, found);
            if (property.name == "EXRULE")
                for (const auto& start : followRule(master, property)) leaveOut(start);
            if (property.name == "EXDATE") readExceptions(master, property, leaveOut);
        }
        const auto isLeftOut = [&](const Occurrence& occurrence) {
            return (!occurrence.start.isDate && left.contains(occurrence.start.at)) ||
                   leftDates.contains(floor<days>(occurrence.start.wall));
        };
        std::erase_if(found, isLeftOut);
        std::ranges::stable_sort(found, {}, [](const Occurrence& occurrence) { return occurrence.start.at; });
        const auto same = [](const Occurrence& one, const Occurrence& other)
        { return one.start.at == other.start.at && one.length == other.length; };
        found.erase(std::unique(found.begin(), found.end(), same), found.end());
        return found;
    }

    /// An exception of a date leaves out the occurrence of that date.
    template <class LeaveOut>
    void readExceptions(const Master& master, const Property& property, const LeaveOut& leaveOut)
    {
        for (const auto& item : splitList(property.value))
        {
            const auto time = master.reader->time(*master.event.component, property, item);
            if (time)
                leaveOut(master.event.start.isDate ? master.reader->dateOf(*time) : *time);
            else
                master.reader->note(*master.event.component, "unreadable_exception", item,
                                    "its exception “" + cleanText(item, 60) + "” cannot be read and does not count.");
        }
    }

    /// Reads a recurrence or exception rule. Skipped or lost parts leave a note.
    std::optional<RecurrenceRule> readRule(const Master& master, const Property& property)
    {
        const auto& component = *master.event.component;
        const auto shown = cleanText(property.value, 60);
        std::vector<std::string> ignored;
        auto rule = RecurrenceRule::parse(property.value, &ignored);
        // An exception that is not understood would free time.
        if (property.name == "EXRULE" && (!rule || !ignored.empty()))
        {
            master.reader->note(component, "unreadable_exception", property.value,
                                "its exception “" + shown + "” cannot be read and does not count.");
            return std::nullopt;
        }
        if (!rule)
        {
            master.reader->note(component, "unknown_rule", property.value,
                                "its rule “" + shown + "” cannot be read; only its first time counts.");
            return std::nullopt;
        }
        if (master.event.start.isDate && rule->frequency < RecurrenceRule::Frequency::Daily)
        {
            rule->frequency = RecurrenceRule::Frequency::Daily;
            rule->interval = 1;
            ignored.emplace_back("FREQ");
        }
        for (const auto& part : ignored)
            master.reader->note(component, "ignored_part", part, "“" + cleanText(part, 60) + "” of its rule does not count.");
        return rule;
    }

    std::vector<EventTime> followRule(const Master& master, const Property& property)
    {
        const auto rule = readRule(master, property);
        if (!rule) return {};
        const auto& start = master.event.start;
        const auto& length = master.event.length;
        const auto longest =
            std::clamp(floor<seconds>(abs(length.wallDays)) + abs(length.elapsed), seconds(0), seconds(days(36'525))) + days(2);
        RecurrenceSpan span{start.wall, start.isDate, master.reader->wallAt(start, _options.from) - longest,
                            master.reader->wallAt(start, _options.to) + days(2)};
        if (rule->until) span.until = master.reader->lastTime(*rule->until, start);
        std::vector<EventTime> starts;
        for (const auto wall : follow(master, *rule, span, property)) starts.push_back(start.movedTo(wall));
        return starts;
    }

    /// Expands a rule within the remaining budget. If it takes too long, the first times are kept.
    std::vector<WallSeconds> follow(const Master& master, const RecurrenceRule& rule, const RecurrenceSpan& span, const Property& property)
    {
        auto& budget = _zones.budget;
        const RecurrenceBudget given{std::min(budget.steps, _options.budgetOfEvent.steps),
                                     std::min(budget.occurrences, _options.budgetOfEvent.occurrences)};
        auto part = given;
        std::vector<WallSeconds> found;
        try
        {
            found = occurrences(rule, span, part);
        }
        catch (const RecurrenceTooLong& reason)
        {
            const bool isException = property.name == "EXRULE";
            if (!isException) found = reason.found();
            master.reader->note(*master.event.component, isException ? "unreadable_exception" : "endless_rule", property.value,
                                std::string(reason.what()) +
                                    (isException ? " Its exceptions do not count." : " Only its first times count."));
        }
        budget.steps -= given.steps - std::max<std::int64_t>(part.steps, 0);
        budget.occurrences -= given.occurrences - std::max<std::int64_t>(part.occurrences, 0);
        return found;
    }

    /// Adds the occurrences of RDATE: times, dates or periods, which have their length.
    void addDates(const Master& master, const Property& property, std::vector<Occurrence>& found)
    {
        const auto& event = master.event;
        for (const auto& item : splitList(property.value))
        {
            const std::string_view text = item;
            const auto slash = std::min(text.find('/'), text.size());
            const auto time = master.reader->time(*event.component, property, text.substr(0, slash));
            if (!time)
            {
                master.reader->note(*event.component, "unreadable_date", item, "its time “" + cleanText(item, 60) + "” cannot be read.");
                continue;
            }
            auto length = event.length;
            if (slash < text.size() && !event.start.isDate)
            {
                const auto own = periodLength(*master.reader, *event.component, property, *time, text.substr(slash + 1));
                if (!own)
                    master.reader->note(*event.component, "unreadable_end", item,
                                        "the end of its time “" + cleanText(item, 60) + "” cannot be read; it is as long as the others.");
                length = own.value_or(length);
            }
            found.push_back({time->isDate == event.start.isDate ? *time : master.reader->matching(*time, event.start), length});
        }
    }

    /// From the start of a period to its end; empty for an end that cannot be read.
    static std::optional<EventLength> periodLength(EventReader& reader, const Component& component, const Property& property,
                                                   const EventTime& start, std::string_view text)
    {
        if (const auto length = parseDuration(trim(text))) return EventLength{length->days, length->seconds};
        if (const auto end = reader.time(component, property, text)) return EventLength{{}, floor<seconds>(end->at - start.at)};
        return std::nullopt;
    }

    void readFreeBusy(EventReader& reader, const Component& component)
    {
        for (const auto& property : component.properties)
        {
            const auto kind = upperCase(property.parameter("FBTYPE"));
            if (property.name != "FREEBUSY" || kind == "FREE" || (kind == "BUSY-TENTATIVE" && !_options.tentative)) continue;
            for (const auto& item : splitList(property.value)) readPeriod(reader, component, property, item);
        }
    }

    void readPeriod(EventReader& reader, const Component& component, const Property& property, const std::string& item)
    {
        const std::string_view text = item;
        const auto slash = std::min(text.find('/'), text.size());
        const auto start = reader.time(component, property, text.substr(0, slash));
        if (!start || start->isDate)
            return reader.note(component, "unreadable_date", item, "its time “" + cleanText(item, 60) + "” cannot be read.");
        auto length = periodLength(reader, component, property, *start, text.substr(std::min(slash + 1, text.size())));
        if (!length)
        {
            reader.note(component, "unreadable_end", item,
                        "its end “" + cleanText(item, 60) + "” cannot be read; it is taken as one hour.");
            length = EventLength{{}, hours(1)};
        }
        _busy.count();
        place(Event{&component, *start, {}, true}, *start, *length);
    }

    void place(const Event& event, const EventTime& start, const EventLength& length)
    {
        if (!event.busy) return;
        const auto lastDay = length.wallDays.count() == 0 ? start : start.movedTo(start.wall + length.wallDays);
        if (start.isDate) return _busy.add(dateOf(start.wall), dateOf(lastDay.wall));
        _busy.add(start.at, lastDay.at + length.elapsed);
    }

    const ZoneReading& _zones;
    const BusyOptions& _options;
    BusyCollector& _busy;
    std::deque<EventReader> _readers;
    std::map<std::string_view, std::vector<Part>> _groups;
    std::vector<Part> _unnamed;
};
} // namespace

BusyReader::BusyReader(const TimeZones& zones, const BusyOptions& options)
    : _zones(zones), _options(options), _budget(options.budget), _busy(options.from, options.to)
{
}

void BusyReader::add(std::string_view text)
{
    const auto calendars = parseComponents(text, _options.limits);
    if (std::ranges::any_of(calendars, &Component::damaged))
        note({}, "damaged_calendar", {}, "The calendar is damaged or cut off; only the readable part of it counts.");
    read(calendars);
}

void BusyReader::addObject(std::string_view name, std::string_view text)
{
    auto limits = _options.limits;
    limits.cutOff = true;
    try
    {
        const auto calendars = parseComponents(text, limits);
        if (std::ranges::any_of(calendars, &Component::damaged))
            note(name, "damaged_object", {}, "it is damaged or cut off; only the readable part of it counts.");
        read(calendars);
    }
    catch (const ICalendarError& error)
    {
        note(name, "unreadable_object", error.code(), error.what());
    }
}

void BusyReader::read(const std::vector<Component>& calendars)
{
    const ZoneReading zones{_zones, _budget, _zoneCache};
    TextReader(zones, _options, _busy).read(calendars);
}

} // namespace portico::calendar::icalendar
