#pragma once

#include <string_view>

namespace portico::identity::domains
{

/// A name of at least two labels, in lower case and in ASCII (RFC 1035, 2.3.1; others in the form of RFC 5890).
bool isDomain(std::string_view text) noexcept;

} // namespace portico::identity::domains
