#include "seats/Seat.h"

#include "portico/Problem.h"
#include "portico/Select.h"

namespace portico::launchpad::seats
{

namespace
{
std::string selectWhere(std::string_view condition) { return "SELECT " + columns<Seat>() + " FROM seat WHERE " + std::string(condition); }
} // namespace

std::optional<Seat> find(Session& session, std::string_view id) { return session.one<Seat>(selectWhere("id = $1"), id); }

std::vector<Seat> ofSubscription(Session& session, std::string_view subscriptionId)
{
    return session.all<Seat>(selectWhere("subscription_id = $1 ORDER BY place"), subscriptionId);
}

Page<Seat> pageOf(Session& session, std::string_view subscriptionId, const Paging& paging)
{
    const std::int64_t last = paging.cursor.empty() ? -1 : std::stoll(paging.cursor);
    auto page = portico::pageOf(session.all<Seat>(selectWhere("subscription_id = $1 AND place > $2 ORDER BY place LIMIT $3"),
                                                  subscriptionId, last, paging.limit + 1),
                                paging, &Seat::place);
    if (paging.includeTotal)
        page.total = session.value<std::int64_t>("SELECT count(*) FROM seat WHERE subscription_id = $1", subscriptionId);
    return page;
}

std::vector<Seat> ofPerson(Session& session, std::string_view userId)
{
    return session.all<Seat>(selectWhere("assignee_id = $1 ORDER BY id"), userId);
}

SeatCounts countsOf(Session& session, const Subscription& subscription)
{
    SeatCounts counts;
    counts.purchased = subscription.seats;
    for (const Row row :
         session.query("SELECT assignee_type, count(*) FROM seat WHERE subscription_id = $1 GROUP BY assignee_type", subscription.id))
    {
        auto& kind = row.text(0) == toString(SeatHolder::Agent) ? counts.agents : counts.humans;
        kind = row.get<std::int64_t>(1);
    }
    counts.used = counts.humans + counts.agents;
    return counts;
}

Seat assign(Transaction& transaction, const Subscription& subscription, SeatAssignee assignee, std::string_view by, Instant now)
{
    const auto taken = ofSubscription(transaction, subscription.id.text());
    Seat seat;
    for (const auto& each : taken)
    {
        if (each.assigneeId == assignee.id) throw Problem::conflict("already_seated", "The assignee has a seat.");
        if (each.place == seat.place) ++seat.place;
    }
    // After a purchase of fewer seats, more may be used than there are places.
    if (seat.place >= subscription.seats || static_cast<std::int64_t>(taken.size()) >= subscription.seats)
        throw Problem::conflict("seat_limit_reached", "All purchased seats are assigned. Buy more seats, or unassign one.");
    seat.id = SeatId::make(now);
    seat.subscriptionId = subscription.id.text();
    seat.assigneeType = assignee.type;
    seat.assigneeId = std::move(assignee.id);
    seat.assignedBy = by;
    seat.assignedAt = now;
    transaction.insert("seat", seat, {});
    return seat;
}

bool free(Transaction& transaction, std::string_view id) { return transaction.execute("DELETE FROM seat WHERE id = $1", id) > 0; }

} // namespace portico::launchpad::seats
