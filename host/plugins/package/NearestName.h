#pragma once

#include <span>
#include <string>
#include <string_view>

namespace portico::host::plugins
{

/// The known name that someone who wrote `name` most likely meant; empty when none is close.
std::string nearestName(std::string_view name, std::span<const std::string> known);

} // namespace portico::host::plugins
