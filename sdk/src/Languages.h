#pragma once

#include <string_view>
#include <vector>

namespace portico::detail
{

/// Languages in the order in which somebody wants them by `Accept-Language` (RFC 9110, 12.5.4); those with a quality of 0 and what is no
/// range are left out. 32 at most.
std::vector<std::string_view> wantedLanguages(std::string_view acceptLanguage);

/// `de` for `de-AT`; empty when nothing is left. A single character at the end goes with what followed it (RFC 4647, 3.4).
std::string_view parentLanguage(std::string_view tag) noexcept;

/// Whether it has the form of a language tag (RFC 5646): `de`, `de-AT`, `zh-Hant-TW`.
bool isLanguageTag(std::string_view text) noexcept;

/// Orders tags without regard to the size of letters.
struct LanguageTagLess
{
    using is_transparent = void;
    bool operator()(std::string_view left, std::string_view right) const noexcept;
};

} // namespace portico::detail
