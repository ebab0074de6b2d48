#pragma once

#include "content/ContentItem.h"

namespace portico::social
{

/// Rank of an item in the approval deck (2.A.6).
struct DeckRank
{
    std::int64_t rank = 0;
    double freshness = 0;
    double urgency = 0;
};

/// Returns when a text was last new: created, edited, or for a suggestion its source seen.
Instant freshAt(const ContentItem& item);
/// @param asOf cut to the minute
DeckRank deckRank(Instant freshAt, std::optional<Instant> scheduledFor, std::int64_t halfLifeHours, Instant asOf);

} // namespace portico::social
