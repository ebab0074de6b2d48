#pragma once

#include <string_view>
#include <vector>

namespace portico::detail
{

/// Parses `Accept-Language` (RFC 9110, 12.5.4) into languages by descending preference. Ranges with quality 0 and malformed ones are left
/// out. Returns at most 32.
std::vector<std::string_view> wantedLanguages(std::string_view acceptLanguage);

/// `de` for `de-AT`; empty at the end. A single-character subtag is removed with the one that follows it (RFC 4647, 3.4).
std::string_view parentLanguage(std::string_view tag) noexcept;

/// Returns true if the text has the form of a language tag (RFC 5646): `de`, `de-AT`, `zh-Hant-TW`.
bool isLanguageTag(std::string_view text) noexcept;

/// Orders tags without regard to the size of letters.
struct LanguageTagLess
{
    using is_transparent = void;
    bool operator()(std::string_view left, std::string_view right) const noexcept;
};

} // namespace portico::detail
