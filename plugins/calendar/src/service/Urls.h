#pragma once

#include <string>
#include <string_view>

namespace portico::calendar
{

/// All but the unreserved characters as `%xx` (RFC 3986, 2.1): good as a value of a query.
std::string percentEncoded(std::string_view text);

} // namespace portico::calendar
