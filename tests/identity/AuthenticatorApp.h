#pragma once

#include "factors/Totp.h"

#include <string>
#include <string_view>

namespace portico::tests
{

/// Returns the code that an authenticator app shows for a base32 secret (RFC 6238).
inline std::string appCode(std::string_view base32, Instant now)
{
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    std::string secret;
    std::uint32_t buffer = 0;
    int bits = 0;
    for (const char c : base32)
    {
        buffer = (buffer << 5) | static_cast<std::uint32_t>(alphabet.find(c));
        if ((bits += 5) < 8) continue;
        bits -= 8;
        secret += static_cast<char>(buffer >> bits);
    }
    return identity::totp::code(secret, identity::totp::stepOf(now));
}

} // namespace portico::tests
