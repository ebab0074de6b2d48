#include "organizations/Members.h"

#include "users/UserStore.h"

namespace portico::identity
{

namespace
{

std::optional<interfaces::DirectoryMember> readMember(Session& session, std::string_view organizationId, std::string_view condition,
                                                      std::string_view value)
{
    auto rows = session.query("SELECT u.id, u.display_name, u.email, m.role, m.status, u.status FROM memberships m "
                              "JOIN users u ON u.id = m.user_id "
                              "WHERE m.organization_id = $1 AND m.status IN ('active', 'suspended') AND " +
                                  std::string(condition),
                              organizationId, value);
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
    return readMember(session, organizationId, "m.user_id = $2", userId);
}

std::optional<interfaces::DirectoryMember> Members::memberByEmail(std::string_view organizationId, std::string_view email)
{
    auto session = _database.session();
    return readMember(session, organizationId, "u.email_key = $2", emailKey(email));
}

} // namespace portico::identity
