#pragma once

#include "jose/KeySet.h"

#include "portico/Instant.h"
#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// The key that the holder of a token proves to have (RFC 7800; RFC 9449, 6.1).
struct Confirmation
{
    std::string jkt;
};

constexpr auto schemaOf(const Confirmation*) { return describe(field<&Confirmation::jkt>().required()); }

/// Actor of a delegated token (RFC 8693, 4.1).
struct ActingParty
{
    std::string sub;
};

constexpr auto schemaOf(const ActingParty*) { return describe(field<&ActingParty::sub>().required()); }

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
    std::optional<Confirmation> cnf;
    std::optional<ActingParty> act;
    /// `widget`: a fan-out token, which opens `GET /api/widget` only. Empty for every other token.
    std::string use;
    /// API key that a fan-out token was issued for; empty for a token of a sign-in.
    std::string keyId;

    bool isWidget() const noexcept { return use == widgetUse; }
    static constexpr std::string_view widgetUse = "widget";
};

constexpr auto schemaOf(const AccessClaims*)
{
    return describe(field<&AccessClaims::iss>().required(), field<&AccessClaims::sub>().required(), field<&AccessClaims::aud>().required(),
                    field<&AccessClaims::clientId>("client_id").required(), field<&AccessClaims::iat>().required(),
                    field<&AccessClaims::nbf>().required(), field<&AccessClaims::exp>().required(), field<&AccessClaims::jti>().required(),
                    field<&AccessClaims::sid>().omitEmpty(), field<&AccessClaims::scope>(),
                    field<&AccessClaims::principalType>("principal_type").required(), field<&AccessClaims::context>().omitEmpty(),
                    field<&AccessClaims::orgId>("org_id"), field<&AccessClaims::householdId>("household_id"),
                    field<&AccessClaims::role>().omitEmpty(), field<&AccessClaims::platformRole>("platform_role"),
                    field<&AccessClaims::authTime>("auth_time").required(),
                    members<&AccessClaims::amr, &AccessClaims::acr, &AccessClaims::prv>(), field<&AccessClaims::cnf>().omitEmpty(),
                    field<&AccessClaims::act>().omitEmpty(), field<&AccessClaims::use>().omitEmpty(),
                    field<&AccessClaims::keyId>("key_id").omitEmpty());
}

/// Fault of a token: `details.reason` of 401 `invalid_token`.
enum class TokenFault : std::uint8_t
{
    None,
    BadSignature, ///< also for malformed tokens
    Expired,
    WrongAudience
};
std::string_view reason(TokenFault fault) noexcept;

struct ReadToken
{
    TokenFault fault = TokenFault::None;
    AccessClaims claims;
};

/// Signs the claims with the current key: a compact JWS, `typ` `at+jwt`.
std::string encodeToken(const KeySet& keys, const AccessClaims& claims);

/// The strict reader: three segments, canonical base64url, exactly our header, a known key, 64 bytes of signature, then issuer and times,
/// with some seconds of leeway on `iat` and `nbf` and none on `exp`. The audience is the caller's affair, as only it knows which service is
/// called. An expired token is reported as such only if it was ours.
ReadToken decodeToken(const KeySet& keys, std::string_view token, std::string_view issuer, Instant now);

} // namespace portico::identity
