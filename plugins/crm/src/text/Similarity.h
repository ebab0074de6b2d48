#pragma once

#include <string_view>

namespace portico::crm
{

/// Jaro-Winkler similarity of two texts, 0 to 1, by bytes: for folded names.
double jaroWinkler(std::string_view left, std::string_view right);

} // namespace portico::crm
