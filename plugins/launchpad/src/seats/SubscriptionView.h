#pragma once

#include "billing/Checkout.h"
#include "catalog/AppManifest.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::launchpad
{

/// Seats of a subscription: purchased, and used by people and agents.
struct SeatCounts
{
    std::int64_t purchased = 0;
    std::int64_t used = 0;
    std::int64_t humans = 0;
    std::int64_t agents = 0;
};

constexpr auto schemaOf(const SeatCounts*)
{
    return describe(members<&SeatCounts::purchased, &SeatCounts::used, &SeatCounts::humans, &SeatCounts::agents>());
}

/// A subscription as its owner sees it (2.12).
struct SubscriptionView
{
    std::optional<std::string> id;
    std::string ownerType;
    std::string ownerId;
    PlanKind kind = PlanKind::Paid;
    std::optional<Package> package;
    SubscriptionStatus status = SubscriptionStatus::Incomplete;
    ProcessorKind processor = ProcessorKind::Manual;
    std::string processorSubscriptionId;
    std::string processorStatus;
    std::int64_t processorVersion = 0;
    std::vector<std::string> selectedServiceIds;
    SeatCounts seats;
    Price unitPrice;
    std::optional<Instant> currentPeriodEnd;
    bool cancelAtPeriodEnd = false;
    bool livemode = false;
    std::int64_t version = 1;
    Instant createdAt{};
    Instant updatedAt{};
};

constexpr auto schemaOf(const SubscriptionView*)
{
    return describe(field<&SubscriptionView::id>().description("null: the checkout is not paid yet"),
                    field<&SubscriptionView::ownerType>("owner_type"), field<&SubscriptionView::ownerId>("owner_id"),
                    field<&SubscriptionView::kind>(), field<&SubscriptionView::package>().description("null for a free workspace"),
                    members<&SubscriptionView::status, &SubscriptionView::processor, &SubscriptionView::processorSubscriptionId,
                            &SubscriptionView::processorStatus, &SubscriptionView::processorVersion, &SubscriptionView::selectedServiceIds,
                            &SubscriptionView::seats, &SubscriptionView::unitPrice, &SubscriptionView::currentPeriodEnd,
                            &SubscriptionView::cancelAtPeriodEnd>(),
                    field<&SubscriptionView::livemode>().description("false: test mode, no money moves"),
                    members<&SubscriptionView::version, &SubscriptionView::createdAt, &SubscriptionView::updatedAt>())
        .named("Subscription");
}

SubscriptionView viewOf(Session& session, const Subscription& subscription);
/// A checkout that has no subscription yet.
SubscriptionView viewOf(const Checkout& checkout);

} // namespace portico::launchpad
