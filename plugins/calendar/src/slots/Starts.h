#pragma once

#include "slots/SlotRules.h"
#include "slots/Taken.h"

#include <vector>

namespace portico::calendar
{

/// What R1 to R6 make of rules: the starts at or after `from` and before `to`, in order, each once. They depend on the rules alone, so that
/// they can be kept, and the starts of a range are those of its parts, wherever it is cut.
std::vector<Instant> startsOf(const SlotRules& rules, Instant from, Instant to);

/// True if all of the span lies inside the hours of the rules (the union of R5).
bool isWithinHours(const SlotRules& rules, const Span& span);

} // namespace portico::calendar
