#include "content/DeckPage.h"

#include "content/Deck.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace portico::social
{

namespace
{
constexpr std::string_view readPending =
    "SELECT id, kind, platform, created_at, last_edited_at, source_observed_at, scheduled_for, expires_at FROM content_item "
    "WHERE organization_id = $1 AND brand_id = $2 AND queue_state = 'pending' ";
/// `freshAt`, as the index of migration 12 has it.
constexpr std::string_view newestFirst =
    "ORDER BY CASE WHEN kind = 'suggestion' AND source_observed_at > created_at AND source_observed_at > coalesce(last_edited_at, "
    "created_at) THEN source_observed_at WHEN last_edited_at > created_at THEN last_edited_at ELSE created_at END DESC LIMIT $3";
constexpr std::string_view soonestFirst = "AND queue_state <> '' ORDER BY schedule_order LIMIT $3";

/// The instants from which an item's rank follows.
struct RankTimes
{
    Instant freshAt{};
    std::optional<Instant> scheduledFor;
};

class DeckReader
{
public:
    DeckReader(Session& session, Tenant tenant, const DeckChoice& choice) : _session(session), _tenant(tenant), _choice(choice) {}

    void readAll()
    {
        static_cast<void>(take(std::string(readPending) + "AND queue_state <> ''", {SqlValue(_tenant), SqlValue(_choice.brand)}));
    }
    /// Reads the items that are newest and those that are due soonest.
    /// @return the highest rank of an item that was not read; empty: all were
    std::optional<std::int64_t> readFirst(std::int64_t count)
    {
        const auto newest =
            take(std::string(readPending).append(newestFirst), {SqlValue(_tenant), SqlValue(_choice.brand), SqlValue(count)});
        if (newest.count < count) return std::nullopt;
        const auto soonest =
            take(std::string(readPending).append(soonestFirst), {SqlValue(_tenant), SqlValue(_choice.brand), SqlValue(count)});
        if (soonest.count < count) return std::nullopt;
        return deckRank(newest.last.freshAt, soonest.last.scheduledFor, _choice.halfLifeHours, _choice.asOf).rank;
    }
    std::vector<DeckPlace> inOrder() const
    {
        std::vector<DeckPlace> deck;
        deck.reserve(_places.size());
        for (const auto& [id, place] : _places) deck.push_back(place);
        std::ranges::sort(deck, comesBefore);
        return deck;
    }

private:
    struct Taken
    {
        std::int64_t count = 0;
        RankTimes last;
    };

    static bool isWanted(const auto& list, auto value) { return list.empty() || std::ranges::find(list, value) != list.end(); }
    Taken take(const std::string& sql, const std::vector<SqlValue>& values)
    {
        Taken taken;
        for (const auto& row : _session.queryValues(sql, values))
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
            ++taken.count;
            taken.last = {freshAt(item), item.scheduledFor};
            if (!isWanted(_choice.platforms, item.platform) || !isWanted(_choice.kinds, item.kind)) continue;
            if (item.kind == ContentKind::Suggestion && expiresAt && *expiresAt <= _choice.asOf) continue;
            const auto rank = deckRank(taken.last.freshAt, item.scheduledFor, _choice.halfLifeHours, _choice.asOf);
            const DeckPlace place{_choice.asOf, rank.rank, item.scheduledFor.value_or(withoutTime), item.createdAt, item.contentId};
            _places.emplace(item.contentId, place);
        }
        return taken;
    }

    Session& _session;
    const Tenant _tenant;
    const DeckChoice& _choice;
    std::map<ContentId, DeckPlace> _places;
};

void dropUpTo(std::vector<DeckPlace>& deck, const std::optional<DeckPlace>& place)
{
    if (place) deck.erase(deck.begin(), std::ranges::upper_bound(deck, *place, comesBefore));
}
} // namespace

bool comesBefore(const DeckPlace& one, const DeckPlace& other)
{
    return std::tie(other.rank, one.scheduleOrder, other.createdAt, one.contentId) <
           std::tie(one.rank, other.scheduleOrder, one.createdAt, other.contentId);
}

std::vector<DeckPlace> rankedDeck(Session& session, Tenant tenant, const DeckChoice& choice)
{
    DeckReader reader(session, tenant, choice);
    reader.readAll();
    return reader.inOrder();
}

std::vector<DeckPlace> deckBehind(Session& session, Tenant tenant, const DeckChoice& choice, const std::optional<DeckPlace>& place,
                                  std::size_t count)
{
    // An item that was not read is older than the oldest newest one and due later than the last soonest one, so its rank is at most theirs.
    for (const auto most : {4 * count, 32 * count})
    {
        DeckReader reader(session, tenant, choice);
        const auto highest = reader.readFirst(static_cast<std::int64_t>(most));
        auto deck = reader.inOrder();
        // One rank more, because the ranks are rounded.
        if (highest) std::erase_if(deck, [&](const DeckPlace& each) { return each.rank <= *highest + 1; });
        dropUpTo(deck, place);
        if (!highest || deck.size() >= count) return deck;
    }
    auto deck = rankedDeck(session, tenant, choice);
    dropUpTo(deck, place);
    return deck;
}

} // namespace portico::social
