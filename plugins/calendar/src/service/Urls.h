#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::calendar
{

/// All but the unreserved characters as `%xx` (RFC 3986, 2.1): good as a value of a query.
std::string percentEncoded(std::string_view text);

/// Fields of a query or of a form, in their order.
using Fields = std::vector<std::pair<std::string, std::string>>;
/// The first value of a name; empty if there is none.
std::string_view fieldOf(const Fields& fields, std::string_view name);
/// `a=1&b=2`
std::string toQuery(const Fields& fields);
/// `path?a=1&b=2`, behind what its query has already; as it is without fields.
std::string withQuery(std::string_view path, const Fields& fields);

} // namespace portico::calendar
