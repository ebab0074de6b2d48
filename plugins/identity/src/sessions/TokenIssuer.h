#pragma once

#include "common/Settings.h"
#include "sessions/TokenResponse.h"
#include "tokens/KeyRing.h"

#include "portico/Clock.h"

#include <string>

namespace portico::identity
{

/// Makes access tokens for sign-ins. Thread-safe.
class TokenIssuer
{
public:
    /// @param issuer identity's own origin: `iss` of every token.
    TokenIssuer(Database& database, KeyRing& keys, const Settings& settings, const Clock& clock, std::string issuer)
        : _database(database), _keys(keys), _settings(settings), _clock(clock), _issuer(std::move(issuer))
    {
    }

    const std::string& issuer() const noexcept { return _issuer; }
    /// A token for the sign-in's service in its active context, with what the app shows at once.
    /// Takes sessions of its own: not to be called while one is held.
    TokenResponse issue(const SignIn& signIn, User user);

private:
    AccessClaims claims(const SignIn& signIn, const User& user, const ActiveStanding& standing) const;

    Database& _database;
    KeyRing& _keys;
    const Settings& _settings;
    const Clock& _clock;
    std::string _issuer;
};

} // namespace portico::identity
