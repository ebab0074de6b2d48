#include "seats/SubscriptionView.h"

#include "seats/Seat.h"

namespace portico::launchpad
{

SubscriptionView viewOf(Session& session, const Subscription& subscription)
{
    SubscriptionView view;
    view.id = subscription.id.text();
    view.ownerType = subscription.ownerType;
    view.ownerId = subscription.ownerId;
    view.kind = subscription.kind;
    if (subscription.kind == PlanKind::Paid) view.package = subscription.package;
    view.status = subscription.status;
    view.processor = subscription.processor;
    view.processorSubscriptionId = subscription.processorSubscriptionId;
    view.processorStatus = subscription.processorStatus;
    view.processorVersion = subscription.processorVersion;
    view.selectedServiceIds = subscription.selectedServiceIds;
    view.seats = seats::countsOf(session, subscription);
    view.unitPrice = {subscription.amountPerSeat, subscription.currency, std::string(toString(subscription.interval))};
    view.currentPeriodEnd = subscription.periodEnd;
    view.cancelAtPeriodEnd = subscription.cancelAtPeriodEnd;
    view.livemode = subscription.livemode;
    view.version = subscription.version;
    view.createdAt = subscription.createdAt;
    view.updatedAt = subscription.updatedAt;
    return view;
}

SubscriptionView viewOf(const Checkout& checkout)
{
    SubscriptionView view;
    view.ownerType = checkout.ownerType;
    view.ownerId = checkout.ownerId;
    view.kind = checkout.kind;
    if (checkout.kind == PlanKind::Paid) view.package = checkout.package;
    view.processor = checkout.processor;
    view.selectedServiceIds = checkout.selectedServiceIds;
    view.seats.purchased = checkout.seats;
    view.unitPrice = {checkout.amountPerSeat, checkout.currency, std::string(toString(checkout.interval))};
    view.version = checkout.version;
    view.createdAt = checkout.createdAt;
    view.updatedAt = checkout.updatedAt;
    return view;
}

} // namespace portico::launchpad
