#include "slots/Starts.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

namespace portico::calendar
{

namespace
{

/// The hours of a range of dates.
class Hours
{
public:
    Hours(const SlotRules& rules, LocalDate first, LocalDate last) : _zone(rules.zone)
    {
        collectOverrides(rules.dateOverrides, first, last);
        for (const auto& rule : rules.weeklyRules)
            _weekly[static_cast<std::size_t>(rule.weekday - 1) % 7].push_back({rule.start, rule.end});
        for (auto date = first; date <= last; date = date.plusDays(1)) addDate(date);
        _all = Spans(_owned);
    }

    /// Hours of single dates, which define the grids (R5).
    const std::vector<Span>& owned() const noexcept { return _owned; }

    /// Union of the hours of all dates.
    const Spans& all() const noexcept { return _all; }

private:
    /// Several of one date are united, and a closed one wins (R6).
    void collectOverrides(const std::vector<DateOverride>& overrides, LocalDate first, LocalDate last)
    {
        for (const auto& day : overrides)
        {
            if (day.date < first || day.date > last) continue;
            auto& [closed, intervals] = _overrides[day.date];
            closed = closed || day.closed;
            intervals.insert(intervals.end(), day.intervals.begin(), day.intervals.end());
        }
    }

    std::span<const WallInterval> intervalsOf(LocalDate date) const
    {
        const auto found = _overrides.find(date);
        if (found == _overrides.end()) return _weekly[static_cast<std::size_t>(date.weekday() - 1)];
        if (found->second.closed) return {};
        return found->second.intervals;
    }

    void addDate(LocalDate date)
    {
        const auto next = date.plusDays(1);
        std::vector<Span> spans;
        // An end at or before the start is on the next date (R3). Between times that the zone never showed nothing lies, and no start (R2).
        for (const auto& [start, end] : intervalsOf(date))
            spans.push_back({_zone.at(date, start), _zone.at(end > start ? date : next, end)});
        // No interval reaches further than into the next date, which is another's if it has an override (R6).
        const auto limit = _overrides.contains(next) ? _zone.startOf(next) : Instant::max();
        for (const auto& span : Spans(std::move(spans))) _owned.push_back({span.start, std::min(span.end, limit)});
    }

    struct OwnHours
    {
        bool closed = false;
        std::vector<WallInterval> intervals;
    };

    const TimeZone& _zone;
    std::array<std::vector<WallInterval>, 7> _weekly;
    std::map<LocalDate, OwnHours> _overrides;
    std::vector<Span> _owned;
    Spans _all;
};

/// Returns the hours that touch a span. Hours of a date end when the next date begins. If a clock is set back over midnight, the local time
/// shows the previous date again after the next one has begun.
Hours hoursAround(const SlotRules& rules, const Span& span)
{
    return Hours(rules, rules.zone.dateOf(span.start).plusDays(-1), rules.zone.dateOf(span.end).plusDays(1));
}

} // namespace

std::vector<Instant> startsOf(const SlotRules& rules, Instant from, Instant to)
{
    std::vector<Instant> starts;
    if (from >= to) return starts;
    const auto hours = hoursAround(rules, {from, to + rules.duration});
    const std::chrono::milliseconds step = rules.slotInterval;
    for (const auto& grid : hours.owned())
    {
        auto start = grid.start;
        if (start < from) start += (from - start + step - std::chrono::milliseconds(1)) / step * step;
        for (const auto end = std::min(grid.end, to); start < end; start += step)
            if (hours.all().contains({start, start + rules.duration})) starts.push_back(start);
    }
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    return starts;
}

bool isWithinHours(const SlotRules& rules, const Span& span) { return hoursAround(rules, span).all().contains(span); }

} // namespace portico::calendar
