#pragma once

#include <string_view>

namespace portico::identity
{

/// `sdk/web/tokens/tokens.css`: colour, type and space of every page.
extern const std::string_view tokenStyles;

} // namespace portico::identity
