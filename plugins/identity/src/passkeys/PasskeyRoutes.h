#pragma once

#include "common/Names.h"
#include "passkeys/Passkeys.h"
#include "sessions/LoginThrottle.h"
#include "signin/SignInFlow.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct PasskeyNameInput
{
    std::string name;
};

constexpr auto schemaOf(const PasskeyNameInput*) { return describe(named(field<&PasskeyNameInput::name>().trimmed().maxLength(80))); }

struct PasskeyCreation
{
    std::string challengeId;
    CreationOptions publicKey;
    /// Page for origins where browsers refuse the ceremony; it redirects back. Valid once, for five minutes.
    std::optional<std::string> ceremonyUrl;
};

constexpr auto schemaOf(const PasskeyCreation*)
{
    return describe(members<&PasskeyCreation::challengeId, &PasskeyCreation::publicKey>(),
                    field<&PasskeyCreation::ceremonyUrl>().omitEmpty());
}

struct PasskeyIdentifierInput
{
    std::string identifier;
};

constexpr auto schemaOf(const PasskeyIdentifierInput*)
{
    return describe(field<&PasskeyIdentifierInput::identifier>().trimmed().maxLength(254));
}

struct PasskeyRequest
{
    std::string challengeId;
    RequestOptions publicKey;
    /// Like that of `PasskeyCreation`; the page signs in at identity.
    std::optional<std::string> ceremonyUrl;
};

constexpr auto schemaOf(const PasskeyRequest*)
{
    return describe(members<&PasskeyRequest::challengeId, &PasskeyRequest::publicKey>(), field<&PasskeyRequest::ceremonyUrl>().omitEmpty());
}

struct PasskeyAnswer
{
    std::string challengeId;
    Json credential;
};

constexpr auto schemaOf(const PasskeyAnswer*)
{
    return describe(field<&PasskeyAnswer::challengeId>().required().maxLength(64), field<&PasskeyAnswer::credential>().required());
}

struct PasskeySignIn
{
    std::string challengeId;
    Json credential;
    std::string serviceId;
    std::string clientId;
    bool rememberMe = true;
    std::optional<OrganizationId> organizationId;
};

constexpr auto schemaOf(const PasskeySignIn*)
{
    return describe(field<&PasskeySignIn::challengeId>().required().maxLength(64), field<&PasskeySignIn::credential>().required(),
                    field<&PasskeySignIn::serviceId>("service_id").required().maxLength(40),
                    field<&PasskeySignIn::clientId>("client_id").maxLength(80),
                    members<&PasskeySignIn::rememberMe, &PasskeySignIn::organizationId>());
}

/// Passkeys: making them, keeping them, and signing in with one alone. Thread-safe.
class PasskeyRoutes
{
public:
    PasskeyRoutes(Core& core, SignInFlow& flow, Passkeys& passkeys);
    void declare(Routes& routes);

    PasskeyCreation creationOptions(const Caller& caller, const Request& request, const Body<PasskeyNameInput>& input);
    Created<Passkey> finishCreation(const Caller& caller, const Request& request, const Body<PasskeyAnswer>& input);
    PasskeyRequest requestOptions(const Request& request, const Body<PasskeyIdentifierInput>& input);
    Reply<TokenResponse> signIn(const Request& request, const Body<PasskeySignIn>& input);

    /// For a page of ours, which is at the right origin. JSON of WebAuthn.
    std::string requestOptionsOf(const Ceremony& ceremony);
    std::string creationOptionsOf(const std::string& ticket, const Ceremony& ceremony);
    Reply<TokenResponse> signInOnPage(const Request& request, const PasskeyAnswer& answer);

    Page<Passkey> list(const Caller& caller, const Paging& paging) const;
    Passkey show(const Caller& caller, const Path<PasskeyId>& id) const;
    Passkey rename(const Caller& caller, const Path<PasskeyId>& id, const Body<Patch<Passkey>>& patch, const IfMatch& match);
    NoContent remove(const Caller& caller, const Request& request, const Path<PasskeyId>& id, const IfMatch& match);

private:
    Reply<TokenResponse> complete(const Request& request, const PasskeyAnswer& answer, SignInRequest wanted);

    Core& _core;
    SignInFlow& _flow;
    Passkeys& _passkeys;
    LoginThrottle _throttle;
    RateLimit _ofNetwork;
};

} // namespace portico::identity
