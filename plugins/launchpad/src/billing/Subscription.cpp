#include "billing/Subscription.h"

#include <algorithm>
#include <tuple>

namespace portico::launchpad
{

void Subscription::setStamp(const EventStamp& stamp)
{
    eventClass = stamp.kind;
    eventSeconds = stamp.seconds;
    eventRank = stamp.rank;
    eventId = stamp.id;
}

namespace subscriptions
{

namespace
{
constexpr PlanKind bothKinds[] = {PlanKind::Paid, PlanKind::FreeWorkspace};

std::string selectFrom(PlanKind kind, std::string_view condition)
{
    return "SELECT " + columns<Subscription>() + " FROM " + std::string(tableOf(kind)) + ' ' + std::string(condition);
}
} // namespace

std::string_view tableOf(PlanKind kind) { return kind == PlanKind::Paid ? "subscription" : "free_workspace_subscription"; }

std::optional<Subscription> find(Session& session, PlanKind kind, std::string_view id)
{
    return session.one<Subscription>(selectFrom(kind, "WHERE id = $1"), id);
}

std::optional<Subscription> findByProcessorId(Session& session, std::string_view processorSubscriptionId)
{
    for (const auto kind : bothKinds)
        if (auto found = session.one<Subscription>(selectFrom(kind, "WHERE processor_subscription_id = $1"), processorSubscriptionId))
            return found;
    return std::nullopt;
}

std::optional<Subscription> current(Session& session, PlanKind kind, std::string_view ownerId)
{
    if (ownerId.empty()) return std::nullopt;
    return session.one<Subscription>(selectFrom(kind, "WHERE owner_id = $1 AND standing = 'current'"), ownerId);
}

std::vector<Subscription> ofOwner(Session& session, PlanKind kind, std::string_view ownerId)
{
    return session.all<Subscription>(selectFrom(kind, "WHERE owner_id = $1 AND owner_id <> '' ORDER BY id DESC"), ownerId);
}

std::vector<std::string> manualPeriodsOver(Session& session, Instant now, std::int64_t limit)
{
    auto over = session.values<std::string>("SELECT processor_subscription_id FROM subscription WHERE processor = 'manual' AND "
                                            "status = 'active' AND period_end <= $1 LIMIT $2",
                                            now, limit);
    for (auto& id : session.values<std::string>("SELECT processor_subscription_id FROM free_workspace_subscription WHERE "
                                                "processor = 'manual' AND status = 'active' AND period_end <= $1 LIMIT $2",
                                                now, limit))
        over.push_back(std::move(id));
    return over;
}

void save(Transaction& transaction, Subscription& subscription, Instant now)
{
    subscription.updatedAt = now;
    if (subscription.id.empty())
    {
        subscription.id = SubscriptionId::make(now);
        subscription.createdAt = now;
        subscription.version = 1;
        transaction.insert(tableOf(subscription.kind), subscription, {});
        return;
    }
    const auto before = subscription.version++;
    if (transaction.update(tableOf(subscription.kind), subscription, {}, {"id", "version"}, subscription.id, before) == 0)
        throw DatabaseError(DatabaseError::Kind::Serialization, "40001", {}, "the subscription was changed by another writer");
}

void lockOwner(Transaction& transaction, std::string_view ownerId)
{
    if (ownerId.empty()) return;
    transaction.execute("INSERT INTO billing_owner (owner_id, changes) VALUES ($1, 1) "
                        "ON CONFLICT (owner_id) DO UPDATE SET changes = billing_owner.changes + 1",
                        ownerId);
}

std::vector<Subscription> elect(Transaction& transaction, PlanKind kind, std::string_view ownerId, Instant now)
{
    std::vector<Subscription> surplus;
    if (ownerId.empty()) return surplus;
    auto rows = ofOwner(transaction, kind, ownerId);
    std::ranges::sort(rows, {}, [](const Subscription& row) { return std::tuple(row.startedAt, row.processorSubscriptionId); });
    bool chosen = false;
    std::vector<SubscriptionStanding> wanted;
    for (const auto& row : rows)
    {
        auto standing = row.status == SubscriptionStatus::Incomplete ? SubscriptionStanding::Pending : SubscriptionStanding::Ended;
        if (row.isLive()) standing = std::exchange(chosen, true) ? SubscriptionStanding::Surplus : SubscriptionStanding::Current;
        wanted.push_back(standing);
    }
    // The unique index allows one current row at any moment, so the old one steps down first.
    for (const bool promoting : {false, true})
        for (std::size_t i = 0; i < rows.size(); ++i)
        {
            if (rows[i].standing == wanted[i] || (wanted[i] == SubscriptionStanding::Current) != promoting) continue;
            rows[i].standing = wanted[i];
            save(transaction, rows[i], now);
            if (wanted[i] == SubscriptionStanding::Surplus) surplus.push_back(rows[i]);
        }
    return surplus;
}

} // namespace subscriptions

} // namespace portico::launchpad
