#pragma once

#include "clients/OAuthClient.h"
#include "common/Core.h"
#include "oauth/TokenAnswer.h"
#include "sessions/SignIn.h"
#include "web/Urls.h"

#include <optional>
#include <string>

namespace portico::identity
{

/// Token exchange (RFC 8693): the backend of a service exchanges a user's token for one of another service, to continue on behalf of that
/// user. The new token belongs to the same sign-in, has no wider scope and expires no later. It becomes invalid as soon as the sign-in or
/// the client ends. Thread-safe.
class TokenExchange
{
public:
    explicit TokenExchange(Core& core) : _core(core) {}

    /// @param jkt thumbprint of the client's proven key.
    /// @throws OAuthError `invalid_request`, `invalid_target`, `invalid_scope`, `unauthorized_client`, `invalid_dpop_proof`
    TokenAnswer exchange(const OAuthClient& client, const UrlParameters& form, const std::optional<std::string>& jkt) const;

    /// Returns true if a token of this sign-in was exchanged by another client for another service, and the client still may do so.
    static bool isLive(Session& session, const AccessClaims& claims);

private:
    AccessClaims requireSubject(const OAuthClient& client, const std::string& token) const;
    /// Returns the service of the new token. The user must have access to it in the sign-in's current context.
    std::string requireTarget(const UrlParameters& form, const AccessClaims& subject) const;

    Core& _core;
};

} // namespace portico::identity
