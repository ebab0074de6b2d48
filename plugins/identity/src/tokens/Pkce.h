#pragma once

#include "portico/Crypto.h"

#include <algorithm>
#include <string_view>

namespace portico::identity::pkce
{

/// S256 and nothing else (RFC 7636; RFC 9700, 2.1.1): the text of 32 bytes.
inline bool isChallenge(std::string_view text) { return text.size() == 43 && fromBase64Url(text).has_value(); }

/// Returns true for 43 to 128 unreserved characters (RFC 7636, 4.1) whose hash is the challenge.
inline bool matches(std::string_view challenge, std::string_view verifier)
{
    const auto allowed = [](char c)
    { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_' || c == '~'; };
    return verifier.size() >= 43 && verifier.size() <= 128 && std::ranges::all_of(verifier, allowed) &&
           sameSecret(challenge, toBase64Url(sha256(verifier).bytes()));
}

} // namespace portico::identity::pkce
