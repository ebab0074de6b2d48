#pragma once

#include <string>
#include <string_view>

namespace portico::detail
{

/// Replaces every apostrophe and hyphen of Unicode by the one of ASCII, together with the quotes, primes, accents and dashes that are typed
/// as one. Other text stays, including text that is not UTF-8.
std::string withPlainMarks(std::string_view text);

} // namespace portico::detail
