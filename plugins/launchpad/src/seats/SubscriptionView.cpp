#include "seats/SubscriptionView.h"

#include "seats/Seat.h"

namespace portico::launchpad
{

namespace
{
/// @param choice of a subscription, or of the checkout that becomes one
void fillChoice(SubscriptionView& view, const PlanChoice& choice)
{
    static_cast<PlanChoice&>(view) = choice;
    if (choice.kind == PlanKind::Paid) view.shownPackage = choice.package;
    view.unitPrice = {choice.amountPerSeat, choice.currency, std::string(toString(choice.interval))};
}
} // namespace

SubscriptionView viewOf(Session& session, const Subscription& subscription)
{
    SubscriptionView view;
    static_cast<Subscription&>(view) = subscription;
    fillChoice(view, subscription);
    view.shownId = subscription.id.text();
    view.seatCounts = seats::countsOf(session, subscription);
    return view;
}

SubscriptionView viewOf(const Checkout& checkout)
{
    SubscriptionView view;
    static_cast<Versioned&>(view) = checkout;
    fillChoice(view, checkout);
    view.processor = checkout.processor;
    view.seatCounts.purchased = checkout.seats;
    return view;
}

} // namespace portico::launchpad
