#pragma once

#include "contacts/ContactOrder.h"
#include "contacts/ContactView.h"

#include "portico/Arguments.h"
#include "portico/Database.h"
#include "portico/Results.h"
#include "portico/Tenant.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// One page of the contacts that have all of some words (searchWords), in the order of a sort, where the words are common: then a page is
/// full soon when one contact after the other is looked at in that order, while the index would name thousands to be sorted. Nothing where
/// too few of the first hundreds fit, or the page is not full after some thousands: the index knows better. Cursors are those of
/// `addCursor`.
std::optional<Page<ContactView>> commonContacts(Session& session, Tenant tenant, const std::vector<std::string>& words,
                                                const ContactOrder& order, const Paging& paging);

} // namespace portico::crm
