#pragma once

#include "pipelines/CardRow.h"

#include "portico/Tenant.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// What a merge took from its sources, so that it can be given back: JSON for the record of the merge.
struct MergedCards
{
    /// Pipelines on which the target had a card of its own.
    std::vector<PipelineId> kept;
    /// The cards that the sources had, in the order of the sources.
    std::vector<CardRow> cards;
    /// Source to its history.
    std::map<std::string, std::vector<HistoryId>> history;
};

constexpr auto schemaOf(const MergedCards*) { return describe(members<&MergedCards::kept, &MergedCards::cards, &MergedCards::history>()); }

// Cards and history of contacts that become one. The caller holds the locks of all these contacts, and writes the history of the merge
// itself: none of this makes a history entry or an event.

/// Gives the sources' cards and history to the target. On a board where several of them are, the target's own card wins, else that of the
/// first source.
MergedCards reassignCards(Transaction& transaction, Tenant tenant, const ContactId& target, const std::vector<ContactId>& sources);
/// Undoes that, once the sources are there again, as far as pipelines and stages still exist: a card that the target got goes back from
/// where it stands now, one that gave way is put at the end of the stage where it was.
void restoreCards(Transaction& transaction, Tenant tenant, const ContactId& target, const MergedCards& merged);

} // namespace portico::crm
