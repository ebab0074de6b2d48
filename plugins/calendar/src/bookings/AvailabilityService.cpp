#include "bookings/AvailabilityService.h"

#include "portico/Problem.h"

#include <algorithm>
#include <utility>

namespace portico::calendar
{

namespace
{
Problem tooLong(std::string_view parameter)
{
    return Problem::invalid(std::string(parameter), "out_of_range", "A range has at most 62 days");
}

/// Limits of the years that the answers can write: four digits.
constexpr Instant earliest{std::chrono::sys_days(std::chrono::year(0) / 1 / 1)},
    latest{std::chrono::sys_days(std::chrono::year(10'000) / 1 / 1)};

Problem unwritable(std::string_view parameter)
{
    return Problem::invalid(std::string(parameter), "out_of_range", "Its instant has no year of four digits");
}

Span rangeOf(const AvailabilityQuery& query, const TimeZone& zone)
{
    if (query.from && query.to && !query.fromDate && !query.toDate) return {*query.from, *query.to};
    if (query.fromDate && query.toDate && !query.from && !query.to)
    {
        // Dates, not hours: they may be an hour longer.
        if (query.fromDate->plusDays(AvailabilityService::longest.count()) <= *query.toDate) throw tooLong("toDate");
        const Span range{zone.startOf(*query.fromDate), zone.startOf(query.toDate->plusDays(1))};
        if (range.start < earliest) throw unwritable("fromDate");
        if (range.end >= latest) throw unwritable("toDate");
        return range;
    }
    if ((query.from || query.to) && (query.fromDate || query.toDate))
        throw Problem::invalid(query.fromDate ? "fromDate" : "toDate", "conflicting", "Name from and to, or fromDate and toDate");
    throw Problem::invalid("from", "required", "Name from and to, or fromDate and toDate");
}

/// The part of the booking window that is searched for a free time from an instant on: at most 730 days.
Span searchedFor(const SlotRules& rules, Instant now, Instant from)
{
    const auto& window = rules.window;
    const auto startOf = [&](LocalDate date) { return rules.hostZone.startOf(date); };
    const auto last = window.to.value_or(rules.hostZone.dateOf(now).plusDays(window.days.value_or(BookingWindow::maxDays)));
    const auto start = std::max(window.from ? startOf(*window.from) : from, from);
    return {start, std::min<Instant>({startOf(last.plusDays(1)), start + std::chrono::days(BookingWindow::maxDays), latest})};
}
} // namespace

Explanation explainToGuests(const Offer& offer, const Taken& taken, Instant now, Instant start)
{
    auto told = explain(offer.rules, taken, {now, 1, {}, {}}, start);
    if (offer.host.status == HostStatus::Paused)
    {
        told.available = false;
        told.reasons.push_back(Reason::Paused);
    }
    return told;
}

Availability AvailabilityService::list(const Offer& offer, const AvailabilityQuery& query, const Booking* moving) const
{
    const auto zone = query.timeZone.empty() ? offer.rules.hostZone : _tools.zones.require(query.timeZone, "timeZone");
    const auto [from, to] = rangeOf(query, zone);
    if (to <= from) throw Problem::invalid(query.to ? "to" : "toDate", "out_of_range", "The end comes after the start");
    if (query.to && to - from > longest) throw tooLong("to");
    const auto now = _tools.now();
    Availability answer{offer.host.handle, offer.type.slug, zone.name(), from, to, offer.rules.duration.count(), {}, {}, {}, now, false};
    if (offer.host.status == HostStatus::Paused) return answer;
    // Reads from now on if possible, because the next free time is mostly found in that range.
    const bool fromNow = from - now <= longest;
    const Span seen{fromNow ? std::min(from, now) : from, to};
    const auto taken = takenFor(offer, now, moving, seen.start, seen.end);
    answer.busyStale = taken.busyStale;
    const auto found = open(offer, taken, now, moving, seen.start, seen.end);
    answer.slots.reserve(found.size());
    // They come in order: each date is looked up once.
    Instant until{};
    std::vector<std::int64_t>* places = nullptr;
    for (const auto& slot : found)
    {
        if (slot.start < from) continue;
        if (places == nullptr || slot.start >= until)
        {
            const auto shown = zone.shownDate(slot.start);
            until = shown.until;
            places = &answer.byDate[shown.date.text()];
        }
        places->push_back(static_cast<std::int64_t>(answer.slots.size()));
        answer.slots.push_back({slot.start, slot.end, offer.rules.seatsPerSlot > 1 ? std::optional(slot.seatsLeft) : std::nullopt});
    }
    answer.nextAvailable =
        fromNow && !found.empty() ? std::optional(found.front().start) : next(offer, now, moving, fromNow ? std::max(now, to) : now);
    return answer;
}

Taken AvailabilityService::takenFor(const Offer& offer, Instant now, const Booking* moving, Instant from, Instant to) const
{
    auto session = _tools.database().session();
    if (moving) return takenOf(session, _tools.holds, offer, from, to, now, moving->bookingId);
    auto taken = takenBesides(session, _tools.holds, offer, from, to, now);
    // Reads whole days, so that every request for a time of the day can use the same cached list.
    using std::chrono::days;
    taken.bookings = _bookings.bookings(session, offer, reachOf(offer.rules, std::chrono::floor<days>(from), std::chrono::ceil<days>(to)));
    return taken;
}

std::vector<Slot> AvailabilityService::open(const Offer& offer, const Taken& taken, Instant now, const Booking* moving, Instant from,
                                            Instant to) const
{
    auto slots = openSlots(offer.rules, _starts.starts(offer, from, to, _tools.zones.version()), taken,
                           {now, moving ? moving->seats : 1, {}, moving ? moving->bookingId : BookingId()});
    if (moving) std::erase_if(slots, [&](const Slot& slot) { return slot.start == moving->start && slot.end == moving->end; });
    return slots;
}

std::optional<Instant> AvailabilityService::next(const Offer& offer, Instant now, const Booking* moving, Instant from) const
{
    // Steps become longer, so that a host without free times for years costs few reads.
    constexpr std::chrono::days first{14}, longestStep{112};
    const auto range = searchedFor(offer.rules, now, from);
    auto step = first;
    for (auto at = range.start; at < range.end; at += std::exchange(step, std::min(step * 2, longestStep)))
    {
        const auto until = std::min<Instant>(at + step, range.end);
        if (_starts.starts(offer, at, until, _tools.zones.version()).empty()) continue;
        const auto taken = takenFor(offer, now, moving, at, until);
        if (const auto slots = open(offer, taken, now, moving, at, until); !slots.empty()) return slots.front().start;
    }
    return std::nullopt;
}

Explanation AvailabilityService::why(const Offer& offer, Instant start) const
{
    const auto now = _tools.now();
    return explainToGuests(offer, takenNow(_tools, offer, start, start, now), now, start);
}

} // namespace portico::calendar
