#pragma once

#include "pipelines/CardRow.h"

#include "portico/Tenant.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Cards and history that a merge has taken from its sources, as JSON in the merge's record.
struct MergedCards
{
    /// Pipelines on which the target had a card before.
    std::vector<PipelineId> kept;
    /// Cards of the sources, in the order of the sources.
    std::vector<CardRow> cards;
    /// History ids by source.
    std::map<std::string, std::vector<HistoryId>> history;
};

constexpr auto schemaOf(const MergedCards*) { return describe(members<&MergedCards::kept, &MergedCards::cards, &MergedCards::history>()); }

// Cards and history of contacts that are merged. The caller locks all these contacts, and writes the history of the merge. The functions
// below write no history entries and no events.

/// Moves the sources' cards and history to the target. If several contacts have a card on a board, the target's wins, else that of the
/// first source.
MergedCards reassignCards(Transaction& transaction, Tenant tenant, const ContactId& target, const std::vector<ContactId>& sources);
/// Reverts this after the sources were restored, if pipelines and stages still exist. A moved card returns from its current place. A card
/// that was removed returns to its former place, or behind the card that has this place now.
void restoreCards(Transaction& transaction, Tenant tenant, const ContactId& target, const MergedCards& merged);

} // namespace portico::crm
