#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portico::host::routing
{

/// A segment of a path with its percent-encoding undone, `%2F` included: the segment was cut out before. Empty when the encoding is broken
/// or what it stands for is not text (control characters, bad UTF-8): such a path names nothing.
std::optional<std::string> decodeSegment(std::string_view segment);

/// True when the query (without `?`) has a parameter of that name, whatever its value. Names are compared decoded.
bool queryHas(std::string_view query, std::string_view name);

} // namespace portico::host::routing
