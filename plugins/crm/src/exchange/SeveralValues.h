#pragma once

#include "exchange/FieldPath.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Returns the values of a cell that programs write several values into: e-mail addresses, phone numbers or links, by the target. They are
/// separated by `;`, `,`, `|`, ` ::: `, `/`, line breaks or white space, or stand in a JSON array (of texts, or of objects with a number
/// and its calling code). A separator separates only where what is on both its sides is such a value: `030/123456`, `+49 30 12;ext=5` and
/// `Lovelace, Ada <ada@example.com>` are one. Values have no white space around them; empty ones are left out.
std::vector<std::string> severalValues(Target target, std::string_view cell);

} // namespace portico::crm
