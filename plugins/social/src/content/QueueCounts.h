#pragma once

#include "common/Ids.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <cstdint>
#include <map>
#include <string>

namespace portico::social
{

/// Returns how many items of a brand are in each state of the queue, from counts that triggers write (migration 11). States without items
/// may be missing; the empty state has the items that wait for nothing.
std::map<std::string, std::int64_t> queueCounts(Session& session, Tenant tenant, const BrandId& brand);

} // namespace portico::social
