#include "pipelines/CardMerge.h"

#include "pipelines/OrderKey.h"

#include <set>

namespace portico::crm
{

CardMerge::CardMerge(const PipelineStore& pipelines, const CardStore& cards, const HistoryStore& history)
    : _pipelines(pipelines), _cards(cards), _history(history)
{
}

MergedCards CardMerge::reassign(Transaction& transaction, Tenant tenant, const ContactId& target,
                                const std::vector<ContactId>& sources) const
{
    MergedCards merged;
    std::set<PipelineId> taken;
    for (const auto& card : _cards.ofContact(transaction, tenant, target))
    {
        merged.kept.push_back(card.pipelineId);
        taken.insert(card.pipelineId);
    }
    for (const auto& source : sources)
    {
        for (auto& card : _cards.ofContact(transaction, tenant, source))
        {
            if (taken.insert(card.pipelineId).second)
                _cards.give(transaction, tenant, card, target);
            else
                _cards.erase(transaction, tenant, card.pipelineId, source);
            merged.cards.push_back(std::move(card));
        }
        merged.history[source.text()] = _history.give(transaction, tenant, source, target);
        _cards.writePlaces(transaction, tenant, source);
    }
    _cards.writePlaces(transaction, tenant, target);
    return merged;
}

void CardMerge::giveBack(Transaction& transaction, Tenant tenant, const ContactId& target, const MergedCards& merged) const
{
    std::set<PipelineId> settled(merged.kept.begin(), merged.kept.end());
    std::set<ContactId> sources;
    for (const auto& [source, entries] : merged.history)
        if (const auto id = ContactId::parse(source))
        {
            _history.giveBack(transaction, tenant, target, *id, entries);
            sources.insert(*id);
        }
    for (const auto& card : merged.cards)
    {
        const bool got = settled.insert(card.pipelineId).second;
        const auto current = got ? _cards.find(transaction, tenant, card.pipelineId, target) : std::nullopt;
        if (current)
            _cards.give(transaction, tenant, *current, card.contactId);
        else
            putBack(transaction, tenant, card);
    }
    sources.insert(target);
    for (const auto& contact : sources) _cards.writePlaces(transaction, tenant, contact);
}

void CardMerge::putBack(Transaction& transaction, Tenant tenant, CardRow card) const
{
    const auto pipeline = _pipelines.lock(transaction, tenant, card.pipelineId);
    const auto* stage = pipeline ? pipeline->stage(card.stageId) : nullptr;
    if (!stage) return;
    card.position = keyBetween(_cards.positionBefore(transaction, tenant, card, {}), {});
    card.hidden = false;
    card.staleAt = staleFrom(*stage, card.since);
    _cards.insert(transaction, tenant, card);
}

} // namespace portico::crm
