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

/// The backend of a service that was called with a user's token gets one for another service, where it goes on for that user (RFC 8693):
/// of the same sign-in, never wider, never longer than the first, and as dead as the sign-in or the client the moment that either ends.
/// Thread-safe.
class TokenExchange
{
public:
    explicit TokenExchange(Core& core) : _core(core) {}

    /// @param jkt the key that the client has proved to hold. @throws OAuthError `invalid_request`, `invalid_target`, `invalid_scope`,
    /// `unauthorized_client`, `invalid_dpop_proof`
    TokenAnswer exchange(const OAuthClient& client, const UrlParameters& form, const std::optional<std::string>& jkt) const;

    /// Whether a token of this sign-in is one that another client was given for another service, and that client still may.
    static bool isLive(Session& session, const AccessClaims& claims);

private:
    AccessClaims requireSubject(const OAuthClient& client, const std::string& token) const;
    /// The service that the new token is for: one that the user may enter where the sign-in stands now.
    std::string requireTarget(const UrlParameters& form, const AccessClaims& subject) const;

    Core& _core;
};

} // namespace portico::identity
