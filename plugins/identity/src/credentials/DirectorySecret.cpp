#include "credentials/DirectorySecret.h"

#include "catalog/CatalogStore.h"
#include "clients/OAuthClient.h"
#include "common/Requests.h"
#include "credentials/ServiceCaller.h"
#include "permissions/Evaluator.h"

#include <algorithm>

namespace portico::identity::directory_secret
{

namespace
{

/// Lifetime of a cached secret. Its use is not recorded again in this time.
constexpr auto remembered = std::chrono::minutes(5);

bool isLetInBySecret(const OAuthClient& client)
{
    return usesSecret(client.tokenEndpointAuthMethod) && !client.dpopBoundAccessTokens && client.hasScope(scimScope);
}

AccessClaims claimsOf(const OAuthClient& client, Instant now, Instant until)
{
    const auto seconds = [](Instant instant) { return std::chrono::floor<std::chrono::seconds>(instant).time_since_epoch().count(); };
    AccessClaims claims;
    claims.clientId = client.clientId;
    claims.scope = scimScope;
    claims.aud = identityServiceId;
    claims.iat = seconds(now);
    claims.exp = seconds(until);
    return claims;
}

} // namespace

bool isMeant(const interfaces::Credential& credential)
{
    return credential.kind == CredentialKind::AccessToken && credential.presented == interfaces::Credential::Presented::Bearer &&
           credential.serviceId == identityServiceId && credential.path.starts_with("/scim/v2/") &&
           credential.value.find('.') == std::string_view::npos;
}

std::optional<RememberedCredential> find(Core& core, std::string_view secret, Instant now, const DataRevision& common)
{
    const auto catalog = core.catalog.snapshot(common);
    const auto numbers = core.changes.hostNumbers();
    RememberedCredential verified;
    {
        auto snapshot = core.database.snapshot();
        auto holder = oauth_clients::findBySecret(snapshot, secret, now);
        if (!holder || !isLetInBySecret(holder->client)) return std::nullopt;
        const auto until = std::min(now + remembered, holder->until.value_or(now + remembered));
        const auto claims = claimsOf(holder->client, now, until);
        const auto principal = ServicePrincipal::of(snapshot, *catalog, std::move(holder->client), scimScope);
        const auto* service = catalog->find(identityServiceId);
        if (!service || !mayEnter(*service, access_facts::input(snapshot, principal.owner, identityServiceId)))
            throw Problem::forbidden("service_access_denied");
        auto caller = describeService(claims, principal);
        verified.revision = core.changes.revisionIn(snapshot, common, numbers, caller.principalId, caller.organizationId);
        verified.callerUntil = verified.expiresAt = until;
        if (!principal.owner.ipAllowList.empty())
            verified.organizationAddresses = std::make_shared<const AddressList>(principal.owner.ipAllowList);
        verified.claims = std::make_shared<const AccessClaims>(claims);
        verified.caller = Caller::share(std::move(caller));
    }
    core.database.transact(
        [&](Transaction& transaction)
        { oauthClientTable.set(transaction, verified.caller->tenant(), verified.caller->clientId, &OAuthClient::scimUsedAt, now); });
    return verified;
}

} // namespace portico::identity::directory_secret
