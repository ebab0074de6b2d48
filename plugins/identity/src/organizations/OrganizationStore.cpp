#include "organizations/OrganizationStore.h"

#include <algorithm>

namespace portico::identity::organizations
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

std::optional<Organization> find(Session& session, std::string_view id) { return select(session, "id = $1", id); }

std::optional<Organization> findBySlug(Session& session, std::string_view slug) { return select(session, "slug = $1", slug); }

std::optional<Organization> findAdmin(Session& session) { return select(session, "kind = $1 ORDER BY created_at LIMIT 1", "admin"); }

void insert(Session& session, const Organization& organization) { session.insert("organizations", organization, {}); }

std::optional<Membership> findMembership(Session& session, std::string_view organizationId, std::string_view userId)
{
    return session.one<Membership>("SELECT " + columns<Membership>() +
                                       " FROM memberships WHERE organization_id = $1 AND user_id = $2 AND status <> 'removed'",
                                   organizationId, userId);
}

void insertMembership(Session& session, const Membership& membership) { session.insert("memberships", membership, {}); }

void setRole(Session& session, const Membership& membership, Role role, Instant now)
{
    session.execute("UPDATE memberships SET role = $2, version = version + 1, updated_at = $3 WHERE id = $1", membership.id, toString(role),
                    now);
}

std::vector<MyOrganization> ofUser(Session& session, std::string_view userId)
{
    return session.all<MyOrganization>("SELECT o.id, o.name, o.slug, o.kind, o.status, m.role FROM memberships m "
                                       "JOIN organizations o ON o.id = m.organization_id "
                                       "WHERE m.user_id = $1 AND m.status = 'active' AND o.status = 'active' ORDER BY m.joined_at, o.id",
                                       userId);
}

bool isOperator(Session& session, std::string_view userId)
{
    return session
        .value<std::int64_t>("SELECT 1 FROM memberships m JOIN organizations o ON o.id = m.organization_id "
                             "WHERE m.user_id = $1 AND m.status = 'active' AND o.kind = 'admin' AND o.status = 'active' LIMIT 1",
                             userId)
        .has_value();
}

void grantService(Session& session, std::string_view organizationId, std::string_view serviceId, Instant now)
{
    session.execute("INSERT INTO service_access (organization_id, service_id, status, version, created_at, updated_at) "
                    "VALUES ($1, $2, 'active', 1, $3, $3) ON CONFLICT (organization_id, service_id) DO NOTHING",
                    organizationId, serviceId, now);
}

void grantToAll(Session& session, std::string_view serviceId, Instant now)
{
    // SQLite takes ON CONFLICT after a SELECT only when that has a WHERE; PostgreSQL takes bare parameters there for text.
    session.execute("INSERT INTO service_access (organization_id, service_id, status, version, created_at, updated_at) "
                    "SELECT id, CAST($1 AS TEXT), 'active', 1, CAST($2 AS BIGINT), CAST($2 AS BIGINT) FROM organizations WHERE TRUE "
                    "ON CONFLICT (organization_id, service_id) DO NOTHING",
                    serviceId, now);
}

bool hasService(Session& session, std::string_view organizationId, std::string_view serviceId)
{
    return session
        .value<std::int64_t>("SELECT 1 FROM service_access WHERE organization_id = $1 AND service_id = $2 AND status = 'active'",
                             organizationId, serviceId)
        .has_value();
}

} // namespace portico::identity::organizations
