#include "icalendar/EventVersions.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <utility>

namespace portico::calendar::icalendar
{

namespace
{
using EventVersion = std::pair<std::int64_t, WallSeconds>;

EventVersion versionOf(const Part& part)
{
    const auto text = part.component->value("SEQUENCE");
    std::int64_t sequence = 0;
    std::from_chars(text.data(), text.data() + text.size(), sequence);
    const auto stamp = parseTime(part.component->value("DTSTAMP"));
    return {sequence, stamp ? stamp->wall : WallSeconds::min()};
}

void noteOlder(const Part& part) { part.reader->note(*part.component, "older_version", {}, "an older version of it does not count."); }

Instant replacedAt(const Override& entry) { return entry.replaced.at; }
} // namespace

std::optional<Event> Part::read() const
{
    auto event = reader->read(*component);
    if (event && cancelled) event->busy = false;
    return event;
}

void keepLatest(std::vector<Part>& parts)
{
    EventVersion latest(std::numeric_limits<std::int64_t>::min(), WallSeconds::min());
    for (const auto& part : parts) latest = std::max(latest, versionOf(part));
    const auto isOlder = [&](const Part& part) { return versionOf(part) < latest; };
    for (const auto& part : parts)
        if (isOlder(part)) noteOlder(part);
    std::erase_if(parts, isOlder);
}

void Overrides::arrange()
{
    std::ranges::stable_sort(_single, {}, replacedAt);
    std::vector<Override> kept;
    for (auto at = _single.begin(); at != _single.end();)
    {
        const auto end = std::find_if(at, _single.end(), [&](const Override& entry) { return entry.replaced.at != at->replaced.at; });
        EventVersion latest(std::numeric_limits<std::int64_t>::min(), WallSeconds::min());
        for (auto entry = at; entry != end; ++entry) latest = std::max(latest, versionOf(entry->part));
        for (; at != end; ++at) versionOf(at->part) < latest ? noteOlder(at->part) : kept.push_back(*at);
    }
    _single = std::move(kept);
    std::ranges::copy_if(_single, std::back_inserter(_future), &Override::andFuture);
}

bool Overrides::replace(Instant at) const { return std::ranges::binary_search(_single, at, {}, replacedAt); }

const Override* Overrides::lastBefore(Instant at) const
{
    const auto next = std::ranges::lower_bound(_future, at, {}, replacedAt);
    return next == _future.begin() ? nullptr : &*std::prev(next);
}

} // namespace portico::calendar::icalendar
