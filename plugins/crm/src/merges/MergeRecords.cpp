#include "merges/MergeRecords.h"

#include "data/SqlText.h"

#include <utility>

namespace portico::crm
{

void insertMerge(Transaction& transaction, Tenant tenant, const MergeRecord& merge)
{
    transaction.insert("contact_merge", merge, {"organization_id"}, tenant);
}

std::optional<MergeRecord> loadMerge(Transaction& transaction, Tenant tenant, const MergeId& id)
{
    return transaction.one<MergeRecord>("SELECT " + columns<MergeRecord>() +
                                            " FROM contact_merge WHERE organization_id = $1 AND merge_id = $2" +
                                            std::string(forUpdate(transaction)),
                                        tenant, id);
}

void markUndone(Transaction& transaction, Tenant tenant, const MergeId& id, Instant now)
{
    transaction.execute("UPDATE contact_merge SET undone_at = $3, record = '{}' WHERE organization_id = $1 AND merge_id = $2", tenant, id,
                        now);
}

void carryMergesOver(Transaction& transaction, Tenant tenant, const ContactId& id, std::int64_t fromVersion, std::int64_t toVersion)
{
    transaction.execute(
        "UPDATE contact_merge SET target_version = $4 WHERE organization_id = $1 AND target_id = $2 AND target_version = $3 "
        "AND undone_at IS NULL",
        tenant, id, fromVersion, toVersion);
}

void forgetMergesInto(Transaction& transaction, Tenant tenant, const ContactId& id)
{
    std::vector<std::pair<std::string, std::vector<Contact>>> merges;
    for (Row row : transaction.query(
             "SELECT " + columns<MergeRecord>() + " FROM contact_merge WHERE organization_id = $1 AND target_id = $2", tenant, id))
    {
        auto merge = row.as<MergeRecord>();
        merges.emplace_back(merge.mergeId.text(), std::move(merge.record.sources));
    }
    for (const auto& [mergeId, sources] : merges)
    {
        transaction.execute("DELETE FROM contact_merge WHERE organization_id = $1 AND merge_id = $2", tenant, mergeId);
        for (const auto& source : sources) forgetMergesInto(transaction, tenant, source.id);
    }
}

std::size_t forgetOldMerges(Transaction& transaction, Instant mergedUntil)
{
    std::vector<std::pair<std::string, std::string>> old;
    for (Row row : transaction.query(
             "SELECT organization_id, merge_id FROM contact_merge WHERE merged_at <= $1 ORDER BY merged_at LIMIT 500", mergedUntil))
        old.emplace_back(row.get<std::string>(0), row.get<std::string>(1));
    for (const auto& [organization, id] : old)
        transaction.execute("DELETE FROM contact_merge WHERE organization_id = $1 AND merge_id = $2", organization, id);
    return old.size();
}

} // namespace portico::crm
