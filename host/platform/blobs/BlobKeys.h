#pragma once

#include "host/base/Digests.h"
#include "host/base/Random.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace portico::host::platform
{

inline constexpr std::size_t scopeDigits = 16;
inline constexpr std::size_t randomDigits = 32;

/// Hash of a scope. Scopes are text of callers, so only the hash becomes part of a path.
inline std::string tagOf(std::string_view scope) { return sha256Hex(scope).substr(0, scopeDigits); }

inline bool isHex(std::string_view text) noexcept
{
    return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// True for `<scope>-<random>`, both hexadecimal.
inline bool isBlobKey(std::string_view key) noexcept
{
    return key.size() == scopeDigits + 1 + randomDigits && key[scopeDigits] == '-' && isHex(key.substr(0, scopeDigits)) &&
           isHex(key.substr(scopeDigits + 1));
}

inline std::string tagOfKey(std::string_view key) { return std::string(key.substr(0, scopeDigits)); }

inline std::string newBlobKey(const std::string& scopeTag) { return scopeTag + "-" + toHex(randomBytes(randomDigits / 2)); }

/// `<scope>/<two digits>/<key>`: the path below `data`, the same in a folder and in a bucket.
inline std::string blobPath(std::string_view key)
{
    return tagOfKey(key) + "/" + std::string(key.substr(scopeDigits + 1, 2)) + "/" + std::string(key);
}

} // namespace portico::host::platform
