#include "organizations/Closing.h"

#include "clients/OAuthClient.h"
#include "organizations/Memberships.h"
#include "records/ApiKey.h"
#include "sessions/SignIn.h"

#include <algorithm>
#include <iterator>

namespace portico::identity::organizations
{

std::vector<std::string> erase(Transaction& transaction, const OrganizationId& id, Instant now, const AuditLog& by)
{
    const Tenant tenant = id;
    auto ended = oauth_clients::removeOf(transaction, id, end_reason::revokedByAdmin, now, by);
    for (const auto& user : transaction.values<UserId>("SELECT user_id FROM memberships WHERE organization_id = $1", tenant))
        std::ranges::move(memberships::cleanUp(transaction, id, user, now, &by), std::back_inserter(ended));
    transaction.execute("UPDATE memberships SET status = 'removed', version = version + 1, updated_at = $2 WHERE organization_id = $1",
                        tenant, now);
    api_keys::end(transaction, api_keys::ofOrganization(transaction, id), "organization_deleted", now);
    for (const auto* table : {"organization_domains", "invitations", "service_access", "role_bundle_overrides", "scim_groups"})
        transaction.execute("DELETE FROM " + std::string(table) + " WHERE organization_id = $1", tenant);
    transaction.execute("DELETE FROM linked_accounts WHERE provider_id IN (SELECT id FROM identity_providers WHERE organization_id = $1)",
                        tenant);
    transaction.execute("DELETE FROM identity_providers WHERE organization_id = $1", tenant);
    transaction.execute("DELETE FROM service_onboarding WHERE owner_id = $1", id);
    // The id in place of the slug, which is free again.
    organizationTable.set(transaction, id, {now}, &Organization::status, OrganizationStatus::Revoked, &Organization::name, "",
                          &Organization::slug, id.text(), &Organization::logoUrl, std::nullopt, &Organization::deletionAt, std::nullopt);
    return ended;
}

} // namespace portico::identity::organizations
