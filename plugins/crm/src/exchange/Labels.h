#pragma once

#include <string>
#include <string_view>

namespace portico::crm
{

/// A label as this service writes it: `work`, `home`, `mobile` for what other programs call Business, HOME, `_$!<Home>!$_`, Cell. What is
/// none of the known ones stays as it is.
std::string plainLabel(std::string_view label);

/// Google and Outlook write the known labels with a capital.
std::string capitalLabel(std::string_view label);

} // namespace portico::crm
