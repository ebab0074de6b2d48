#pragma once

#include "slots/SlotRules.h"
#include "slots/Taken.h"

#include <vector>

namespace portico::calendar
{

/// Applies R1 to R6: returns the starts at or after `from` and before `to`, in order and without duplicates. The result depends only on the
/// rules, so it can be cached. Adjacent ranges can be concatenated.
std::vector<Instant> startsOf(const SlotRules& rules, Instant from, Instant to);

/// Returns true if the whole span lies inside the hours of the rules (the union of R5).
bool isWithinHours(const SlotRules& rules, const Span& span);

} // namespace portico::calendar
