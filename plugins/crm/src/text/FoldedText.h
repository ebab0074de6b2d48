#pragma once

#include <string>
#include <string_view>

namespace portico::crm
{

/// Removes apostrophes and hyphens from a folded text: how people type a name without them. A word of nothing else stays.
std::string withoutMarks(std::string_view folded);

} // namespace portico::crm
