#pragma once

#include "portico/Export.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

/// The fields of a form as pages send it (`application/x-www-form-urlencoded`; WHATWG URL, 5.1), in their order. Thread-safe.
/// @throws Problem 400 `validation_failed` for percent-encoding or UTF-8 that is wrong
PORTICO_API std::vector<std::pair<std::string, std::string>> parseForm(std::string_view text);

} // namespace portico
