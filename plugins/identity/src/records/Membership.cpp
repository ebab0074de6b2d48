#include "records/Membership.h"

namespace portico::identity::memberships
{

std::vector<User> owners(Session& session, const OrganizationId& organization)
{
    return session.all<User>("SELECT " + columns<User>("u.") +
                                 " FROM users u JOIN memberships m ON m.user_id = u.id "
                                 "WHERE m.organization_id = $1 AND m.role = 'owner' AND m.status = 'active' AND u.status = 'active'",
                             organization);
}

} // namespace portico::identity::memberships
