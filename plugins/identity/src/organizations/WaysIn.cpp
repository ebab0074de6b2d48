#include "organizations/WaysIn.h"

#include "organizations/Memberships.h"
#include "upstream/LinkedAccount.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity::ways_in
{

namespace
{

constexpr std::string_view byProvider = "idp:";

bool opensBy(Session& session, const OrganizationId& organization, const IdentityProvider& provider, const User& user)
{
    if (!provider.usable()) return false;
    if (provider.organizationId)
    {
        const auto membership = membershipTable.find(session, organization, user.id);
        const bool reaches = membership && rank(membership->role) <= provider.setUpRank && !user.platformRole;
        if (provider.organizationId != organization || !reaches) return false;
    }
    return linked_accounts::anyAt(session, user.id, provider.issuer) || identity_providers::vouchesFor(session, provider, user.emailKey);
}

bool opensByProvider(Session& session, const OrganizationId& organization, std::string_view id, const User& user)
{
    const auto parsed = IdentityProviderId::parse(id);
    const auto provider = parsed ? identity_providers::find(session, *parsed) : std::nullopt;
    return provider && opensBy(session, organization, *provider, user);
}

/// Returns true if the provider may confirm a second factor in a sign-in that the policy allows.
bool provesFactor(const IdentityProvider& provider, const SecurityPolicy& policy)
{
    return allowsMethod(policy, {provider.loginMethod()}) && provider.mapsSecondFactor();
}

bool hasOwnFactor(Session& session, const UserId& user)
{
    return session
        .value<std::int64_t>("SELECT 1 FROM totp_factors WHERE user_id = $1 UNION ALL SELECT 1 FROM passkeys WHERE user_id = $1 LIMIT 1",
                             user)
        .has_value();
}

bool opens(Session& session, const OrganizationId& organization, std::string_view method, const User& user)
{
    if (method == "password") return user.passwordHash.has_value();
    if (method == "passkey") return session.value<std::int64_t>("SELECT 1 FROM passkeys WHERE user_id = $1 LIMIT 1", user.id).has_value();
    return method.starts_with(byProvider) && opensByProvider(session, organization, method.substr(byProvider.size()), user);
}

} // namespace

bool any(Session& session, const OrganizationId& organization, const SecurityPolicy& policy, const UserId& id)
{
    if (policy.allowedLoginMethods.empty()) return true;
    const auto user = users::find(session, id.text());
    return user && std::ranges::any_of(policy.allowedLoginMethods,
                                       [&](const std::string& method) { return opens(session, organization, method, *user); });
}

bool hasSecondFactor(Session& session, const OrganizationId& organization, const SecurityPolicy& policy, const UserId& id)
{
    if (hasOwnFactor(session, id)) return true;
    const auto user = users::find(session, id.text());
    const auto proves = [&](const IdentityProvider& provider)
    { return provesFactor(provider, policy) && opensBy(session, organization, provider, *user); };
    return user && (std::ranges::any_of(identity_providers::ofInstallation(session), proves) ||
                    std::ranges::any_of(identityProviderTable.select(organization).all(session), proves));
}

void require(Session& session, const OrganizationId& organization, const SecurityPolicy& policy, const std::optional<UserId>& actor)
{
    const auto owners = memberships::owners(session, organization);
    const auto requireAny = [&](std::string_view member, const auto& opensFor, std::string_view forActor, std::string_view forOwners)
    {
        if (actor && !opensFor(*actor)) throw Problem::invalid(std::string(member), "excludes_you", std::string(forActor));
        if (!owners.empty() && std::ranges::none_of(owners, opensFor, &User::id))
            throw Problem::invalid(std::string(member), "excludes_owners", std::string(forOwners));
    };
    requireAny(
        "securityPolicy.allowedLoginMethods", [&](const UserId& user) { return any(session, organization, policy, user); },
        "You cannot sign in by any of these methods: add one first.", "No owner of the organization has one of these ways to sign in.");
    if (policy.mfaRequired)
        requireAny(
            "securityPolicy.mfaRequired", [&](const UserId& user) { return hasSecondFactor(session, organization, policy, user); },
            "You have no second factor: add one first.", "No owner of the organization has a second factor.");
}

} // namespace portico::identity::ways_in
