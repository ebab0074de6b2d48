#pragma once

#include "common/Settings.h"
#include "permissions/Evaluator.h"
#include "records/ApiKey.h"
#include "records/Organization.h"
#include "sessions/SignIn.h"
#include "tokens/KeyRing.h"
#include "tokens/TokenCodec.h"
#include "users/User.h"

#include "portico/Clock.h"
#include "portico/Schema.h"

#include <string>

namespace portico::identity
{

/// Context in which a user works. Household members are set in personal context only.
struct ActiveContext
{
    ContextKind kind = ContextKind::Personal;
    std::optional<OrganizationId> organizationId;
    std::optional<std::string> organizationName;
    Role role = Role::Member;
    std::optional<std::string> selectedHouseholdId;
    Json selectedHousehold;

    static ActiveContext of(const ActiveStanding& standing);
    void choose(const std::optional<MyHousehold>& household);
};

constexpr auto schemaOf(const ActiveContext*)
{
    return describe(members<&ActiveContext::kind, &ActiveContext::organizationId, &ActiveContext::organizationName, &ActiveContext::role,
                            &ActiveContext::selectedHouseholdId, &ActiveContext::selectedHousehold>());
}

/// A sign-in in a TokenResponse.
struct SessionSummary
{
    SessionId id;
    Instant expiresAt{};
    std::vector<std::string> amr;
    std::string acr;
};

constexpr auto schemaOf(const SessionSummary*)
{
    return describe(members<&SessionSummary::id, &SessionSummary::expiresAt, &SessionSummary::amr, &SessionSummary::acr>());
}

/// Answer to a successful sign-in, refresh, step-up or change of context.
struct TokenResponse
{
    std::string accessToken;
    std::string tokenType = "Bearer";
    std::int64_t expiresIn = 0;
    std::string scope;
    /// Only for native clients; browsers get a cookie.
    std::optional<std::string> refreshToken;
    SessionSummary session;
    User user;
    ActiveContext activeContext;
};

constexpr auto schemaOf(const TokenResponse*)
{
    return describe(field<&TokenResponse::accessToken>("access_token"), field<&TokenResponse::tokenType>("token_type"),
                    field<&TokenResponse::expiresIn>("expires_in"), field<&TokenResponse::scope>(),
                    field<&TokenResponse::refreshToken>("refresh_token").omitEmpty(),
                    members<&TokenResponse::session, &TokenResponse::user, &TokenResponse::activeContext>());
}

/// Makes access tokens for sign-ins. Thread-safe.
class TokenIssuer
{
public:
    /// @param issuer identity's own origin: `iss` of every token.
    TokenIssuer(Database& database, KeyRing& keys, const Settings& settings, const Clock& clock, std::string issuer)
        : _database(database), _keys(keys), _settings(settings), _clock(clock), _issuer(std::move(issuer))
    {
    }

    /// Issues a token for the sign-in's service in its active context, with initial data for the app. Call it without a database session,
    /// because it opens sessions.
    TokenResponse issue(const SignIn& signIn, User user);
    /// Issues a token with which identity calls an external service on behalf of the user: for their sign-in, without a key binding. Opens
    /// sessions, like `issue`.
    std::string issueFor(SignIn signIn, const User& user, std::string serviceId);

    /// Issues a fan-out token of a sign-in for a service (`interfaces::SignIns::widgetToken`), without a key binding. Call it without a
    /// database session, because it opens sessions.
    std::string issueForWidget(SignIn signIn, const User& user, std::string serviceId, bool bypass);
    /// Issues the same for the owner of an API key.
    std::string issueForWidget(const ApiKey& key, const Caller& caller, std::string serviceId);

private:
    AccessClaims claims(const SignIn& signIn, const User& user, const ActiveStanding& standing) const;
    ActiveStanding standingOf(const SignIn& signIn, const User& user) const;

    Database& _database;
    KeyRing& _keys;
    const Settings& _settings;
    const Clock& _clock;
    std::string _issuer;
};

} // namespace portico::identity
