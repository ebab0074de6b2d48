#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico::launchpad
{

/// Returns an amount with its currency, `49.00 USD` or `4900 JPY`.
/// @param amount minor units, not negative
/// @param currency ISO 4217
std::string shownAmount(std::int64_t amount, std::string_view currency);

/// Reads an amount as a person writes it, `49`, `49.5` or `49,50`. @return minor units; empty for another text
std::optional<std::int64_t> parseAmount(std::string_view text, std::string_view currency);

} // namespace portico::launchpad
