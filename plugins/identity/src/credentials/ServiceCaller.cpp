#include "credentials/ServiceCaller.h"

#include "users/User.h"

namespace portico::identity
{

namespace
{

/// Rate limit of an external service, which calls on behalf of all its users.
constexpr std::int64_t serviceCallsPerSecond = 2'000;

} // namespace

Caller describeService(const AccessClaims& claims, const ServicePrincipal& principal)
{
    Caller caller;
    caller.credential = CredentialKind::AccessToken;
    caller.principalId = caller.clientId = principal.client.clientId;
    caller.principalType = toString(PrincipalType::Service);
    caller.displayName = principal.client.name;
    caller.organizationId = principal.client.ownerId.text();
    caller.organizationName = principal.owner.organizationName;
    caller.ownServiceId = principal.client.serviceId.value_or("");
    caller.scopes = principal.scopes;
    caller.scope = joinScope(principal.scopes);
    caller.authenticatedAt = Instant(std::chrono::seconds(claims.iat));
    caller.serviceId = claims.aud;
    caller.expiresAt = Instant(std::chrono::seconds(claims.exp));
    if (!caller.ownServiceId.empty()) caller.rateLimit = serviceCallsPerSecond, caller.rateWindowSeconds = 1;
    return caller;
}

} // namespace portico::identity
