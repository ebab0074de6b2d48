#include "records/HistoryEntry.h"

#include "records/ReachedPipelines.h"

namespace portico::crm
{

Page<HistoryEntry> listHistory(Session& session, const Caller& caller, const ContactId& contactId, const HistoryFilter& filter,
                               const Paging& paging)
{
    auto entries = historyTable.select(caller.tenant());
    entries.where(&HistoryEntry::contactId, contactId);
    // Requested pipelines were checked before; without any, limits to those that the caller can access.
    if (!filter.pipelineId.empty())
        entries.whereIn(&HistoryEntry::pipelineId, filter.pipelineId);
    else if (const auto reached = reachedPipelines(caller))
        entries.whereIn(&HistoryEntry::pipelineId, *reached);
    if (filter.sort == HistorySort::MovedAt)
        entries.orderBy(&HistoryEntry::movedAt);
    else
        entries.orderBy(descending(&HistoryEntry::movedAt));
    return entries.page(session, paging);
}

HistoryEntry latestMove(Session& session, Tenant tenant, const ContactId& contactId)
{
    return historyTable.select(tenant)
        .where(&HistoryEntry::contactId, contactId)
        .orderBy(descending(&HistoryEntry::movedAt))
        .first(session)
        .value_or(HistoryEntry{});
}

std::vector<HistoryEntry> standingMoves(Session& session, Tenant tenant, const std::vector<ContactId>& contactIds)
{
    const auto takesBack = [](const HistoryEntry& last, const HistoryEntry& next)
    {
        return last.source == MoveSource::Automation && next.source == MoveSource::Automation && last.contactId == next.contactId &&
               last.pipelineId == next.pipelineId && last.fromStageId == next.toStageId && last.toStageId == next.fromStageId;
    };
    std::vector<HistoryEntry> standing;
    auto entries = historyTable.select(tenant)
                       .whereIn(&HistoryEntry::contactId, contactIds)
                       .orderBy(&HistoryEntry::contactId, &HistoryEntry::pipelineId, &HistoryEntry::movedAt, &HistoryEntry::historyId)
                       .all(session);
    for (auto& entry : entries)
        if (!standing.empty() && takesBack(standing.back(), entry))
            standing.pop_back();
        else
            standing.push_back(std::move(entry));
    return standing;
}

std::vector<HistoryId> reassignHistory(Transaction& transaction, Tenant tenant, const ContactId& from, const ContactId& to)
{
    auto entries = transaction.values<HistoryId>(
        "SELECT history_id FROM pipeline_history WHERE organization_id = $1 AND contact_id = $2 ORDER BY moved_at, history_id", tenant,
        from);
    transaction.execute("UPDATE pipeline_history SET contact_id = $3 WHERE organization_id = $1 AND contact_id = $2", tenant, from, to);
    return entries;
}

void moveHistory(Transaction& transaction, Tenant tenant, const std::vector<HistoryId>& entries, const ContactId& from, const ContactId& to)
{
    for (const auto& entry : entries)
        transaction.execute(
            "UPDATE pipeline_history SET contact_id = $4 WHERE organization_id = $1 AND history_id = $2 AND contact_id = $3", tenant, entry,
            from, to);
}

} // namespace portico::crm
