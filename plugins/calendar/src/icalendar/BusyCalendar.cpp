#include "icalendar/BusyCalendar.h"

#include "portico/Text.h"

#include <algorithm>
#include <chrono>

namespace portico::calendar::icalendar
{

namespace
{
constexpr std::size_t mostNotes = 5;
/// In the host's zone a date may begin a day earlier or later than in UTC.
constexpr std::chrono::days zoneReach{2};

/// Joins what overlaps or touches.
template <class T>
void unite(std::vector<T>& spans)
{
    std::ranges::sort(spans, {}, &T::start);
    std::vector<T> united;
    for (const auto& span : spans)
    {
        if (!united.empty() && span.start <= united.back().end)
            united.back().end = std::max(united.back().end, span.end);
        else
            united.push_back(span);
    }
    spans = std::move(united);
}
} // namespace

void BusyCollector::add(Instant start, Instant end)
{
    if (end > start && end > _from && start < _to) _busy.times.push_back({std::max(start, _from), std::min(end, _to)});
}

void BusyCollector::add(LocalDate start, LocalDate end)
{
    if (end > start && Instant(start.days()) < _to + zoneReach && Instant(end.days()) > _from - zoneReach)
        _busy.dates.push_back({start, end});
}

void BusyCollector::note(std::string_view event, std::string_view code, std::string_view detail, std::string_view what)
{
    if (_busy.notes.size() == mostNotes) return;
    const auto name = cleanText(event, 60);
    _busy.notes.push_back({std::string(code), name, cleanText(detail, 60), "“" + name + "”: " + std::string(what)});
}

BusyCalendar BusyCollector::take()
{
    unite(_busy.times);
    unite(_busy.dates);
    return std::move(_busy);
}

} // namespace portico::calendar::icalendar
