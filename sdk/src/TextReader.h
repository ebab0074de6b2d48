#pragma once

#include "portico/Json.h"

#include <string_view>

namespace portico::detail
{

/// Tells of a text that the parser of its type refuses: the field may say what it should have been, in a body as in a query.
/// @param rules the field's; null: it has none
void addUnparsed(Faults& faults, std::string_view path, const Type& type, const Rules* rules);

/// The words of a choice: `lead, customer`.
std::string options(const Type& type);

} // namespace portico::detail
