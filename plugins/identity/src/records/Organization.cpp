#include "records/Organization.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity
{

namespace organizations
{

bool isSlug(std::string_view text) noexcept
{
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    return text.size() >= 2 && text.size() <= 40 && plain(text.front()) && plain(text.back()) &&
           std::ranges::all_of(text, [&](char c) { return plain(c) || c == '-'; }) && text.find("--") == std::string_view::npos;
}

std::optional<Organization> find(Session& session, const OrganizationId& id) { return organizationTable.find(session, id); }

std::optional<Organization> findBySlug(Session& session, std::string_view slug)
{
    return organizationTable.select().where(&Organization::slug, std::string(slug)).first(session);
}

std::optional<Organization> findAdmin(Session& session)
{
    return organizationTable.select().where(&Organization::kind, OrganizationKind::Admin).orderBy(&Organization::createdAt).first(session);
}

Organization lock(Transaction& transaction, const OrganizationId& id) { return organizationTable.requireForUpdate(transaction, id); }

void requireOpenWorkspace(Transaction& transaction, const std::optional<OrganizationId>& id)
{
    const auto known = id ? find(transaction, *id) : std::nullopt;
    // Locks the row, so that closing the workspace and this change are serialized.
    if (known && known->kind == OrganizationKind::DeveloperWorkspace) refuseClosedWorkspace(lock(transaction, *id));
}

void refuseClosedWorkspace(const Organization& organization)
{
    if (organization.kind != OrganizationKind::DeveloperWorkspace) return;
    if (organization.status == OrganizationStatus::Suspended)
        throw Problem::forbidden("developer_workspace_suspended", "The workspace is suspended.");
    if (organization.status == OrganizationStatus::Revoked)
        throw Problem::forbidden("developer_workspace_revoked", "The workspace was closed permanently.");
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

} // namespace organizations

} // namespace portico::identity
