#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// An e-mail address as it is compared: lower-case, the domain in A-label form. Empty for what is no address.
std::optional<std::string> emailKey(std::string_view address);

} // namespace portico::crm
