#pragma once

#include <string>
#include <string_view>

namespace portico::crm
{

/// Folds a text as `fold` does, and every apostrophe and hyphen of Unicode to the one of ASCII: `O’Brien` is `o'brien`, `Jean‐Luc` with
/// U+2010 is `jean-luc`. Names are stored, sorted and compared in this form.
std::string foldText(std::string_view text);

/// Removes apostrophes and hyphens from a folded text: how people type a name without them. A word of nothing else stays.
std::string withoutMarks(std::string_view folded);

} // namespace portico::crm
