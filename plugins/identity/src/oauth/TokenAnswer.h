#pragma once

#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>

namespace portico::identity
{

/// Answer of RFC 6749, 5.1; for a token exchange of RFC 8693, 2.2.1.
struct TokenAnswer
{
    std::string accessToken;
    std::optional<std::string> issuedTokenType;
    std::string tokenType = "Bearer";
    std::int64_t expiresIn = 0;
    std::string scope;
    std::optional<std::string> refreshToken;
    std::optional<std::string> idToken;
};

constexpr auto schemaOf(const TokenAnswer*)
{
    return describe(field<&TokenAnswer::accessToken>("access_token"), field<&TokenAnswer::issuedTokenType>("issued_token_type").omitEmpty(),
                    field<&TokenAnswer::tokenType>("token_type"), field<&TokenAnswer::expiresIn>("expires_in"),
                    field<&TokenAnswer::scope>(), field<&TokenAnswer::refreshToken>("refresh_token").omitEmpty(),
                    field<&TokenAnswer::idToken>("id_token").omitEmpty());
}

} // namespace portico::identity
