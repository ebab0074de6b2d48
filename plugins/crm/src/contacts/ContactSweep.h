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

/// Changes contacts, deleted ones as well, in the caller's transaction: `change` returns false for those that it leaves alone. Each that
/// is changed gets a new version, and, unless it is deleted, a new time and its event. How many were changed.
std::size_t changeContacts(PluginContext& context, Transaction& transaction, Tenant tenant, const std::vector<ContactId>& ids,
                           const std::function<bool(Contact&)>& change);

} // namespace portico::crm
