#include "merges/ContactTransfer.h"

#include "portico/Json.h"

#include <set>

namespace portico::crm
{

namespace
{

void countNotes(Transaction& transaction, Tenant tenant, const ContactId& id)
{
    transaction.execute("UPDATE contact SET note_count = (SELECT count(*) FROM note n WHERE n.organization_id = $1 AND n.contact_id = $2) "
                        "WHERE organization_id = $1 AND id = $2",
                        tenant, id);
}

std::vector<NoteId> reassignNotes(Transaction& transaction, Tenant tenant, const ContactId& from, const ContactId& to)
{
    auto notes = transaction.values<NoteId>("SELECT note_id FROM note WHERE organization_id = $1 AND contact_id = $2", tenant, from);
    transaction.execute("UPDATE note SET contact_id = $3, version = version + 1 WHERE organization_id = $1 AND contact_id = $2", tenant,
                        from, to);
    return notes;
}

/// Moves notes back, except those that were deleted since.
void restoreNotes(Transaction& transaction, const Transfer& transfer, const ContactId& source, const std::vector<NoteId>& notes)
{
    for (const auto& id : notes)
        transaction.execute("UPDATE note SET contact_id = $4, version = version + 1 "
                            "WHERE organization_id = $1 AND note_id = $2 AND contact_id = $3",
                            transfer.tenant, id, transfer.target, source);
    countNotes(transaction, transfer.tenant, source);
}

} // namespace

void lockForTransfer(Transaction& transaction, Tenant tenant, const std::vector<ContactId>& contacts)
{
    std::set<PipelineId> pipelines;
    for (const auto& card : cardTable.select(tenant).whereIn(&CardRow::contactId, contacts).all(transaction))
        pipelines.insert(card.pipelineId);
    for (const auto& id : pipelines) pipelineTable.findForUpdate(transaction, tenant, id);
}

Transferred reassignAll(Transaction& transaction, const Transfer& transfer, std::vector<LeftOutValue>& leftOut)
{
    const auto& [tenant, target, sources, now] = transfer;
    Transferred moved;
    for (const auto& source : sources)
    {
        moved.notes[source.text()] = reassignNotes(transaction, tenant, source, target);
        moved.attachments[source.text()] = reassignAttachments(transaction, tenant, source, target, now);
    }
    countNotes(transaction, tenant, target);
    moved.cards = reassignCards(transaction, tenant, target, sources);
    std::set<PipelineId> taken(moved.cards.kept.begin(), moved.cards.kept.end());
    for (const auto& card : moved.cards.cards)
        if (!taken.insert(card.pipelineId).second)
            leftOut.push_back({"pipelines", card.contactId, {toJson(card)}, LeftOutReason::OtherValue});
    return moved;
}

void restoreAll(Transaction& transaction, const Transfer& transfer, const Transferred& moved)
{
    const auto& [tenant, target, sources, now] = transfer;
    for (const auto& source : sources)
    {
        if (const auto notes = moved.notes.find(source.text()); notes != moved.notes.end())
            restoreNotes(transaction, transfer, source, notes->second);
        if (const auto attachments = moved.attachments.find(source.text()); attachments != moved.attachments.end())
            moveAttachments(transaction, tenant, attachments->second, target, source, now);
    }
    countNotes(transaction, tenant, target);
    restoreCards(transaction, tenant, target, moved.cards);
}

} // namespace portico::crm
