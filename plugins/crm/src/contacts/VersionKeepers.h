#pragma once

#include "Ids.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace portico::crm
{

/// A room that keeps earlier versions of contacts, so that a change can be undone. `CrmPlugin` lists the rooms.
struct VersionKeeper
{
    /// An undo has restored a contact: changes that could be undone from `fromVersion` can be undone from `toVersion`.
    void (*restored)(Transaction& transaction, Tenant tenant, const ContactId& id, std::int64_t fromVersion, std::int64_t toVersion);
    /// The contact is permanently deleted: deletes the room's copies of it. Returns contacts that were merged into it: their copies are
    /// deleted, too.
    std::vector<ContactId> (*erased)(Transaction& transaction, Tenant tenant, const ContactId& id);
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
        std::vector<ContactId> open{id};
        while (!open.empty())
        {
            const auto next = std::move(open.back());
            open.pop_back();
            for (const auto& keeper : _keepers)
            {
                const auto merged = keeper.erased(transaction, tenant, next);
                open.insert(open.end(), merged.begin(), merged.end());
            }
        }
    }

private:
    const std::vector<VersionKeeper> _keepers;
};

} // namespace portico::crm
