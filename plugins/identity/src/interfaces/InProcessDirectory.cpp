#include "interfaces/InProcessDirectory.h"

#include "permissions/PersonAccess.h"
#include "users/User.h"

#include <algorithm>
#include <string>

namespace portico::identity
{

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

} // namespace portico::identity
