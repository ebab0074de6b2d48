#include "icalendar/BusyCalendar.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>

namespace portico::calendar::icalendar
{

namespace
{
constexpr std::size_t maxNotes = 5;
constexpr std::array<std::string_view, 3> minorCodes{"repaired", "ignored_part", "older_version"};
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
    const bool isMinor = std::ranges::find(minorCodes, code) != minorCodes.end();
    auto& notes = isMinor ? _minor : _busy.notes;
    const auto name = cleanText(event, 60);
    Oddity oddity{std::string(code), name, cleanText(detail, 60), (name.empty() ? "" : "“" + name + "”: ") + std::string(what)};
    const auto isSame = [&](const Oddity& other)
    { return other.code == oddity.code && other.event == name && other.detail == oddity.detail; };
    if (std::ranges::any_of(notes, isSame)) return;
    if (notes.size() == maxNotes)
        ++_left;
    else
        notes.push_back(std::move(oddity));
}

BusyCalendar BusyCollector::take()
{
    unite(_busy.times);
    unite(_busy.dates);
    std::ranges::move(_minor, std::back_inserter(_busy.notes));
    const auto number = std::to_string(_left);
    if (_left > 0) _busy.notes.push_back({"more", {}, number, "There are " + number + " more notes."});
    return std::move(_busy);
}

} // namespace portico::calendar::icalendar
