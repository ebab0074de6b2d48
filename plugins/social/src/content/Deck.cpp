#include "content/Deck.h"

#include <algorithm>
#include <cmath>

namespace portico::social
{

namespace
{
double hoursBetween(Instant from, Instant to) { return std::chrono::duration<double, std::ratio<3600>>(to - from).count(); }
} // namespace

Instant freshAt(const ContentItem& item)
{
    auto fresh = std::max(item.createdAt, item.lastEditedAt.value_or(item.createdAt));
    if (item.kind == ContentKind::Suggestion && item.sourceObservedAt) fresh = std::max(fresh, *item.sourceObservedAt);
    return fresh;
}

DeckRank deckRank(Instant freshAt, std::optional<Instant> scheduledFor, std::int64_t halfLifeHours, Instant asOf)
{
    DeckRank found;
    found.freshness = std::clamp(std::exp2(-hoursBetween(freshAt, asOf) / static_cast<double>(halfLifeHours)), 0.0, 1.0);
    if (scheduledFor) found.urgency = std::clamp(1 - hoursBetween(asOf, *scheduledFor) / 48, 0.0, 1.0);
    found.rank = std::llround(1000 * (0.7 * found.freshness + 0.3 * found.urgency));
    return found;
}

} // namespace portico::social
