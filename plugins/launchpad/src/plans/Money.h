#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico::launchpad
{

/// Returns an amount as the pages of the app write it: `$1,490`, `$49.50`, `CHF 49`, in German `1.490 $`.
/// @param amount minor units, not negative @param currency ISO 4217 @param language `de` or another tag, which is written as English
std::string shownAmount(std::int64_t amount, std::string_view currency, std::string_view language);

/// Reads an amount as a person writes it, `49`, `49.5` or `49,50`. @return minor units; empty for another text
std::optional<std::int64_t> parseAmount(std::string_view text, std::string_view currency);

} // namespace portico::launchpad
