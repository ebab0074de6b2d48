#pragma once

#include "portico/Json.h"

namespace portico::detail
{

/// Adds the broken rules of one member of a record, without those of nested records as a whole.
void validateMember(const Member& member, const void* record, Faults& faults);

} // namespace portico::detail
