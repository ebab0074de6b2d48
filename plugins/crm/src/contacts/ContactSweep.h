#pragma once

#include "contacts/ContactStore.h"

#include "portico/Plugin.h"

#include <functional>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// How many contacts one transaction changes when many are changed alike: few enough that other writers wait little.
constexpr std::int64_t sweepBatch = 500;

/// Changes contacts in the caller's transaction, including deleted ones. A changed contact gets a new version; unless it is deleted, also a
/// new time and its event.
/// @param change returns false for contacts that it leaves unchanged
/// @return number of changed contacts
std::size_t changeContacts(PluginContext& context, Transaction& transaction, Tenant tenant, const std::vector<ContactId>& ids,
                           const std::function<bool(Contact&)>& change);

} // namespace portico::crm
