#pragma once

#include "audit/Audit.h"
#include "common/Ids.h"

#include "portico/Database.h"

#include <string>
#include <vector>

namespace portico::identity::organizations
{

/// Deletes what an organization owns: members, keys, OAuth clients, domains, invitations, name and slug. The row stays with the status
/// `revoked`, because other rows name it; webhook endpoints stay until their last events are delivered.
/// @param by log of the deletion, in which the end of each sign-in is recorded
/// @return the sign-ins that it ended
std::vector<std::string> erase(Transaction& transaction, const OrganizationId& id, Instant now, const AuditLog& by);

} // namespace portico::identity::organizations
