#pragma once

#include "brands/Brand.h"

#include "portico/TimeZones.h"

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace portico::social
{

/// How far ahead of now the next free time of a slot plan is, at least and at most.
inline constexpr std::chrono::minutes slotNotice{5};
inline constexpr std::chrono::hours slotHorizon{90 * 24};

/// Returns the first free time of a plan in `[from, until]`. Times of the plan are local times by rule R2 of the calendar. A time that a
/// clock change skips is the instant of the change; of a repeated time the first one is used.
std::optional<Instant> nextSlot(const std::vector<PlannedSlot>& plan, const TimeZone& zone, Instant from, Instant until,
                                const std::function<bool(Instant)>& taken);

} // namespace portico::social
