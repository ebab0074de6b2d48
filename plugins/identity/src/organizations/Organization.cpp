#include "organizations/Organization.h"

#include "keys/ApiKey.h"
#include "oauth/OAuthClient.h"
#include "organizations/Memberships.h"
#include "sessions/SignIn.h"

#include "portico/Problem.h"

#include <algorithm>
#include <iterator>

namespace portico::identity
{

namespace organizations
{

namespace
{
std::optional<Organization> select(Session& session, std::string_view condition, std::string_view argument)
{
    return session.one<Organization>("SELECT " + columns<Organization>() + " FROM organizations WHERE " + std::string(condition), argument);
}
} // namespace

bool isSlug(std::string_view text) noexcept
{
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    return text.size() >= 2 && text.size() <= 40 && plain(text.front()) && plain(text.back()) &&
           std::ranges::all_of(text, [&](char c) { return plain(c) || c == '-'; }) && text.find("--") == std::string_view::npos;
}

std::optional<Organization> find(Session& session, const OrganizationId& id) { return select(session, "id = $1", id.text()); }

std::optional<Organization> findBySlug(Session& session, std::string_view slug) { return select(session, "slug = $1", slug); }

std::optional<Organization> findAdmin(Session& session) { return select(session, "kind = $1 ORDER BY created_at LIMIT 1", "admin"); }

Organization lock(Transaction& transaction, const OrganizationId& id)
{
    // Of SQLite the transaction has the one writer.
    auto found = select(transaction, transaction.dialect() == Dialect::PostgreSQL ? "id = $1 FOR UPDATE" : "id = $1", id.text());
    if (!found) throw Problem::notFound();
    return *std::move(found);
}

void requireOpenWorkspace(Transaction& transaction, const std::optional<OrganizationId>& id)
{
    const auto known = id ? find(transaction, *id) : std::nullopt;
    // Whoever closes it waits for this change, or this change for them.
    if (known && known->kind == OrganizationKind::DeveloperWorkspace) refuseClosedWorkspace(lock(transaction, *id));
}

void refuseClosedWorkspace(const Organization& organization)
{
    if (organization.kind != OrganizationKind::DeveloperWorkspace) return;
    if (organization.status == OrganizationStatus::Suspended)
        throw Problem::forbidden("developer_workspace_suspended", "The workspace is suspended.");
    if (organization.status == OrganizationStatus::Revoked)
        throw Problem::forbidden("developer_workspace_revoked", "The workspace is closed for good.");
}

void update(Transaction& transaction, Organization& organization, Instant now)
{
    const auto before = organization.version++;
    organization.updatedAt = now;
    if (transaction.update("organizations", organization, {}, {"id", "version"}, organization.id, before) == 0)
        throw Problem::versionConflict(before + 1);
}

std::vector<std::string> erase(Transaction& transaction, const OrganizationId& id, Instant now)
{
    const Tenant tenant = id;
    auto ended = oauth_clients::removeOf(transaction, id, end_reason::revokedByAdmin, now);
    for (const auto& user : transaction.values<UserId>("SELECT user_id FROM memberships WHERE organization_id = $1", tenant))
        std::ranges::move(memberships::cleanUp(transaction, id, user, now), std::back_inserter(ended));
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
    transaction.execute("UPDATE organizations SET status = 'revoked', name = '', slug = id, logo_url = NULL, deletion_at = NULL, "
                        "version = version + 1, updated_at = $2 WHERE id = $1",
                        id, now);
    return ended;
}

void complete(Session& session, Organization& organization)
{
    const Tenant tenant = organization.id;
    organization.ownerUserId = session.value<UserId>("SELECT user_id FROM memberships WHERE organization_id = $1 AND role = 'owner' "
                                                     "AND status = 'active' ORDER BY joined_at, id LIMIT 1",
                                                     tenant);
    organization.memberCount =
        session.value<std::int64_t>("SELECT COUNT(*) FROM memberships WHERE organization_id = $1 AND status = 'active'", tenant)
            .value_or(0);
    organization.domains = session.all<ClaimedDomain>(
        "SELECT domain, status, auto_join_role FROM organization_domains WHERE organization_id = $1 ORDER BY domain", tenant);
}

std::vector<MyOrganization> ofUser(Session& session, const UserId& userId)
{
    return session.all<MyOrganization>("SELECT o.id, o.name, o.slug, o.kind, o.status, m.role FROM memberships m "
                                       "JOIN organizations o ON o.id = m.organization_id "
                                       "WHERE m.user_id = $1 AND m.status = 'active' AND o.status = 'active' ORDER BY m.joined_at, o.id",
                                       userId);
}

bool isOperator(Session& session, const UserId& userId)
{
    return session
        .value<std::int64_t>("SELECT 1 FROM memberships m JOIN organizations o ON o.id = m.organization_id "
                             "WHERE m.user_id = $1 AND m.status = 'active' AND o.kind = 'admin' AND o.status = 'active' LIMIT 1",
                             userId)
        .has_value();
}

bool belongsToAdmin(Session& session, const UserId& userId)
{
    return session
        .value<std::int64_t>("SELECT 1 FROM memberships m JOIN organizations o ON o.id = m.organization_id "
                             "WHERE m.user_id = $1 AND m.status <> 'removed' AND o.kind = 'admin' LIMIT 1",
                             userId)
        .has_value();
}

void grantService(Session& session, const OrganizationId& id, std::string_view serviceId, Instant now)
{
    session.execute("INSERT INTO service_access (organization_id, service_id, status, version, created_at, updated_at) "
                    "VALUES ($1, $2, 'active', 1, $3, $3) ON CONFLICT (organization_id, service_id) DO NOTHING",
                    id, serviceId, now);
}

void grantToAll(Session& session, std::string_view serviceId, Instant now)
{
    // SQLite takes ON CONFLICT after a SELECT only when that has a WHERE; PostgreSQL takes bare parameters there for text.
    session.execute("INSERT INTO service_access (organization_id, service_id, status, version, created_at, updated_at) "
                    "SELECT id, CAST($1 AS TEXT), 'active', 1, CAST($2 AS BIGINT), CAST($2 AS BIGINT) FROM organizations WHERE TRUE "
                    "ON CONFLICT (organization_id, service_id) DO NOTHING",
                    serviceId, now);
}

bool hasService(Session& session, const OrganizationId& id, std::string_view serviceId)
{
    return session
        .value<std::int64_t>("SELECT 1 FROM service_access WHERE organization_id = $1 AND service_id = $2 AND status = 'active'", id,
                             serviceId)
        .has_value();
}

} // namespace organizations

} // namespace portico::identity
