#pragma once

#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// JOSE header of our tokens (RFC 9068): these members and no others.
struct TokenHeader
{
    std::string alg;
    std::string typ;
    std::string kid;
};

constexpr auto schemaOf(const TokenHeader*)
{
    return describe(field("alg", &TokenHeader::alg).required(), field("typ", &TokenHeader::typ).required(),
                    field("kid", &TokenHeader::kid).required());
}

/// Claims of an access token: these members and no others. Instants are seconds since 1970. Nothing in them decides about rights; they say
/// which session the caller speaks for.
struct AccessClaims
{
    std::string iss;
    std::string sub;
    std::string aud;
    std::string clientId;
    std::int64_t iat = 0;
    std::int64_t nbf = 0;
    std::int64_t exp = 0;
    std::string jti;
    std::string sid;
    std::string scope;
    std::string principalType;
    std::string context;
    std::optional<std::string> orgId;
    std::optional<std::string> householdId;
    std::string role;
    std::optional<std::string> platformRole;
    std::int64_t authTime = 0;
    std::vector<std::string> amr;
    std::string acr;
    std::int64_t prv = 0;
};

constexpr auto schemaOf(const AccessClaims*)
{
    return describe(field("iss", &AccessClaims::iss).required(), field("sub", &AccessClaims::sub).required(),
                    field("aud", &AccessClaims::aud).required(), field("client_id", &AccessClaims::clientId).required(),
                    field("iat", &AccessClaims::iat).required(), field("nbf", &AccessClaims::nbf).required(),
                    field("exp", &AccessClaims::exp).required(), field("jti", &AccessClaims::jti).required(),
                    field("sid", &AccessClaims::sid).required(), field("scope", &AccessClaims::scope),
                    field("principal_type", &AccessClaims::principalType).required(), field("context", &AccessClaims::context).required(),
                    field("org_id", &AccessClaims::orgId), field("household_id", &AccessClaims::householdId),
                    field("role", &AccessClaims::role), field("platform_role", &AccessClaims::platformRole),
                    field("auth_time", &AccessClaims::authTime).required(), field("amr", &AccessClaims::amr),
                    field("acr", &AccessClaims::acr), field("prv", &AccessClaims::prv));
}

} // namespace portico::identity
