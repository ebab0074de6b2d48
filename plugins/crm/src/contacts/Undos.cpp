#include "contacts/Undos.h"

#include "bulk/BulkState.h"
#include "imports/ImportStore.h"
#include "merges/MergeRecords.h"

namespace portico::crm
{

void carryUndosOver(Transaction& transaction, Tenant tenant, const ContactId& id, std::int64_t fromVersion, std::int64_t toVersion)
{
    carryMergesOver(transaction, tenant, id, fromVersion, toVersion);
    carryImportsOver(transaction, tenant, id, fromVersion, toVersion);
    carryBulkChangesOver(transaction, tenant, id, fromVersion, toVersion);
}

} // namespace portico::crm
