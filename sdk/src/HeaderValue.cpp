#include "portico/HeaderValue.h"

#include "Utf8.h"

#include "portico/Http.h"

#include <algorithm>

namespace portico
{

namespace
{

bool isSpace(char c) noexcept { return c == ' ' || c == '\t'; }

void skipSpace(std::string_view& rest) noexcept
{
    while (!rest.empty() && isSpace(rest.front())) rest.remove_prefix(1);
}

/// The characters up to one of `ends` or white space.
std::string_view takeWord(std::string_view& rest, std::string_view ends) noexcept
{
    const auto end =
        std::find_if(rest.begin(), rest.end(), [ends](char c) { return isSpace(c) || ends.find(c) != std::string_view::npos; });
    const auto word = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    rest.remove_prefix(word.size());
    return word;
}

/// Reads a quoted string; the text begins with its opening quote.
std::optional<std::string> takeQuoted(std::string_view& rest)
{
    std::string text;
    for (std::size_t i = 1; i < rest.size(); ++i)
    {
        if (rest[i] == '"')
        {
            rest.remove_prefix(i + 1);
            return text;
        }
        if (rest[i] == '\\' && i + 1 < rest.size() && (rest[i + 1] == '"' || rest[i + 1] == '\\')) ++i;
        text += rest[i];
    }
    return std::nullopt;
}

std::optional<std::string> takeValue(std::string_view& rest)
{
    if (rest.starts_with('"')) return takeQuoted(rest);
    const auto word = takeWord(rest, ";\"");
    if (word.empty()) return std::nullopt;
    return std::string(word);
}

} // namespace

std::optional<HeaderValue> HeaderValue::parse(std::string_view text)
{
    HeaderValue parsed;
    skipSpace(text);
    parsed._value = takeWord(text, ";");
    skipSpace(text);
    if (parsed._value.empty()) return std::nullopt;
    while (!text.empty())
    {
        if (text.front() != ';') return std::nullopt;
        text.remove_prefix(1);
        skipSpace(text);
        if (text.empty() || text.front() == ';') continue; // an extra semicolon is harmless (RFC 9110, 5.6.6)
        const auto name = takeWord(text, "=;\"");
        if (name.empty() || !text.starts_with('=') || parsed.parameter(name)) return std::nullopt;
        text.remove_prefix(1);
        auto value = takeValue(text);
        if (!value) return std::nullopt;
        parsed._parameters.emplace_back(name, *std::move(value));
        skipSpace(text);
    }
    return parsed;
}

bool HeaderValue::is(std::string_view word) const noexcept { return equalsIgnoreCase(_value, word); }

std::optional<std::string_view> HeaderValue::parameter(std::string_view name) const noexcept
{
    for (const auto& [known, value] : _parameters)
        if (equalsIgnoreCase(known, name)) return value;
    return std::nullopt;
}

std::optional<std::string> decodeExtendedValue(std::string_view text)
{
    const auto charsetEnd = text.find('\'');
    const auto languageEnd = charsetEnd == std::string_view::npos ? charsetEnd : text.find('\'', charsetEnd + 1);
    if (languageEnd == std::string_view::npos || !equalsIgnoreCase(text.substr(0, charsetEnd), "UTF-8")) return std::nullopt;
    text.remove_prefix(languageEnd + 1);
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte <= 0x20 || byte >= 0x7f || text[i] == '"' || text[i] == '\'') return std::nullopt;
        if (text[i] != '%')
        {
            decoded += text[i];
            continue;
        }
        if (i + 2 >= text.size() || detail::hexDigit(text[i + 1]) < 0 || detail::hexDigit(text[i + 2]) < 0) return std::nullopt;
        decoded += static_cast<char>(detail::hexDigit(text[i + 1]) * 16 + detail::hexDigit(text[i + 2]));
        i += 2;
    }
    if (!detail::isUtf8Text(decoded)) return std::nullopt;
    return decoded;
}

} // namespace portico
