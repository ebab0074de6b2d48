#include "pipelines/CardMerge.h"

#include "pipelines/OrderKey.h"

#include <set>

namespace portico::crm
{

CardMerge::CardMerge(const PipelineStore& pipelines, const CardStore& cards, const HistoryStore& history)
    : _pipelines(pipelines), _cards(cards), _history(history)
{
}

MergedCards CardMerge::reassign(Transaction& transaction, std::string_view organizationId, const ContactId& target,
                                const std::vector<ContactId>& sources) const
{
    MergedCards merged;
    std::set<PipelineId> taken;
    for (const auto& card : _cards.ofContact(transaction, organizationId, target))
    {
        merged.kept.push_back(card.pipelineId);
        taken.insert(card.pipelineId);
    }
    for (const auto& source : sources)
    {
        for (auto& card : _cards.ofContact(transaction, organizationId, source))
        {
            if (taken.insert(card.pipelineId).second)
                _cards.give(transaction, organizationId, card, target);
            else
                _cards.erase(transaction, organizationId, card.pipelineId, source);
            merged.cards.push_back(std::move(card));
        }
        merged.history[source.text()] = _history.give(transaction, organizationId, source, target);
        _cards.writePlaces(transaction, organizationId, source);
    }
    _cards.writePlaces(transaction, organizationId, target);
    return merged;
}

void CardMerge::giveBack(Transaction& transaction, std::string_view organizationId, const ContactId& target,
                         const MergedCards& merged) const
{
    std::set<PipelineId> settled(merged.kept.begin(), merged.kept.end());
    std::set<ContactId> sources;
    for (const auto& [source, entries] : merged.history)
        if (const auto id = ContactId::parse(source))
        {
            _history.giveBack(transaction, organizationId, target, *id, entries);
            sources.insert(*id);
        }
    for (const auto& card : merged.cards)
    {
        const bool got = settled.insert(card.pipelineId).second;
        const auto current = got ? _cards.find(transaction, organizationId, card.pipelineId, target) : std::nullopt;
        if (current)
            _cards.give(transaction, organizationId, *current, card.contactId);
        else
            putBack(transaction, organizationId, card);
    }
    sources.insert(target);
    for (const auto& contact : sources) _cards.writePlaces(transaction, organizationId, contact);
}

void CardMerge::putBack(Transaction& transaction, std::string_view organizationId, CardRow card) const
{
    const auto pipeline = _pipelines.lock(transaction, organizationId, card.pipelineId);
    const auto* stage = pipeline ? pipeline->stage(card.stageId) : nullptr;
    if (!stage) return;
    card.position = keyBetween(_cards.positionBefore(transaction, organizationId, card, {}), {});
    card.hidden = false;
    card.staleAt = staleFrom(*stage, card.since);
    _cards.insert(transaction, organizationId, card);
}

} // namespace portico::crm
