#pragma once

#include "slots/SlotRules.h"
#include "slots/Taken.h"

#include "portico/Schema.h"

#include <optional>
#include <span>
#include <vector>

namespace portico::calendar
{

/// A time that can be booked.
struct Slot
{
    Instant start{};
    Instant end{};
    /// At least those that were asked for.
    int seatsLeft = 1;
};

/// Request for slots.
struct Asking
{
    Instant now{};
    /// Seats that the guest books.
    int seats = 1;
    /// Hold and booking of the guest, which do not block the guest's request.
    HoldId ownHold;
    BookingId ownBooking;
};

/// Returns the starts that R7 to R13 allow, in order. `starts` are the results of `startsOf` for the same rules, or a part of them.
std::vector<Slot> openSlots(const SlotRules& rules, std::span<const Instant> starts, const Taken& taken, const Asking& asking);

/// The open slots at or after `from` and before `to`.
std::vector<Slot> openSlots(const SlotRules& rules, const Taken& taken, const Asking& asking, Instant from, Instant to);

/// Returns the open slot that begins exactly at that instant; used for holds and confirmations.
std::optional<Slot> openSlotAt(const SlotRules& rules, const Taken& taken, const Asking& asking, Instant start);

/// How far from a wanted start others are looked for.
inline constexpr std::chrono::days nearestReach{31};

/// Up to `most` open slots that begin nearest to an instant, in order of time.
std::vector<Slot> nearestSlots(const SlotRules& rules, const Taken& taken, const Asking& asking, Instant wanted, std::size_t most = 5);

/// Why a time is not free.
enum class Reason
{
    /// The hours do not cover all of it.
    OutsideHours,
    /// Earlier than the notice allows, or than the first date of the window.
    BeforeNotice,
    AfterWindow,
    /// An external calendar.
    Busy,
    /// A booking, or no seats left.
    Booked,
    /// Blocked by a live hold, or by holds on the remaining seats.
    Held,
    /// Limit of the date or the week.
    DailyLimit,
    /// Within the hours, but not a start of the grid.
    NotOnGrid,
    /// The host is paused.
    Paused
};

constexpr auto schemaOf(const Reason*)
{
    using enum Reason;
    return choices<Reason>({{"outside_hours", OutsideHours},
                            {"before_notice", BeforeNotice},
                            {"after_window", AfterWindow},
                            {"busy", Busy},
                            {"booked", Booked},
                            {"held", Held},
                            {"daily_limit", DailyLimit},
                            {"not_on_grid", NotOnGrid},
                            {"paused", Paused}});
}

struct Explanation
{
    Instant start{};
    bool available = false;
    /// All of them, in the order above; none if it is available.
    std::vector<Reason> reasons;
};

constexpr auto schemaOf(const Explanation*)
{
    return describe(members<&Explanation::start, &Explanation::available, &Explanation::reasons>());
}

/// Explains whether a slot is open at an instant, and if not, why. The slot is available if and only if openSlotAt finds it.
Explanation explain(const SlotRules& rules, const Taken& taken, const Asking& asking, Instant start);

} // namespace portico::calendar
