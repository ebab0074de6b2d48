#include "pages/Picker.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace portico::calendar
{

namespace
{
using std::chrono::months;

/// Nothing is bookable further ahead.
constexpr std::chrono::days farthest{731};

/// Days by which a date in another zone may lie outside the dates of a grid.
constexpr int zoneReach = 2;

/// Zones that most people live in, one of each rule: others are typed or found by the script.
constexpr std::array commonZones{"Pacific/Honolulu",
                                 "America/Anchorage",
                                 "America/Los_Angeles",
                                 "America/Denver",
                                 "America/Phoenix",
                                 "America/Chicago",
                                 "America/Mexico_City",
                                 "America/New_York",
                                 "America/Toronto",
                                 "America/Bogota",
                                 "America/Halifax",
                                 "America/Santiago",
                                 "America/St_Johns",
                                 "America/Argentina/Buenos_Aires",
                                 "America/Sao_Paulo",
                                 "Atlantic/Azores",
                                 "UTC",
                                 "Europe/London",
                                 "Europe/Lisbon",
                                 "Europe/Berlin",
                                 "Europe/Paris",
                                 "Europe/Madrid",
                                 "Europe/Rome",
                                 "Europe/Warsaw",
                                 "Africa/Lagos",
                                 "Europe/Athens",
                                 "Europe/Kyiv",
                                 "Africa/Cairo",
                                 "Africa/Johannesburg",
                                 "Asia/Jerusalem",
                                 "Europe/Istanbul",
                                 "Africa/Nairobi",
                                 "Asia/Riyadh",
                                 "Asia/Tehran",
                                 "Asia/Dubai",
                                 "Asia/Kabul",
                                 "Asia/Karachi",
                                 "Asia/Kolkata",
                                 "Asia/Kathmandu",
                                 "Asia/Dhaka",
                                 "Asia/Bangkok",
                                 "Asia/Jakarta",
                                 "Asia/Shanghai",
                                 "Asia/Singapore",
                                 "Australia/Perth",
                                 "Asia/Tokyo",
                                 "Asia/Seoul",
                                 "Australia/Adelaide",
                                 "Australia/Brisbane",
                                 "Australia/Sydney",
                                 "Pacific/Auckland"};

LocalDate firstOfMonth(LocalDate date, int ahead = 0)
{
    const auto day = date.parts();
    return LocalDate(std::chrono::sys_days((day.year() / day.month() + months(ahead)) / 1));
}

/// The clock shows this time on the date at another instant, too.
bool isDoubled(const TimeZone& zone, Instant at)
{
    const auto here = zone.localOf(at);
    for (const auto& change : zone.changes(at - std::chrono::hours(24), at + std::chrono::hours(24)))
    {
        const auto shift = std::chrono::seconds(change.before.offsetSeconds - change.after.offsetSeconds);
        if (shift <= std::chrono::seconds(0)) continue;
        for (const auto other : {at - shift, at + shift})
        {
            const auto there = zone.localOf(other);
            if (there.date == here.date && there.secondOfDay == here.secondOfDay) return true;
        }
    }
    return false;
}

/// Dates from the first until before the end.
struct DateGrid
{
    LocalDate first;
    LocalDate end;
};

/// Draws one picker.
class PickerMaker
{
public:
    PickerMaker(const BookingTools& tools, const AvailabilityService& availability, const Offer& offer, const PickerRequest& request,
                const Words& words)
        : _tools(tools),
          _availability(availability),
          _offer(offer),
          _request(request),
          _words(words),
          _now(tools.now()),
          _today(request.zone.dateOf(_now))
    {
    }

    Picker make()
    {
        const auto wanted = std::clamp(wantedDate(), _today, _today.plusDays(static_cast<int>(farthest.count())));
        auto grid = monthOf(wanted);
        auto free = freeOf(grid);
        const auto opens = _request.date || _request.chosen ? std::nullopt : firstFree(free);
        if (opens)
        {
            grid = weeksFrom(*opens);
            free = freeOf(grid);
        }
        _picker.path = _request.path;
        _picker.first = grid.first.text();
        _picker.end = grid.end.text();
        const auto month = firstOfMonth(grid.first), last = firstOfMonth(grid.end.plusDays(-1));
        _picker.monthLabel = _words.month(month) + (month == last ? "" : " \u2013 " + _words.month(last));
        _picker.today = _today.text();
        _picker.timeZone = _request.zone.name();
        if (month > _today) _picker.previousUrl = urlOf(std::max(firstOfMonth(month, -1), _today));
        if (firstOfMonth(month, 1) <= _today.plusDays(static_cast<int>(farthest.count()))) _picker.nextUrl = urlOf(firstOfMonth(month, 1));
        const auto selected = selectedDate(free);
        drawGrid(grid, free, selected);
        if (selected) drawDay(*selected, free);
        if (free.slots.empty() && free.nextAvailable)
        {
            const auto next = _request.zone.dateOf(*free.nextAvailable);
            _picker.nextFreeLabel = _words.date(next);
            _picker.nextFreeUrl = urlOf(next);
        }
        if (!free.slots.empty())
        {
            if (grid.first > _today) addStarts(freeOf({std::max(grid.first.plusDays(-zoneReach), _today), grid.first}));
            addStarts(free);
            addStarts(freeOf({grid.end, grid.end.plusDays(zoneReach)}));
        }
        drawZones(selected ? _request.zone.startOf(selected->plusDays(1)) : _now);
        drawDurations();
        for (const auto& [name, value] : _request.kept) _picker.kept.push_back({name, value});
        return std::move(_picker);
    }

private:
    LocalDate wantedDate() const
    {
        if (_request.date) return *_request.date;
        return _request.chosen ? _request.zone.dateOf(*_request.chosen) : _today;
    }

    std::string urlOf(LocalDate date) const { return urlOf(date.text(), _request.zone.name(), _request.kept); }
    std::string urlOf(const std::string& date, const std::string& zone, Fields fields) const
    {
        fields.emplace_back("tz", zone);
        if (!date.empty()) fields.emplace_back("date", date);
        return withQuery(_request.path, fields);
    }

    void addStarts(const Availability& free)
    {
        for (const auto& slot : free.slots)
        {
            if (!_picker.starts.empty()) _picker.starts += ' ';
            _picker.starts += std::to_string(toMillis(slot.start) / 60000);
            if (slot.seatsLeft) _picker.starts += ':' + std::to_string(*slot.seatsLeft);
        }
    }

    static DateGrid monthOf(LocalDate date) { return {firstOfMonth(date), firstOfMonth(date, 1)}; }
    /// Two weeks at least, from the week of a date on, and the rest of its month.
    DateGrid weeksFrom(LocalDate date) const
    {
        const auto week = date.firstOfWeek(_words.weekStart());
        return {std::max(week, firstOfMonth(date)), std::max(firstOfMonth(date, 1), week.plusDays(14))};
    }

    /// Returns the first free date of the month or after it; none if nothing is free.
    std::optional<LocalDate> firstFree(const Availability& free) const
    {
        if (!free.slots.empty()) return _request.zone.dateOf(free.slots.front().start);
        return free.nextAvailable ? std::optional(_request.zone.dateOf(*free.nextAvailable)) : std::nullopt;
    }

    Availability freeOf(const DateGrid& grid) const
    {
        AvailabilityQuery query;
        query.timeZone = _request.zone.name();
        query.fromDate = std::max(grid.first, _today);
        query.toDate = grid.end.plusDays(-1);
        return _availability.list(_offer, query, _request.moving);
    }

    /// The date that was asked for, if it has free times; else the next one of the month that has.
    std::optional<LocalDate> selectedDate(const Availability& free) const
    {
        auto found = free.byDate.lower_bound(wantedDate().text());
        if (found == free.byDate.end()) found = free.byDate.begin();
        return found == free.byDate.end() ? std::nullopt : LocalDate::parse(found->first);
    }

    void drawGrid(const DateGrid& grid, const Availability& free, std::optional<LocalDate> selected)
    {
        const int start = _words.weekStart();
        for (int i = 0; i < 7; ++i)
        {
            const int weekday = (start - 1 + i) % 7 + 1;
            _picker.weekdays.push_back({_words.weekday(weekday), _words.shortWeekday(weekday)});
        }
        for (auto date = grid.first.firstOfWeek(start); date < grid.end;)
        {
            auto& week = _picker.weeks.emplace_back();
            for (int i = 0; i < 7; ++i, date = date.plusDays(1))
                week.days.push_back(date < grid.first || date >= grid.end ? PickerDay() : dayOf(date, free, selected));
        }
    }

    PickerDay dayOf(LocalDate date, const Availability& free, std::optional<LocalDate> selected) const
    {
        PickerDay day;
        day.number = std::to_string(static_cast<unsigned>(date.parts().day()));
        day.date = date.text();
        day.label = _words.date(date);
        day.today = date == _today;
        day.selected = selected && date == *selected;
        if (const auto found = free.byDate.find(day.date); found != free.byDate.end())
        {
            day.free = static_cast<int>(found->second.size());
            day.url = urlOf(date);
        }
        return day;
    }

    void drawDay(LocalDate date, const Availability& free)
    {
        _picker.date = date.text();
        _picker.dayLabel = _words.date(date);
        for (const auto place : free.byDate.at(_picker.date))
        {
            const auto& slot = free.slots[static_cast<std::size_t>(place)];
            const auto local = _request.zone.localOf(slot.start);
            _picker.times.push_back({slot.start, _words.time(local.secondOfDay),
                                     isDoubled(_request.zone, slot.start) ? offsetText(local.offsetSeconds) : std::string(), slot.seatsLeft,
                                     _request.chosen == slot.start});
        }
    }

    /// With their offsets at the end of the day that is looked at.
    void drawZones(Instant at)
    {
        _picker.zoneLabel = zoneText(_request.zone, at);
        struct Entry
        {
            TimeZone zone;
            int offsetSeconds;
        };
        std::vector<Entry> entries;
        const auto add = [&](const TimeZone& zone)
        {
            const auto isZone = [&](const Entry& entry) { return entry.zone.name() == zone.name(); };
            if (std::ranges::none_of(entries, isZone)) entries.push_back({zone, zone.localOf(at).offsetSeconds});
        };
        add(_request.zone);
        add(_offer.rules.hostZone);
        for (const auto* name : commonZones)
            if (const auto zone = _tools.zones.find(name)) add(*zone);
        std::ranges::stable_sort(entries, {}, &Entry::offsetSeconds);
        for (const auto& [zone, offset] : entries)
            _picker.zones.push_back({zone.name(), zoneText(zone, at), {}, zone.name() == _request.zone.name()});
    }

    void drawDurations()
    {
        const auto& type = _offer.type;
        if (type.durationOptions.empty()) return;
        auto minutes = type.durationOptions;
        minutes.push_back(type.durationMinutes);
        std::ranges::sort(minutes);
        minutes.erase(std::unique(minutes.begin(), minutes.end()), minutes.end());
        for (const int each : minutes)
        {
            auto fields = _request.kept;
            std::erase_if(fields, [](const auto& field) { return field.first == "duration"; });
            fields.emplace_back("duration", std::to_string(each));
            _picker.durations.push_back({std::to_string(each), _words.duration(each), urlOf(_picker.date, _request.zone.name(), fields),
                                         each == _offer.rules.duration.count()});
        }
    }

    const BookingTools& _tools;
    const AvailabilityService& _availability;
    const Offer& _offer;
    const PickerRequest& _request;
    const Words& _words;
    Instant _now;
    LocalDate _today;
    Picker _picker;
};
} // namespace

Picker makePicker(const BookingTools& tools, const AvailabilityService& availability, const Offer& offer, const PickerRequest& request,
                  const Words& words)
{
    return PickerMaker(tools, availability, offer, request, words).make();
}

std::string startText(const Words& words, const TimeZone& zone, Instant start)
{
    const auto local = zone.localOf(start);
    return words.time(local.secondOfDay) + (isDoubled(zone, start) ? " " + offsetText(local.offsetSeconds) : std::string());
}

std::string spanText(const Words& words, const TimeZone& zone, Instant start, Instant end)
{
    const auto from = zone.dateOf(start), to = zone.dateOf(end);
    return words.date(from) + ", " + startText(words, zone, start) + " \u2013 " + (from == to ? "" : words.date(to) + ", ") +
           startText(words, zone, end) + ", " + zoneText(zone, start);
}

} // namespace portico::calendar
