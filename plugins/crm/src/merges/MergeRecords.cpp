#include "merges/MergeRecords.h"

#include "data/SqlText.h"

#include <utility>

namespace portico::crm
{

void markUndone(Transaction& transaction, Tenant tenant, const MergeId& id, Instant now)
{
    transaction.execute("UPDATE contact_merge SET undone_at = $3, record = '{}' WHERE organization_id = $1 AND merge_id = $2", tenant, id,
                        now);
}

void carryMergesOver(Transaction& transaction, Tenant tenant, const ContactId& id, std::int64_t fromVersion, std::int64_t toVersion)
{
    transaction.execute(
        "UPDATE contact_merge SET target_version = $4 WHERE organization_id = $1 AND merge_id IN (SELECT merge_id FROM contact_merge "
        "WHERE organization_id = $1 AND target_id = $2 AND target_version = $3 AND undone_at IS NULL" +
            std::string(forUpdateOfFree(transaction)) + ")",
        tenant, id, fromVersion, toVersion);
}

std::vector<ContactId> forgetMergesInto(Transaction& transaction, Tenant tenant, const ContactId& id)
{
    std::vector<ContactId> sources;
    for (const auto& merge : mergeTable.select(tenant).where(&MergeRecord::targetId, id).all(transaction))
    {
        mergeTable.erase(transaction, tenant, merge.mergeId);
        for (const auto& source : merge.record.sources) sources.push_back(source.id);
    }
    return sources;
}

std::size_t forgetOldMerges(Transaction& transaction, Instant mergedUntil)
{
    std::vector<std::pair<std::string, MergeId>> old;
    for (Row row : transaction.query(
             "SELECT organization_id, merge_id FROM contact_merge WHERE merged_at <= $1 ORDER BY merged_at LIMIT 500", mergedUntil))
        old.emplace_back(row.get<std::string>(0), row.get<MergeId>(1));
    for (const auto& [organization, id] : old) mergeTable.erase(transaction, Tenant::fromStored(organization), id);
    return old.size();
}

} // namespace portico::crm
