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

/// One page of the pairs of contacts that may be the same person: the surest first, then by what they share, then by id, so that pages hold
/// while contacts come and go. Each pair stands once, under its surest reason, unless it was dismissed (Dismissals.h).
///
/// The cost is bounded, not quadratic. Of a value that more than 20 contacts share only the pairs with the oldest of them are listed
/// (whoever merges these merges all); a mail domain of more than 200 addresses counts as a public one. And a page ends early, perhaps
/// empty, but with a cursor, when much was looked at in vain. @throws Problem 400 when asked how many there are
Page<DuplicatePair> listDuplicates(Session& session, Tenant tenant, const DuplicateFilter& filter, const Paging& paging);

} // namespace portico::crm
