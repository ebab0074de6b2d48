#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace portico::detail
{

/// Cardinal categories of the CLDR (Unicode TR 35, part 3, 5).
enum class PluralCategory : std::uint8_t
{
    Zero,
    One,
    Two,
    Few,
    Many,
    Other
};

inline constexpr std::array<std::string_view, 6> pluralNames{"zero", "one", "two", "few", "many", "other"};

std::optional<PluralCategory> parsePluralCategory(std::string_view name) noexcept;

/// The category that a language has for a number as it is shown: `1` and `1.0` may differ. A language that is not in the table has
/// those of English.
PluralCategory pluralCategory(std::string_view language, std::string_view number) noexcept;

/// Returns true if whole numbers below a million use the category: a text without it would often be wrong.
bool needsCategory(std::string_view language, PluralCategory category) noexcept;

/// Returns true if any number uses the category.
bool hasCategory(std::string_view language, PluralCategory category) noexcept;

} // namespace portico::detail
