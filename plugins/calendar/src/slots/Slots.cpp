#include "slots/Slots.h"

#include "slots/Starts.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace portico::calendar
{

namespace
{

/// Time blocked by bookings or holds. Each blocks the times that its buffers and the slot's do not separate from it. Those of the same
/// event type share a slot (R8).
class Occupied
{
public:
    explicit Occupied(const SlotRules& rules) : _rules(rules) {}

    void add(const TakenSlot& taken)
    {
        if (taken.span.start >= taken.span.end) return;
        // The gap is the larger of the earlier one's buffer after it and the later one's before it.
        const Span kept{taken.span.start - std::max(taken.bufferBefore, _rules.bufferAfter),
                        taken.span.end + std::max(taken.bufferAfter, _rules.bufferBefore)};
        _entries.push_back({kept, taken.span, taken.sameEventType, taken.seats});
    }

    /// Before the first question.
    void sort()
    {
        std::sort(_entries.begin(), _entries.end(), [](const Entry& a, const Entry& b) { return a.kept.start < b.kept.start; });
        auto last = Instant::min();
        for (auto& entry : _entries) entry.lastEnd = last = std::max(last, entry.kept.end);
    }

    struct Answer
    {
        bool blocked = false;
        int seats = 0;
    };

    Answer at(const Span& slot) const
    {
        Answer answer;
        auto entry =
            std::lower_bound(_entries.begin(), _entries.end(), slot.end, [](const Entry& e, Instant at) { return e.kept.start < at; });
        while (entry != _entries.begin() && slot.start < std::prev(entry)->lastEnd)
        {
            --entry;
            if (slot.start >= entry->kept.end) continue;
            if (entry->sameEventType && entry->span == slot)
                answer.seats += entry->seats;
            else
                answer.blocked = true;
        }
        return answer;
    }

private:
    struct Entry
    {
        Span kept;
        Span span;
        bool sameEventType;
        int seats;
        /// The latest end of this and all before it.
        Instant lastEnd{};
    };

    const SlotRules& _rules;
    std::vector<Entry> _entries;
};

/// How many bookings begin on a date.
class Counts
{
public:
    void add(LocalDate date) { _dates.push_back(date); }
    void sort() { std::sort(_dates.begin(), _dates.end()); }
    int of(LocalDate date) const
    {
        const auto [first, last] = std::equal_range(_dates.begin(), _dates.end(), date);
        return static_cast<int>(last - first);
    }

private:
    std::vector<LocalDate> _dates;
};

bool reaches(const std::optional<int>& limit, const Counts& counts, LocalDate date) { return limit && counts.of(date) >= *limit; }

/// The reasons against a start, as a set.
class Reasons
{
public:
    void addIf(bool holds, Reason reason) { _bits |= static_cast<unsigned>(holds) << static_cast<unsigned>(reason); }
    bool empty() const noexcept { return _bits == 0; }
    std::vector<Reason> list() const
    {
        std::vector<Reason> found;
        for (const auto& [word, reason] : choicesOf<Reason>())
            if ((_bits >> static_cast<unsigned>(reason) & 1U) != 0) found.push_back(reason);
        return found;
    }

private:
    unsigned _bits = 0;
};

/// R7 to R13 made ready for many starts.
class Judge
{
public:
    Judge(const SlotRules& rules, const Taken& taken, const Asking& asking)
        : _rules(rules),
          _asking(asking),
          _booked(rules),
          _held(rules),
          _counted(rules.dailyLimit || rules.weeklyLimit || rules.hostDailyLimit)
    {
        addBusy(taken);
        addTaken(taken);
        setWindow();
    }

    struct Verdict
    {
        Reasons reasons;
        Slot slot;
    };

    Verdict on(Instant start) const
    {
        using enum Reason;
        const Span slot{start, start + _rules.duration};
        const auto booked = _booked.at(slot), held = _held.at(slot);
        const int afterBookings = _rules.seatsPerSlot - booked.seats, left = afterBookings - held.seats;
        Verdict verdict{{}, {slot.start, slot.end, left}};
        auto& reasons = verdict.reasons;
        reasons.addIf(start < _asking.now + _rules.minimumNotice || isBeforeWindow(start), BeforeNotice);
        reasons.addIf(isAfterWindow(start), AfterWindow);
        reasons.addIf(_busy.overlaps(slot), Busy);
        reasons.addIf(booked.blocked || afterBookings < _asking.seats, Booked);
        reasons.addIf(held.blocked || (held.seats > 0 && left < _asking.seats), Held);
        reasons.addIf(_counted && isLimited(_rules.hostZone.dateOf(start)), DailyLimit);
        return verdict;
    }

private:
    /// Buffers belong to the slot (R7); they are put on the busy time instead, which is the same.
    void addBusy(const Taken& taken)
    {
        std::vector<Span> blocked;
        const auto add = [&](const Span& span)
        {
            if (span.start < span.end) blocked.push_back({span.start - _rules.bufferAfter, span.end + _rules.bufferBefore});
        };
        for (const auto& span : taken.busy) add(span);
        for (const auto& dates : taken.busyDates) add({_rules.hostZone.startOf(dates.start), _rules.hostZone.startOf(dates.end)});
        _busy = Spans(std::move(blocked));
    }

    void addTaken(const Taken& taken)
    {
        for (const auto& booking : taken.bookings)
        {
            if (!_asking.ownBooking.empty() && booking.bookingId == _asking.ownBooking) continue;
            _booked.add(booking);
            if (_counted) count(booking);
        }
        for (const auto& hold : taken.holds)
            if (hold.expiresAt > _asking.now && (_asking.ownHold.empty() || hold.holdId != _asking.ownHold)) _held.add(hold);
        _booked.sort();
        _held.sort();
        for (auto* counts : {&_byDate, &_byWeek, &_ofHost}) counts->sort();
    }

    void count(const TakenByBooking& booking)
    {
        const auto date = _rules.hostZone.dateOf(booking.span.start);
        _ofHost.add(date);
        if (!booking.sameEventType) return;
        _byDate.add(date);
        _byWeek.add(date.monday());
    }

    bool isLimited(LocalDate date) const
    {
        return reaches(_rules.dailyLimit, _byDate, date) || reaches(_rules.weeklyLimit, _byWeek, date.monday()) ||
               reaches(_rules.hostDailyLimit, _ofHost, date);
    }

    void setWindow()
    {
        const auto& window = _rules.window;
        if (window.kind == BookingWindow::Kind::DateRange)
        {
            _first = window.from;
            _last = window.to.value_or(LocalDate());
        }
        else
            _last = _rules.hostZone.dateOf(_asking.now).plusDays(window.days.value_or(BookingWindow::maxDays));
        _end = _rules.hostZone.startOf(_last.plusDays(1));
    }

    bool isBeforeWindow(Instant start) const { return _first && _rules.hostZone.dateOf(start) < *_first; }
    /// A date occurs twice if the clock is set back over midnight.
    bool isAfterWindow(Instant start) const { return start >= _end && _rules.hostZone.dateOf(start) > _last; }

    const SlotRules& _rules;
    const Asking& _asking;
    Spans _busy;
    Occupied _booked, _held;
    bool _counted;
    Counts _byDate, _byWeek, _ofHost;
    std::optional<LocalDate> _first;
    LocalDate _last;
    /// Before it no start is after the window.
    Instant _end{};
};

std::chrono::milliseconds distance(Instant a, Instant b) { return a < b ? b - a : a - b; }

} // namespace

std::vector<Slot> openSlots(const SlotRules& rules, std::span<const Instant> starts, const Taken& taken, const Asking& asking)
{
    const Judge judge(rules, taken, asking);
    std::vector<Slot> open;
    for (const auto start : starts)
        if (const auto verdict = judge.on(start); verdict.reasons.empty()) open.push_back(verdict.slot);
    return open;
}

std::vector<Slot> openSlots(const SlotRules& rules, const Taken& taken, const Asking& asking, Instant from, Instant to)
{
    return openSlots(rules, startsOf(rules, from, to), taken, asking);
}

std::optional<Slot> openSlotAt(const SlotRules& rules, const Taken& taken, const Asking& asking, Instant start)
{
    const auto open = openSlots(rules, taken, asking, start, start + std::chrono::milliseconds(1));
    return open.empty() ? std::nullopt : std::optional(open.front());
}

std::vector<Slot> nearestSlots(const SlotRules& rules, const Taken& taken, const Asking& asking, Instant wanted, std::size_t most)
{
    std::vector<Slot> found;
    for (const auto reach : {std::chrono::days(1), std::chrono::days(7), nearestReach})
    {
        found = openSlots(rules, taken, asking, wanted - reach, wanted + reach);
        if (found.size() >= most) break;
    }
    const auto nearer = [&](const Slot& a, const Slot& b) { return distance(a.start, wanted) < distance(b.start, wanted); };
    std::stable_sort(found.begin(), found.end(), nearer);
    found.resize(std::min(found.size(), most));
    std::sort(found.begin(), found.end(), [](const Slot& a, const Slot& b) { return a.start < b.start; });
    return found;
}

Explanation explain(const SlotRules& rules, const Taken& taken, const Asking& asking, Instant start)
{
    auto reasons = Judge(rules, taken, asking).on(start).reasons;
    const bool covered = isWithinHours(rules, {start, start + rules.duration});
    reasons.addIf(!covered, Reason::OutsideHours);
    reasons.addIf(covered && startsOf(rules, start, start + std::chrono::milliseconds(1)).empty(), Reason::NotOnGrid);
    return {start, reasons.empty(), reasons.list()};
}

} // namespace portico::calendar
