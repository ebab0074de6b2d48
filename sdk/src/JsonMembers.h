#pragma once

#include "portico/Json.h"

#include <string>
#include <string_view>

namespace portico::detail
{

/// Appends the selected members of a well-formed JSON object, without its braces; after a comma unless `first`. The object's text has no
/// white space between its tokens, as our writer's.
void appendMembers(std::string& out, std::string_view object, const FieldSelection* fields, bool first);

/// True if a member of that name is to be written.
bool isSelected(const FieldSelection* fields, std::string_view name);

} // namespace portico::detail
