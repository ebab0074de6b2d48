#pragma once

#include "portico/Instant.h"

#include <string>

namespace portico::social
{

/// Returns a record key of AT Protocol (a TID): microseconds since 1970 and ten random bits, 13 characters that sort by time.
/// @param order distinguishes keys of the same millisecond, 0 to 999
std::string makeTid(Instant time, int order);

} // namespace portico::social
