#pragma once

#include "merges/DuplicatePair.h"

#include "contacts/ContactStore.h"

#include "portico/Arguments.h"
#include "portico/Database.h"
#include "portico/Results.h"
#include "portico/Tenant.h"

#include <string_view>

namespace portico::crm
{

/// Returns a page of pairs of contacts that may be the same person. Sorted by reliability, shared value and id, so that pages stay stable
/// while contacts change. Each pair is listed once, with its best reason, unless it was dismissed (Dismissals.h).
/// The cost is bounded. If more than 20 contacts share a value, only the pairs with the oldest of them are listed: merging these merges
/// all. A mail domain of more than 200 addresses is ignored like a public one. A page ends early, perhaps empty but with a cursor, after
/// too many candidates without a match. @throws Problem 400 if the total is requested
Page<DuplicatePair> listDuplicates(Session& session, Tenant tenant, const DuplicateFilter& filter, const Paging& paging);

} // namespace portico::crm
