#include "content/DeckPage.h"

#include "content/Deck.h"

#include <algorithm>
#include <tuple>

namespace portico::social
{

bool comesBefore(const DeckPlace& one, const DeckPlace& other)
{
    return std::tie(other.rank, one.scheduleOrder, other.createdAt, one.contentId) <
           std::tie(one.rank, other.scheduleOrder, one.createdAt, other.contentId);
}

std::vector<DeckPlace> rankedDeck(Session& session, Tenant tenant, const BrandId& brand, const std::vector<Platform>& platforms,
                                  const std::vector<ContentKind>& kinds, std::int64_t halfLifeHours, Instant asOf)
{
    const auto wanted = [](const auto& list, auto value) { return list.empty() || std::ranges::find(list, value) != list.end(); };
    std::vector<DeckPlace> deck;
    for (const auto& row : session.query(
             "SELECT id, kind, platform, created_at, last_edited_at, source_observed_at, scheduled_for, expires_at FROM content_item "
             "WHERE organization_id = $1 AND brand_id = $2 AND queue_state = 'pending' AND queue_state <> ''",
             tenant, brand))
    {
        ContentItem item;
        item.contentId = row.get<ContentId>(0);
        item.kind = *parseEnum<ContentKind>(row.text(1));
        item.platform = *parseEnum<Platform>(row.text(2));
        item.createdAt = row.get<Instant>(3);
        item.lastEditedAt = row.get<std::optional<Instant>>(4);
        item.sourceObservedAt = row.get<std::optional<Instant>>(5);
        item.scheduledFor = row.get<std::optional<Instant>>(6);
        const auto expiresAt = row.get<std::optional<Instant>>(7);
        if (!wanted(platforms, item.platform) || !wanted(kinds, item.kind)) continue;
        if (item.kind == ContentKind::Suggestion && expiresAt && *expiresAt <= asOf) continue;
        const auto rank = deckRank(freshAt(item), item.scheduledFor, halfLifeHours, asOf);
        deck.push_back({asOf, rank.rank, item.scheduledFor.value_or(withoutTime), item.createdAt, item.contentId});
    }
    std::ranges::sort(deck, comesBefore);
    return deck;
}

} // namespace portico::social
