#pragma once

#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>

namespace portico::identity
{

/// RFC 6749, 5.1; of an exchange RFC 8693, 2.2.1.
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
    return describe(field("access_token", &TokenAnswer::accessToken), field("issued_token_type", &TokenAnswer::issuedTokenType).omitEmpty(),
                    field("token_type", &TokenAnswer::tokenType), field("expires_in", &TokenAnswer::expiresIn),
                    field("scope", &TokenAnswer::scope), field("refresh_token", &TokenAnswer::refreshToken).omitEmpty(),
                    field("id_token", &TokenAnswer::idToken).omitEmpty());
}

} // namespace portico::identity
