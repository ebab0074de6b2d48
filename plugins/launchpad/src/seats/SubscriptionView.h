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

/// A subscription as its owner sees it (2.12): the members that the description names.
struct SubscriptionView : Subscription
{
    /// Empty for a checkout that is not paid yet.
    std::optional<std::string> shownId;
    /// Empty for a free workspace.
    std::optional<Package> shownPackage;
    SeatCounts seatCounts;
    Price unitPrice;
};

constexpr auto schemaOf(const SubscriptionView*)
{
    return describe(
               field<&SubscriptionView::shownId>("id").description("null until the checkout is paid"),
               field<&SubscriptionView::ownerType>("owner_type"), field<&SubscriptionView::ownerId>("owner_id"),
               field<&SubscriptionView::kind>(), field<&SubscriptionView::shownPackage>("package").description("null for a free workspace"),
               members<&SubscriptionView::status, &SubscriptionView::processor, &SubscriptionView::processorSubscriptionId,
                       &SubscriptionView::processorStatus, &SubscriptionView::processorVersion, &SubscriptionView::selectedServiceIds>(),
               field<&SubscriptionView::seatCounts>("seats"), field<&SubscriptionView::unitPrice>(),
               field<&SubscriptionView::periodEnd>("currentPeriodEnd"), field<&SubscriptionView::cancelAtPeriodEnd>(),
               field<&SubscriptionView::livemode>().description("False in test mode"),
               members<&SubscriptionView::version, &SubscriptionView::createdAt, &SubscriptionView::updatedAt>())
        .named("Subscription");
}

SubscriptionView viewOf(Session& session, const Subscription& subscription);
/// A checkout that has no subscription yet.
SubscriptionView viewOf(const Checkout& checkout);

} // namespace portico::launchpad
