#include "organizations/Members.h"

namespace portico::identity
{

std::optional<interfaces::DirectoryMember> Members::member(std::string_view organizationId, std::string_view userId)
{
    auto session = _database.session();
    auto rows = session.query("SELECT u.id, u.display_name, u.email, m.role, m.status, u.status FROM memberships m "
                              "JOIN users u ON u.id = m.user_id "
                              "WHERE m.organization_id = $1 AND m.user_id = $2 AND m.status IN ('active', 'suspended')",
                              organizationId, userId);
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

} // namespace portico::identity
