#include "organizations/Organization.h"

#include "users/User.h"

#include <algorithm>

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

namespace
{

std::optional<interfaces::DirectoryMember> readMember(Session& session, Tenant organization, std::string_view condition,
                                                      std::string_view value)
{
    auto rows = session.query("SELECT u.id, u.display_name, u.email, m.role, m.status, u.status FROM memberships m "
                              "JOIN users u ON u.id = m.user_id "
                              "WHERE m.organization_id = $1 AND m.status IN ('active', 'suspended') AND " +
                                  std::string(condition),
                              organization, value);
    const auto row = rows.next();
    if (!row) return std::nullopt;
    interfaces::DirectoryMember member;
    member.userId = row->get<std::string>(0);
    member.displayName = row->get<std::string>(1);
    member.email = row->get<std::string>(2);
    member.role = row->get<std::string>(3);
    member.active = row->text(4) == "active" && row->text(5) == "active";
    return member;
}

} // namespace

std::optional<interfaces::DirectoryMember> Members::member(std::string_view organizationId, std::string_view userId)
{
    auto session = _database.session();
    return readMember(session, Tenant::fromStored(organizationId), "m.user_id = $2", userId);
}

std::optional<interfaces::DirectoryMember> Members::memberByEmail(std::string_view organizationId, std::string_view email)
{
    auto session = _database.session();
    return readMember(session, Tenant::fromStored(organizationId), "u.email_key = $2", emailKey(email));
}

} // namespace portico::identity
