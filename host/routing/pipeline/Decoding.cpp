#include "host/routing/pipeline/Decoding.h"

#include <algorithm>
#include <cstdint>

namespace portico::host::routing
{

namespace
{

int hexValue(char c) noexcept
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// False for a `%` that two hexadecimal digits do not follow.
bool percentDecode(std::string_view text, std::string& out)
{
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        if (text[i] != '%')
        {
            out.push_back(text[i]);
            continue;
        }
        if (i + 2 >= text.size()) return false;
        const int high = hexValue(text[i + 1]);
        const int low = hexValue(text[i + 2]);
        if (high < 0 || low < 0) return false;
        out.push_back(static_cast<char>(high * 16 + low));
        i += 2;
    }
    return true;
}

bool hasControl(std::string_view text) noexcept
{
    return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

/// Length of the well-formed sequence that starts with a byte over 0x7f, or 0.
std::size_t sequenceLength(std::string_view text) noexcept
{
    const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint8_t lead = byte(0);
    const std::size_t length = lead >= 0xc2 && lead <= 0xdf ? 2 : (lead & 0xf0) == 0xe0 ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
    if (length == 0 || text.size() < length) return 0;
    // The second byte carries the limits that forbid overlong forms, surrogates and values over U+10FFFF.
    const std::uint8_t lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const std::uint8_t highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (byte(1) < lowest || byte(1) > highest) return 0;
    for (std::size_t i = 2; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    return length;
}

} // namespace

bool isPlainUtf8(std::string_view text) noexcept
{
    while (!text.empty())
    {
        const auto lead = static_cast<std::uint8_t>(text.front());
        if (lead == 0) return false;
        const std::size_t length = lead < 0x80 ? 1 : sequenceLength(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::optional<std::string> decodeSegment(std::string_view segment)
{
    std::string decoded;
    if (!percentDecode(segment, decoded) || hasControl(decoded) || !isPlainUtf8(decoded)) return std::nullopt;
    return decoded;
}

bool queryHas(std::string_view query, std::string_view name)
{
    while (!query.empty())
    {
        const auto end = std::min(query.find('&'), query.size());
        const auto field = query.substr(0, end);
        std::string decoded;
        if (percentDecode(field.substr(0, field.find('=')), decoded) && decoded == name) return true;
        query.remove_prefix(std::min(end + 1, query.size()));
    }
    return false;
}

} // namespace portico::host::routing
