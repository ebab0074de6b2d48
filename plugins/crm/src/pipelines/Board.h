#pragma once

#include "pipelines/BoardRequests.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <string_view>

namespace portico::crm
{

/// The columns of a board with their first cards: two statements, however many columns there are, a few more with filters. `after` is where
/// the one column of the filter goes on (what its `nextCursor` was, unsigned), or empty. The session is a snapshot, so that no card is seen
/// twice and counts fit.
std::vector<BoardColumn> readBoard(Session& session, Tenant tenant, const Pipeline& pipeline, const BoardFilter& filter,
                                   std::string_view after, Instant now);

} // namespace portico::crm
