#pragma once

#include "portico/Json.h"

#include <string_view>

namespace portico::detail
{

/// Reports a text that its type's parser rejects. The field's rules may describe the expected form, for bodies and queries alike.
/// @param rules the field's; null: it has none
void addUnparsed(Faults& faults, std::string_view path, const Type& type, const Rules* rules);

/// The words of a choice: `lead, customer`.
std::string options(const Type& type);

} // namespace portico::detail
