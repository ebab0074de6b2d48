#pragma once

#include "billing/BillingSettings.h"
#include "billing/Owner.h"
#include "plans/Package.h"

#include "portico/Database.h"
#include "portico/Json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

enum class PlanKind : std::uint8_t
{
    Paid,
    FreeWorkspace
};

constexpr auto schemaOf(const PlanKind*)
{
    return portico::choices<PlanKind>({{"paid", PlanKind::Paid}, {"free_workspace", PlanKind::FreeWorkspace}});
}

enum class SubscriptionStatus : std::uint8_t
{
    Incomplete,
    Trialing,
    Active,
    PastDue,
    Unpaid,
    Paused,
    Canceled
};

constexpr auto schemaOf(const SubscriptionStatus*)
{
    using enum SubscriptionStatus;
    return portico::choices<SubscriptionStatus>({{"incomplete", Incomplete},
                                                 {"trialing", Trialing},
                                                 {"active", Active},
                                                 {"past_due", PastDue},
                                                 {"unpaid", Unpaid},
                                                 {"paused", Paused},
                                                 {"canceled", Canceled}});
}

/// Place of a subscription among those of its owner.
enum class SubscriptionStanding : std::uint8_t
{
    Pending, ///< not paid yet
    Current, ///< the one live subscription of the owner
    Surplus, ///< live beside the current one, and about to be canceled
    Ended
};

constexpr auto schemaOf(const SubscriptionStanding*)
{
    using enum SubscriptionStanding;
    return portico::choices<SubscriptionStanding>({{"pending", Pending}, {"current", Current}, {"surplus", Surplus}, {"ended", Ended}});
}

/// Place of an event in the order of all events of one subscription. The greatest decides about the row.
struct EventStamp
{
    /// 0: nothing. 1: an invoice. 2: the subscription.
    std::int64_t kind = 0;
    std::int64_t seconds = 0;
    /// Order of the types within a second.
    std::int64_t rank = 0;
    std::string id;

    auto operator<=>(const EventStamp&) const = default;
};

/// A purchase: plan, owner, apps, seats and price.
struct PlanChoice
{
    PlanKind kind = PlanKind::Paid;
    std::string ownerType;
    std::string ownerId;
    Package package = Package::Three;
    std::vector<std::string> selectedServiceIds;
    std::int64_t seats = 1;
    std::int64_t amountPerSeat = 0;
    std::string currency;
    BillingInterval interval = BillingInterval::Month;

    Owner owner() const { return {ownerType, ownerId}; }
};

/// A row of `subscription` or `free_workspace_subscription`.
struct Subscription : Versioned, PlanChoice
{
    SubscriptionId id;
    SubscriptionStatus status = SubscriptionStatus::Incomplete;
    SubscriptionStanding standing = SubscriptionStanding::Pending;
    ProcessorKind processor = ProcessorKind::Manual;
    std::string processorSubscriptionId;
    std::string processorStatus;
    std::int64_t processorVersion = 0;
    std::string customerId;
    std::string itemId;
    std::int64_t startedAt = 0;
    std::optional<Instant> periodStart;
    std::optional<Instant> periodEnd;
    bool cancelAtPeriodEnd = false;
    std::optional<Instant> pastDueSince;
    bool paymentFailing = false;
    bool livemode = false;
    std::string checkoutId;
    std::int64_t eventClass = 0;
    std::int64_t eventSeconds = 0;
    std::int64_t eventRank = 0;
    std::string eventId;
    std::int64_t readSeconds = 0;

    EventStamp stamp() const { return {eventClass, eventSeconds, eventRank, eventId}; }
    void setStamp(const EventStamp& stamp);
    /// True while it is trialing, active, past due, unpaid or paused.
    bool isLive() const noexcept { return status != SubscriptionStatus::Incomplete && status != SubscriptionStatus::Canceled; }
};

constexpr auto schemaOf(const Subscription*)
{
    return describe(
        members<&Subscription::id, &Subscription::kind, &Subscription::ownerType, &Subscription::ownerId, &Subscription::package,
                &Subscription::status, &Subscription::standing, &Subscription::processor, &Subscription::processorSubscriptionId,
                &Subscription::processorStatus, &Subscription::processorVersion, &Subscription::customerId, &Subscription::itemId,
                &Subscription::selectedServiceIds, &Subscription::seats, &Subscription::amountPerSeat, &Subscription::currency>(),
        field<&Subscription::interval>().column("billing_interval"),
        members<&Subscription::startedAt, &Subscription::periodStart, &Subscription::periodEnd, &Subscription::cancelAtPeriodEnd,
                &Subscription::pastDueSince, &Subscription::paymentFailing, &Subscription::livemode, &Subscription::checkoutId,
                &Subscription::eventClass, &Subscription::eventSeconds, &Subscription::eventRank, &Subscription::eventId,
                &Subscription::readSeconds>(),
        versioned<Subscription>());
}

/// Rows of both tables of subscriptions. Functions that change rows expect the lock of the owner (`lockOwner`).
namespace subscriptions
{
std::string_view tableOf(PlanKind kind);
std::optional<Subscription> find(Session& session, PlanKind kind, std::string_view id);
std::optional<Subscription> findByProcessorId(Session& session, std::string_view processorSubscriptionId);
/// The live subscription of an owner.
std::optional<Subscription> current(Session& session, PlanKind kind, std::string_view ownerId);
/// All of an owner, the newest first.
std::vector<Subscription> ofOwner(Session& session, PlanKind kind, std::string_view ownerId);
/// Returns processor IDs of active subscriptions of the manual processor whose period has ended, at most `limit` of each kind.
std::vector<std::string> manualPeriodsOver(Session& session, Instant now, std::int64_t limit);
/// Inserts a row, or writes it under its next version. @throws DatabaseError Serialization if another writer was faster
void save(Transaction& transaction, Subscription& subscription, Instant now);
/// Locks an owner until the end of the transaction.
void lockOwner(Transaction& transaction, std::string_view ownerId);
/// Chooses the current subscription of an owner: of the live ones that which began first. Any order of calls chooses the same one.
/// @return the subscriptions that have become surplus
std::vector<Subscription> elect(Transaction& transaction, PlanKind kind, std::string_view ownerId, Instant now);
} // namespace subscriptions

} // namespace portico::launchpad
