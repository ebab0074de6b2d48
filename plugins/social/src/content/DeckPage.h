#pragma once

#include "content/ContentItem.h"

#include <optional>
#include <vector>

namespace portico::social
{

/// Position of an item in the deck's order. Also the payload of its cursor.
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

/// Selects a deck: items of a brand that wait for approval at a time. Expired suggestions are left out. Empty lists mean all platforms or
/// kinds.
struct DeckChoice
{
    BrandId brand;
    std::vector<Platform> platforms;
    std::vector<ContentKind> kinds;
    std::int64_t halfLifeHours = 24;
    Instant asOf{};
};

/// Returns the whole deck, in order.
std::vector<DeckPlace> rankedDeck(Session& session, Tenant tenant, const DeckChoice& choice);
/// Returns the positions of the deck after one, or from its beginning: at least `count`, unless the deck has fewer. Reads no more items
/// than the ranks require. The session must be a snapshot.
std::vector<DeckPlace> deckBehind(Session& session, Tenant tenant, const DeckChoice& choice, const std::optional<DeckPlace>& place,
                                  std::size_t count);

} // namespace portico::social
