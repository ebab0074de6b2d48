#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace portico::host
{

inline constexpr std::string_view whiteSpace = " \t\r\n";

/// Without the characters of `space` at both ends; blanks and tabs are what HTTP allows there (RFC 9110, 5.6.3).
constexpr std::string_view trimmed(std::string_view text, std::string_view space = " \t") noexcept
{
    const auto first = text.find_first_not_of(space);
    return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(space) - first + 1);
}

/// Returns true if the text has only ASCII letters and digits and the characters of `others`.
constexpr bool hasOnly(std::string_view text, std::string_view others) noexcept
{
    for (const char c : text)
        if (!(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') && others.find(c) == std::string_view::npos)
            return false;
    return true;
}

/// A decimal number and nothing else.
template <class T>
std::optional<T> parseNumber(std::string_view text) noexcept
{
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Returns at most `most` bytes from the front, without splitting a UTF-8 character.
std::string_view firstBytes(std::string_view text, std::size_t most) noexcept;

/// Length of the UTF-8 character (RFC 3629) at the start of `text`, which is not empty: 0 if it is no character.
std::size_t utf8Length(std::string_view text) noexcept;
/// True for well-formed UTF-8 without NUL.
bool isPlainUtf8(std::string_view text) noexcept;

/// Returns the word of `known` that is nearest to `name` by Levenshtein's distance, ignoring case, `_` and `-`; empty if none is
/// near.
std::string nearestName(std::string_view name, std::span<const std::string> known);

/// `a, b`
std::string listed(std::span<const std::string> words);
/// `"text"` with quotes inside it doubled: an identifier of SQL, or with `\'` a literal.
std::string inQuotes(std::string_view text, char quote);
/// Joins a heading and its lines, one per line.
std::string joined(std::string_view heading, std::span<const std::string> lines);

} // namespace portico::host
