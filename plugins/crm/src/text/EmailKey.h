#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// Normalizes an e-mail address for comparison: lower case, domain as A-labels. Returns none for an invalid address.
std::optional<std::string> emailKey(std::string_view address);

} // namespace portico::crm
