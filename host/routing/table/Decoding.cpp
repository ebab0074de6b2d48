#include "host/routing/table/Decoding.h"

#include "host/base/Text.h"

#include <algorithm>

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

} // namespace

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
