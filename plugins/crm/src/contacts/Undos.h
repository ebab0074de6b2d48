#pragma once

#include "Ids.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <cstdint>

namespace portico::crm
{

/// An undo has made of a contact what it was at an older version: merges into it, imports and bulk changes that could be undone from there
/// can be so again.
void carryUndosOver(Transaction& transaction, Tenant tenant, const ContactId& id, std::int64_t fromVersion, std::int64_t toVersion);

} // namespace portico::crm
