#include "pipelines/CardMerge.h"

#include "pipelines/OrderKey.h"
#include "records/HistoryEntry.h"

#include <set>

namespace portico::crm
{

namespace
{

void putBack(Transaction& transaction, Tenant tenant, CardRow card)
{
    const auto pipeline = pipelineTable.findForUpdate(transaction, tenant, card.pipelineId);
    const auto* stage = pipeline ? pipeline->stage(card.stageId) : nullptr;
    if (!stage) return;
    if (isTaken(transaction, tenant, card))
        card.position = keyBetween(card.position, positionAfter(transaction, tenant, card, card.position));
    card.hidden = false;
    card.staleAt = staleFrom(*stage, card.since);
    cardTable.insert(transaction, tenant, card);
}

} // namespace

MergedCards reassignCards(Transaction& transaction, Tenant tenant, const ContactId& target, const std::vector<ContactId>& sources)
{
    MergedCards merged;
    std::set<PipelineId> taken;
    for (const auto& card : cardsOfContact(transaction, tenant, target))
    {
        merged.kept.push_back(card.pipelineId);
        taken.insert(card.pipelineId);
    }
    for (const auto& source : sources)
    {
        for (auto& card : cardsOfContact(transaction, tenant, source))
        {
            if (taken.insert(card.pipelineId).second)
                reassignCard(transaction, tenant, card, target);
            else
                cardTable.erase(transaction, tenant, card.pipelineId, source);
            merged.cards.push_back(std::move(card));
        }
        merged.history[source.text()] = reassignHistory(transaction, tenant, source, target);
        writePlaces(transaction, tenant, source);
    }
    writePlaces(transaction, tenant, target);
    return merged;
}

void restoreCards(Transaction& transaction, Tenant tenant, const ContactId& target, const MergedCards& merged)
{
    std::set<PipelineId> settled(merged.kept.begin(), merged.kept.end());
    std::set<ContactId> sources;
    for (const auto& [source, entries] : merged.history)
        if (const auto id = ContactId::parse(source))
        {
            moveHistory(transaction, tenant, entries, target, *id);
            sources.insert(*id);
        }
    for (const auto& card : merged.cards)
    {
        const bool got = settled.insert(card.pipelineId).second;
        const auto current = got ? cardTable.find(transaction, tenant, card.pipelineId, target) : std::nullopt;
        if (current)
            reassignCard(transaction, tenant, *current, card.contactId);
        else
            putBack(transaction, tenant, card);
    }
    sources.insert(target);
    for (const auto& contact : sources) writePlaces(transaction, tenant, contact);
}

} // namespace portico::crm
