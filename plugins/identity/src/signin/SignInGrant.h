#pragma once

#include "common/Ids.h"

#include "portico/Schema.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// Describes the sign-in that a one-time code starts: user, context, source, and what the presenter must match. SSO codes,
/// authorization codes and device codes have one each.
struct SignInGrant
{
    std::string userId;
    std::optional<OrganizationId> organizationId;
    /// The browser's session, and of a handoff the sign-in at the app that requested it. Both must still be active.
    std::optional<std::string> browserSessionId;
    std::optional<std::string> sourceSessionId;
    /// Both empty for a device code.
    std::string redirectUri;
    /// S256 of the verifier; empty: none.
    std::string codeChallenge;

    /// OAuth client, and what the user allowed it.
    std::string clientId;
    std::string scope;
    std::string nonce;
    /// Thumbprint of the key that the code is bound to (RFC 9449, 10).
    std::string dpopJkt;
    /// Address of the browser. A backend redeems the code from its own address; the organization's policy applies to the user's.
    std::string address;

    /// Service of an SSO code, and the path there.
    std::string serviceId;
    std::string returnTo;
    /// For a native app, which proves a key when it redeems the code.
    bool mobile = false;
    /// Proof at the time of the SSO code.
    std::vector<std::string> amr;
    std::string acr;
    Instant authTime{};
    /// Expiry of the sign-in that a handoff comes from.
    std::optional<Instant> until;
    /// ID of a handoff, `hnd_…`, for events.
    std::string handoffId;
};

constexpr auto schemaOf(const SignInGrant*)
{
    return describe(members<&SignInGrant::userId, &SignInGrant::organizationId, &SignInGrant::browserSessionId,
                            &SignInGrant::sourceSessionId, &SignInGrant::redirectUri, &SignInGrant::codeChallenge, &SignInGrant::clientId,
                            &SignInGrant::scope, &SignInGrant::nonce, &SignInGrant::dpopJkt, &SignInGrant::address, &SignInGrant::serviceId,
                            &SignInGrant::returnTo, &SignInGrant::mobile, &SignInGrant::amr, &SignInGrant::acr, &SignInGrant::authTime>(),
                    field<&SignInGrant::until>("expiresAt"), field<&SignInGrant::handoffId>());
}

} // namespace portico::identity
