#include "contacts/ContactSweep.h"

#include "contacts/ContactEvents.h"
#include "contacts/ContactRules.h"

namespace portico::crm
{

std::size_t changeContacts(PluginContext& context, Transaction& transaction, Tenant tenant, const std::vector<ContactId>& ids,
                           const std::function<bool(Contact&)>& change)
{
    const ContactStore store;
    std::size_t count = 0;
    for (const auto& before : store.loadMany(transaction, tenant, ids))
    {
        Contact after = before;
        if (!change(after)) continue;
        after.version = before.version + 1;
        if (!after.deletedAt) after.updatedAt = context.clock().now();
        store.update(transaction, tenant, before, after);
        if (!after.deletedAt) publishContact(context.events(), transaction, "updated", tenant, after.id, changedMembers(before, after));
        ++count;
    }
    return count;
}

} // namespace portico::crm
