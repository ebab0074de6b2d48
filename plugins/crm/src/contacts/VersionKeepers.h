#pragma once

#include "Ids.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <cstdint>
#include <vector>

namespace portico::crm
{

/// A room that keeps earlier versions of contacts, so that a change can be undone. `CrmPlugin` lists the rooms.
struct VersionKeeper
{
    /// An undo has restored a contact: changes that could be undone from `fromVersion` can be undone from `toVersion`.
    void (*restored)(Transaction& transaction, Tenant tenant, const ContactId& id, std::int64_t fromVersion, std::int64_t toVersion);
    /// The contact is removed for good. Null: the foreign keys of the room's tables suffice.
    void (*erased)(Transaction& transaction, Tenant tenant, const ContactId& id) = nullptr;
};

/// Immutable after construction, so one object serves all threads.
class VersionKeepers
{
public:
    explicit VersionKeepers(std::vector<VersionKeeper> keepers) : _keepers(std::move(keepers)) {}

    void restored(Transaction& transaction, Tenant tenant, const ContactId& id, std::int64_t fromVersion, std::int64_t toVersion) const
    {
        for (const auto& keeper : _keepers) keeper.restored(transaction, tenant, id, fromVersion, toVersion);
    }

    void erased(Transaction& transaction, Tenant tenant, const ContactId& id) const
    {
        for (const auto& keeper : _keepers)
            if (keeper.erased) keeper.erased(transaction, tenant, id);
    }

private:
    const std::vector<VersionKeeper> _keepers;
};

} // namespace portico::crm
