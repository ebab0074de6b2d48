#pragma once

#include "exchange/FieldPath.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Splits a cell with several e-mail addresses, phone numbers or links; the target determines which. Separators are `;`, `,`, `|`, ` ::: `,
/// `/`, line breaks and white space. A JSON array is accepted too (of texts, or of objects with a number and its calling code). A separator
/// applies only between two complete values: `030/123456`, `+49 30 12;ext=5` and `Lovelace, Ada <ada@example.com>` are single values.
/// Values are trimmed; empty ones are left out.
std::vector<std::string> severalValues(Target target, std::string_view cell);

} // namespace portico::crm
