#include "portico/Text.h"

#include "Utf8.h"

#include <algorithm>
#include <array>

namespace portico
{

namespace
{

bool isContinuation(char c) noexcept { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; }

/// White_Space of Unicode.
bool isWhiteSpace(std::string_view character) noexcept
{
    using namespace std::string_view_literals;
    if (character.size() == 1) return character == " " || (character[0] >= '\t' && character[0] <= '\r');
    // U+2000 to U+200A
    if (character.size() == 3 && character.starts_with("\xe2\x80"))
    {
        const auto last = static_cast<unsigned char>(character[2]);
        if (last >= 0x80 && last <= 0x8a) return true;
    }
    constexpr std::array others{"\xc2\x85"sv,     "\xc2\xa0"sv,     "\xe1\x9a\x80"sv, "\xe2\x80\xa8"sv,
                                "\xe2\x80\xa9"sv, "\xe2\x80\xaf"sv, "\xe2\x81\x9f"sv, "\xe3\x80\x80"sv};
    return std::ranges::find(others, character) != others.end();
}

std::string_view firstOf(std::string_view text) noexcept
{
    std::size_t size = 1;
    while (size < text.size() && isContinuation(text[size])) ++size;
    return text.substr(0, size);
}

std::string_view lastOf(std::string_view text) noexcept
{
    std::size_t at = text.size() - 1;
    while (at > 0 && isContinuation(text[at])) --at;
    return text.substr(at);
}

} // namespace

std::string_view withoutByteOrderMark(std::string_view text) noexcept
{
    constexpr std::string_view mark = "\xef\xbb\xbf";
    return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

std::string_view trim(std::string_view text) noexcept
{
    while (!text.empty() && isWhiteSpace(firstOf(text))) text.remove_prefix(firstOf(text).size());
    while (!text.empty() && isWhiteSpace(lastOf(text))) text.remove_suffix(lastOf(text).size());
    return text;
}

std::size_t characterCount(std::string_view text) noexcept
{
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !isContinuation(c); }));
}

std::string_view firstCharacters(std::string_view text, std::size_t most) noexcept
{
    for (std::size_t i = 0; i < text.size(); ++i)
        if (!isContinuation(text[i]) && most-- == 0) return text.substr(0, i);
    return text;
}

std::string cleanText(std::string_view text, std::size_t most)
{
    constexpr std::string_view replacement = "\xef\xbf\xbd";
    std::string clean;
    for (; !text.empty() && most > 0; --most)
    {
        const auto length = detail::utf8SequenceLength(text);
        const auto byte = static_cast<unsigned char>(text.front());
        const bool bad = length == 0 || byte < 0x20 || byte == 0x7f;
        clean += bad ? replacement : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return clean;
}

std::vector<std::string> splitList(std::string_view text)
{
    std::vector<std::string> items;
    while (!text.empty())
    {
        const auto item = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), item.size() + 1));
        if (const auto trimmed = trim(item); !trimmed.empty()) items.emplace_back(trimmed);
    }
    return items;
}

bool isWebUrl(std::string_view text) noexcept
{
    const std::size_t scheme = text.starts_with("https://") ? 8 : text.starts_with("http://") ? 7 : 0;
    if (scheme == 0 || text.size() > 2048) return false;
    const auto host = text.substr(scheme, text.find_first_of("/?#", scheme) - scheme);
    if (host.empty() || host.find('@') != std::string_view::npos) return false;
    return std::ranges::all_of(text,
                               [](unsigned char c) { return c > 0x20 && c != 0x7f && c != '"' && c != '<' && c != '>' && c != '\\'; });
}

} // namespace portico
