#pragma once

#include "keys/ApiKey.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// The parts of a key's text `pak_live_<12 base62 id><"_"><43 base62 secret><6 base62 CRC-32>`.
struct KeyText
{
    KeyEnvironment environment = KeyEnvironment::Live;
    std::string keyId;
    std::string secret;

    /// With new random parts: 71 bits that name the key, 256 that open it.
    static KeyText make(KeyEnvironment environment);
    /// Empty for text of another form or with a wrong checksum, so that typing errors and random probes cost no database read.
    static std::optional<KeyText> parse(std::string_view text);
    std::string text() const;
    /// `pak_live_8fK2…`: what may be shown.
    std::string prefix() const;
};

/// The start of a key's text without its secret.
std::string keyPrefix(KeyEnvironment environment, std::string_view keyId);

} // namespace portico::identity
