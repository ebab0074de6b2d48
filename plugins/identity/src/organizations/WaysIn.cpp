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

bool opensByProvider(Session& session, const OrganizationId& organization, std::string_view id, const User& user)
{
    const auto parsed = IdentityProviderId::parse(id);
    const auto provider = parsed ? identity_providers::find(session, *parsed) : std::nullopt;
    if (!provider || !provider->usable()) return false;
    if (provider->organizationId)
    {
        const auto membership = membershipTable.find(session, organization, user.id);
        const bool reaches = membership && rank(membership->role) <= provider->setUpRank && !user.platformRole;
        if (provider->organizationId != organization || !reaches) return false;
    }
    return linked_accounts::anyAt(session, user.id, provider->issuer) || identity_providers::vouchesFor(session, *provider, user.emailKey);
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

void require(Session& session, const OrganizationId& organization, const SecurityPolicy& policy, const std::optional<UserId>& actor)
{
    constexpr std::string_view member = "securityPolicy.allowedLoginMethods";
    if (actor && !any(session, organization, policy, *actor))
        throw Problem::invalid(std::string(member), "excludes_you", "You cannot sign in by any of these methods: add one first.");
    const auto owners = memberships::owners(session, organization);
    if (!owners.empty() && std::ranges::none_of(owners, [&](const User& owner) { return any(session, organization, policy, owner.id); }))
        throw Problem::invalid(std::string(member), "excludes_owners", "No owner of the organization has one of these ways to sign in.");
}

} // namespace portico::identity::ways_in
