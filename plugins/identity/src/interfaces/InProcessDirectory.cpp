#include "interfaces/InProcessDirectory.h"

#include "catalog/CatalogStore.h"
#include "permissions/PersonAccess.h"
#include "users/User.h"

#include <algorithm>
#include <string>

namespace portico::identity
{

namespace
{

constexpr std::size_t maxMembers = 1000;

/// Members of organization $1 with a further condition.
std::string memberQuery(std::string_view condition)
{
    return "SELECT u.id, u.display_name, u.email, m.role, m.status, u.status, EXISTS (SELECT 1 FROM totp_factors t WHERE t.user_id = u.id) "
           "OR EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = u.id) FROM memberships m JOIN users u ON u.id = m.user_id "
           "WHERE m.organization_id = $1 AND " +
           std::string(condition);
}

interfaces::DirectoryMember memberOf(const Row& row)
{
    interfaces::DirectoryMember member;
    member.userId = row.get<std::string>(0);
    member.displayName = row.get<std::string>(1);
    member.email = row.get<std::string>(2);
    member.role = row.get<std::string>(3);
    member.active = row.text(4) == "active" && row.text(5) == "active";
    member.secondFactor = row.get<bool>(6);
    return member;
}

std::optional<interfaces::DirectoryMember> readMember(Session& session, Tenant organization, std::string_view condition,
                                                      std::string_view value)
{
    auto rows = session.query(memberQuery("m.status IN ('active', 'suspended') AND " + std::string(condition)), organization, value);
    const auto row = rows.next();
    if (!row) return std::nullopt;
    return memberOf(*row);
}

} // namespace

std::optional<interfaces::DirectoryMember> InProcessDirectory::member(Tenant organization, std::string_view userId)
{
    auto session = _core.database.session();
    return readMember(session, organization, "m.user_id = $2", userId);
}

std::optional<interfaces::DirectoryMember> InProcessDirectory::memberByEmail(Tenant organization, std::string_view email)
{
    auto session = _core.database.session();
    return readMember(session, organization, "u.email_key = $2", emailKey(email));
}

bool InProcessDirectory::memberMay(Tenant organization, std::string_view userId, std::string_view permission)
{
    const auto id = OrganizationId::parse(organization.text());
    const auto catalog = _core.catalog.snapshot();
    const auto* service = catalog->find(permission.substr(0, permission.find('.')));
    if (!id || service == nullptr) return false;
    auto session = _core.database.snapshot();
    auto user = users::find(session, userId);
    const auto member = readMember(session, organization, "m.user_id = $2", userId);
    if (!user || !member || !member->active) return false;
    const PersonAccess person(session, *std::move(user), id, std::nullopt);
    const auto input = person.input(service->serviceId);
    if (!mayEnter(*service, input)) return false;
    const auto held = effectivePermissions(*service, input, _core.clock.now());
    return std::ranges::binary_search(held, permission);
}

std::vector<interfaces::DirectoryMember> InProcessDirectory::members(Tenant organization, std::string_view afterUserId, std::size_t limit)
{
    auto session = _core.database.session();
    std::vector<interfaces::DirectoryMember> found;
    for (Row row : session.query(memberQuery("m.status = 'active' AND u.status = 'active' AND m.user_id > $2 ORDER BY m.user_id LIMIT $3"),
                                 organization, afterUserId, static_cast<std::int64_t>(std::min(limit, maxMembers))))
        found.push_back(memberOf(row));
    return found;
}

std::vector<interfaces::DirectoryOrganization> InProcessDirectory::organizationsOf(std::string_view userId)
{
    auto session = _core.database.session();
    std::vector<interfaces::DirectoryOrganization> found;
    for (Row row :
         session.query("SELECT o.id, o.slug, o.name, COALESCE(o.logo_url, ''), m.role, o.security_policy, (SELECT COUNT(*) FROM "
                       "memberships a WHERE a.organization_id = o.id AND a.status = 'active') FROM memberships m JOIN organizations o ON "
                       "o.id = m.organization_id WHERE m.user_id = $1 AND m.status = 'active' AND o.status = 'active' "
                       "ORDER BY m.joined_at, o.id",
                       userId))
        found.push_back({row.get<std::string>(0), row.get<std::string>(1), row.get<std::string>(2), row.get<std::string>(3),
                         row.get<std::string>(4), row.get<std::int64_t>(6), fromStoredJson<SecurityPolicy>(row.text(5)).mfaRequired});
    return found;
}

std::vector<interfaces::DirectoryHousehold> InProcessDirectory::householdsOf(std::string_view userId)
{
    auto session = _core.database.session();
    std::vector<interfaces::DirectoryHousehold> found;
    for (Row row :
         session.query("SELECT h.id, h.name, m.role, (SELECT COUNT(*) FROM household_members a WHERE a.household_id = h.id AND "
                       "a.status = 'active'), EXISTS (SELECT 1 FROM users u WHERE u.id = m.user_id AND u.selected_household_id = h.id) "
                       "FROM household_members m JOIN households h ON h.id = m.household_id "
                       "WHERE m.user_id = $1 AND m.status = 'active' AND h.status = 'active' ORDER BY h.name, h.id",
                       userId))
        found.push_back(
            {row.get<std::string>(0), row.get<std::string>(1), row.get<std::string>(2), row.get<std::int64_t>(3), row.get<bool>(4)});
    return found;
}

} // namespace portico::identity
