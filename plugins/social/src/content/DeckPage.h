#pragma once

#include "content/ContentItem.h"

#include <optional>
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
    bool operator==(const DeckPlace&) const = default;
};
constexpr auto schemaOf(const DeckPlace*)
{
    return describe(members<&DeckPlace::asOf, &DeckPlace::rank, &DeckPlace::scheduleOrder, &DeckPlace::createdAt, &DeckPlace::contentId>());
}

/// Rank descending, time ascending with none last, creation descending, id ascending (2.A.6).
bool comesBefore(const DeckPlace& one, const DeckPlace& other);

/// Which deck: what of a brand waits for approval at a time. Expired suggestions are left out; empty lists are all platforms or kinds.
struct DeckChoice
{
    BrandId brand;
    std::vector<Platform> platforms;
    std::vector<ContentKind> kinds;
    std::int64_t halfLifeHours = 24;
    Instant asOf{};
};

/// The whole deck, in order.
std::vector<DeckPlace> rankedDeck(Session& session, Tenant tenant, const DeckChoice& choice);
/// The places of the deck behind a place, or from its beginning: at least `count` of them, unless it has fewer. Reads no more items than
/// the ranks require. The session is a snapshot.
std::vector<DeckPlace> deckBehind(Session& session, Tenant tenant, const DeckChoice& choice, const std::optional<DeckPlace>& place,
                                  std::size_t count);

} // namespace portico::social
