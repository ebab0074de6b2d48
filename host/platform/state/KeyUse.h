#pragma once

#include <string_view>

namespace portico::host::platform
{

/// What a key of a StateStore is for: all before its first colon.
inline std::string_view useOfKey(std::string_view key) noexcept
{
    const auto colon = key.find(':');
    return colon == std::string_view::npos ? std::string_view() : key.substr(0, colon);
}

} // namespace portico::host::platform
