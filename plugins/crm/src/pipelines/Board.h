#pragma once

#include "pipelines/BoardRequests.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <string_view>

namespace portico::crm
{

/// Returns the columns of a board with their first cards. Runs two statements for all columns, and a few more with filters. The session
/// must be a snapshot, so that no card is listed twice and counts are consistent.
/// @param after where the single column of the filter continues (the opened `nextCursor`), or empty
std::vector<BoardColumn> readBoard(Session& session, Tenant tenant, const Pipeline& pipeline, const BoardFilter& filter,
                                   std::string_view after, Instant now);

} // namespace portico::crm
