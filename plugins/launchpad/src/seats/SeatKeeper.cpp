#include "seats/SeatKeeper.h"

#include "common/IdentityEvent.h"

#include "portico/Problem.h"
#include "portico/interfaces/Directory.h"
#include "portico/interfaces/PlanAccess.h"

#include <algorithm>
#include <chrono>
#include <exception>

namespace portico::launchpad
{

namespace
{
constexpr auto reconcileJob = "billing-reconcile";
constexpr auto reconcileInterval = std::chrono::hours(24);
constexpr std::int64_t subscriptionsAtOnce = 200;

std::string limitKey(const Subscription& subscription) { return "seat_limit_reached:" + subscription.id.text(); }
} // namespace

void SeatKeeper::start()
{
    _sync.written = [this](Transaction& transaction, const Subscription& subscription) { compareWithPurchase(transaction, subscription); };
    auto& jobs = _context.jobs();
    jobs.handle(reconcileJob, [this](const Job&) { reconcile({}, false); });
    jobs.waitsForServers(reconcileJob);
    if (_settings.sells()) jobs.every(reconcileJob, reconcileInterval);
    // Identity publishes removed members and agents under this name, too.
    _context.events().subscribe("identity.membership.changed",
                                [this](const Event& event)
                                {
                                    const auto change = fromStoredJson<IdentityEvent>(event.data);
                                    if (!change.id.empty()) membersLeft(event.organizationId, change.id);
                                });
    _context.events().subscribe("identity.household.changed",
                                [this](const Event& event)
                                {
                                    const auto change = fromStoredJson<IdentityEvent>(event.data);
                                    // The event does not name the member.
                                    if (change.change == "household.member_removed") membersLeft(change.id, {});
                                });
}

bool SeatKeeper::hasRoom(Tenant organization, std::int64_t occupied)
{
    if (!_settings.enforce) return true;
    auto session = _context.database().session();
    const auto subscription = subscriptions::current(session, PlanKind::Paid, organization.text());
    return !subscription || occupied < subscription->seats;
}

bool SeatKeeper::hasLiveSubscription(std::string_view ownerId)
{
    auto session = _context.database().session();
    return subscriptions::current(session, PlanKind::Paid, ownerId).has_value();
}

bool SeatKeeper::belongs(const Owner& owner, const std::string& assigneeId) const
{
    if (owner.type == toString(OwnerType::User)) return owner.id == assigneeId;
    const auto directory = _context.services().find<interfaces::Directory>();
    if (!directory) throw Problem::unavailable("validation_unavailable", "Members cannot be checked at the moment. Try again later.");
    if (owner.isOrganization())
    {
        const auto member = directory->member(Tenant::fromStored(owner.id), assigneeId);
        return member && member->active;
    }
    return std::ranges::any_of(directory->householdsOf(assigneeId),
                               [&](const interfaces::DirectoryHousehold& each) { return each.id == owner.id; });
}

SeatAssignee SeatKeeper::requireAssignee(const Owner& owner, const WantedAssignee& assignee) const
{
    if (!belongs(owner, assignee.id)) throw Problem::invalid("assignee.id", "not_a_member", "Expected a member or an agent of the owner");
    const auto identity = _context.services().find<interfaces::PlanAccess>();
    const bool isAgent = identity && identity->isAgent(assignee.id);
    const auto type = isAgent ? SeatHolder::Agent : SeatHolder::Human;
    if (assignee.type && *assignee.type != type)
        throw Problem::invalid("assignee.type", "wrong_type", isAgent ? "The assignee is an agent" : "The assignee is a human");
    return {type, assignee.id};
}

void SeatKeeper::compareWithPurchase(Transaction& transaction, const Subscription& subscription) const
{
    if (subscription.kind != PlanKind::Paid) return;
    const auto counts = seats::countsOf(transaction, subscription);
    if (subscription.standing == SubscriptionStanding::Current && counts.used > counts.purchased)
        _effects.report(transaction, subscription.owner(), ActionKind::SeatLimitReached, "More seats are assigned than purchased",
                        std::to_string(counts.used) + " seats are assigned and " + std::to_string(counts.purchased) +
                            " are purchased. Unassign seats, or buy more.",
                        limitKey(subscription));
    else
        _effects.close(transaction, subscription.owner(), limitKey(subscription), "The assigned seats are within the purchased ones.");
}

void SeatKeeper::membersLeft(const std::string& ownerId, const std::string& userId) const
{
    if (ownerId.empty()) return;
    _context.database().transact(
        [&](Transaction& transaction)
        {
            subscriptions::lockOwner(transaction, ownerId);
            const auto subscription = subscriptions::current(transaction, PlanKind::Paid, ownerId);
            if (!subscription) return;
            for (const auto& seat : seats::ofSubscription(transaction, subscription->id.text()))
                // The member may have come back before the event.
                if ((userId.empty() || seat.assigneeId == userId) && !belongs(subscription->owner(), seat.assigneeId))
                    seats::free(transaction, seat.id.text());
            compareWithPurchase(transaction, *subscription);
        });
}

Reconciliation SeatKeeper::reconcile(const Owner& owner, bool dryRun) const
{
    Reconciliation result;
    std::string last;
    for (;;)
    {
        std::vector<std::string> ids;
        {
            auto session = _context.database().session();
            ids = session.values<std::string>("SELECT id FROM subscription WHERE standing = 'current' AND owner_id <> '' AND id > $1 "
                                              "AND ($2 = '' OR owner_id = $2) ORDER BY id LIMIT $3",
                                              last, owner.id, subscriptionsAtOnce);
        }
        if (ids.empty()) return result;
        for (const auto& id : ids) try
            {
                reconcileOne(result, id, dryRun);
            }
            catch (const std::exception& error)
            {
                _context.logger().warning("A subscription could not be reconciled", {{"subscription", id}, {"error", error.what()}});
                result.errors.push_back({id, "reconciliation_failed"});
            }
        last = ids.back();
    }
}

void SeatKeeper::reconcileOne(Reconciliation& result, const std::string& subscriptionId, bool dryRun) const
{
    std::optional<Subscription> row;
    std::vector<Seat> assigned;
    bool knownLimit = false;
    {
        auto session = _context.database().session();
        row = subscriptions::find(session, PlanKind::Paid, subscriptionId);
        assigned = seats::ofSubscription(session, subscriptionId);
        knownLimit = row && _effects.isOpen(session, row->owner(), limitKey(*row));
    }
    if (!row || row->standing != SubscriptionStanding::Current) return;
    ++result.checked;
    auto quantity = row->seats;
    const auto correct = [&](std::string action, std::int64_t used) {
        result.corrected.push_back({subscriptionId, quantity, used, quantity, std::move(action)});
    };
    if (row->processor == ProcessorKind::Stripe)
    {
        const auto answer = _api.subscription(row->processorSubscriptionId);
        const auto object = answer.done() ? readSubscription(answer.body) : std::nullopt;
        if (!object)
        {
            result.errors.push_back(
                {subscriptionId, answer.outcome == ProcessorAnswer::Outcome::NotFound ? "not_found" : "processor_unavailable"});
            return;
        }
        quantity = object->quantity;
        if (quantity != row->seats || statusOf(object->status) != row->status)
        {
            correct("seats_updated", static_cast<std::int64_t>(assigned.size()));
            if (!dryRun && !_sync.refresh(row->processorSubscriptionId)) result.errors.push_back({subscriptionId, "processor_unavailable"});
        }
    }
    std::vector<Seat> former;
    for (const auto& seat : assigned)
        if (!belongs(row->owner(), seat.assigneeId)) former.push_back(seat);
    auto used = static_cast<std::int64_t>(assigned.size());
    for (std::size_t i = 0; i < former.size(); ++i) correct("seat_freed", --used);
    const bool over = used > quantity;
    if (!dryRun)
        _context.database().transact(
            [&](Transaction& transaction)
            {
                subscriptions::lockOwner(transaction, row->ownerId);
                for (const auto& seat : former) seats::free(transaction, seat.id.text());
                const auto last = subscriptions::find(transaction, PlanKind::Paid, subscriptionId).value();
                compareWithPurchase(transaction, last);
            });
    if (over && !knownLimit) correct("over_limit", used);
}

} // namespace portico::launchpad
