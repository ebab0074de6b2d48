#pragma once

#include "support/Suite.h"
#include "tokens/TokenCodec.h"

namespace portico::tests
{

/// A key, and claims of a token that it signs.
class TokenFixture : public CppUnit::TestFixture
{
protected:
    TokenFixture()
    {
        const auto key = identity::SigningKey::generate();
        _keys.currentKid = key.thumbprint();
        _keys.keys.emplace(_keys.currentKid, key);
    }

    static identity::AccessClaims claims()
    {
        identity::AccessClaims c;
        c.iss = issuer;
        c.sub = "usr_1";
        c.aud = "crm";
        c.clientId = "crm-web";
        c.iat = c.nbf = c.authTime = 1000;
        c.exp = 1600;
        c.jti = "1";
        c.sid = "ses_1";
        c.principalType = "user";
        c.context = "organization";
        c.orgId = "org_1";
        return c;
    }

    static constexpr const char* issuer = "http://identity.localhost:8080";
    static constexpr Instant now{std::chrono::seconds(1000)};
    identity::KeySet _keys;
};

} // namespace portico::tests
