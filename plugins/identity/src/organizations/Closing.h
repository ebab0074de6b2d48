#pragma once

#include "common/Ids.h"

#include "portico/Database.h"

#include <string>
#include <vector>

namespace portico::identity::organizations
{

/// Deletes what an organization owns: members, keys, OAuth clients, domains, invitations, name and slug. The row stays with the status
/// `revoked`, because other rows name it; webhook endpoints stay until their last events are delivered.
/// @return the sign-ins that it ended
std::vector<std::string> erase(Transaction& transaction, const OrganizationId& id, Instant now);

} // namespace portico::identity::organizations
