#pragma once

#include "content/ContentItem.h"

#include <vector>

namespace portico::social
{

/// Where an item stands in the order of the deck. Also the payload of its cursor.
struct DeckPlace
{
    Instant asOf{};
    std::int64_t rank = 0;
    Instant scheduleOrder{};
    Instant createdAt{};
    ContentId contentId;
};
constexpr auto schemaOf(const DeckPlace*)
{
    return describe(members<&DeckPlace::asOf, &DeckPlace::rank, &DeckPlace::scheduleOrder, &DeckPlace::createdAt, &DeckPlace::contentId>());
}

/// Rank descending, time ascending with none last, creation descending, id ascending (2.A.6).
bool comesBefore(const DeckPlace& one, const DeckPlace& other);

/// Everything of a brand that waits for approval, in the order of the deck; expired suggestions are left out.
std::vector<DeckPlace> rankedDeck(Session& session, Tenant tenant, const BrandId& brand, const std::vector<Platform>& platforms,
                                  const std::vector<ContentKind>& kinds, std::int64_t halfLifeHours, Instant asOf);

} // namespace portico::social
