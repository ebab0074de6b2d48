#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace portico::host::http
{

/// `Sat, 21 Nov 2026 09:00:00 GMT` (RFC 9110, 5.6.7).
std::string formatHttpDate(std::time_t seconds);

/// The preferred form only: clients send back what they were given. Empty for anything else.
std::optional<std::time_t> parseHttpDate(std::string_view text) noexcept;

} // namespace portico::host::http
