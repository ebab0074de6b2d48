#include "billing/ObjectRow.h"

#include <algorithm>
#include <chrono>

namespace portico::launchpad
{

namespace
{
std::optional<Instant> instantOfSeconds(std::optional<std::int64_t> seconds)
{
    // A time beyond the year 9999 cannot be written.
    constexpr std::int64_t last = 253'402'300'799;
    if (!seconds || *seconds < 0 || *seconds > last) return std::nullopt;
    return Instant(std::chrono::seconds(*seconds));
}

void applyChoice(Subscription& row, const ProcessorMetadata& metadata, std::optional<Package> ofPrice,
                 const std::optional<Checkout>& checkout)
{
    row.kind = parseEnum<PlanKind>(metadata.kind).value_or(checkout ? checkout->kind : PlanKind::Paid);
    row.processor = ProcessorKind::Stripe;
    const auto fallback = checkout ? checkout->package : Package::Three;
    row.package = ofPrice ? *ofPrice : parseEnum<Package>(metadata.package).value_or(fallback);
    row.selectedServiceIds = metadata.selectedServiceIds;
    if (row.selectedServiceIds.empty() && checkout) row.selectedServiceIds = checkout->selectedServiceIds;
    row.checkoutId = checkout ? checkout->id.text() : std::string();
}
} // namespace

void applyObject(Subscription& row, const ProcessorSubscription& object, const std::optional<Checkout>& checkout)
{
    applyChoice(row, object.metadata, packageOfLookupKey(object.lookupKey), checkout);
    row.processorSubscriptionId = object.id;
    row.processorStatus = object.status;
    row.status = statusOf(object.status);
    row.customerId = object.customer;
    row.itemId = object.itemId;
    row.seats = object.quantity;
    row.amountPerSeat = object.unitAmount;
    row.currency = object.currency;
    row.interval = parseEnum<BillingInterval>(object.interval).value_or(checkout ? checkout->interval : BillingInterval::Month);
    row.startedAt = object.created;
    row.periodStart = instantOfSeconds(object.periodStart);
    row.periodEnd = instantOfSeconds(object.periodEnd);
    row.cancelAtPeriodEnd = object.cancelAtPeriodEnd;
    row.livemode = object.livemode;
}

void applyInvoice(Subscription& row, const ProcessorInvoice& invoice, const std::optional<Checkout>& checkout)
{
    applyChoice(row, invoice.metadata, std::nullopt, checkout);
    row.processorSubscriptionId = invoice.subscription;
    row.processorStatus = toString(SubscriptionStatus::Active);
    row.status = SubscriptionStatus::Active;
    row.customerId = invoice.customer;
    row.seats = invoice.quantity;
    row.amountPerSeat = invoice.unitAmount;
    row.currency = invoice.currency;
    row.interval = checkout ? checkout->interval : BillingInterval::Month;
    row.startedAt = invoice.created;
    row.periodStart = instantOfSeconds(invoice.periodStart);
    row.periodEnd = instantOfSeconds(invoice.periodEnd);
    row.livemode = invoice.livemode;
}

std::optional<Instant> pastDueSince(const std::vector<ProcessorEvent>& events)
{
    std::optional<Instant> since;
    for (const auto& event : events)
    {
        const auto object = readSubscription(event.object);
        if (!object) continue;
        if (statusOf(object->status) != SubscriptionStatus::PastDue)
            since.reset();
        else if (!since)
            since = instantOfSeconds(event.created);
    }
    return since;
}

bool lastPaymentFailed(const std::vector<ProcessorEvent>& events)
{
    const auto ofInvoice = [](const ProcessorEvent& event)
    { return event.type == "invoice.paid" || event.type == "invoice.payment_failed"; };
    const auto last = std::find_if(events.rbegin(), events.rend(), ofInvoice);
    return last != events.rend() && last->type == "invoice.payment_failed";
}

} // namespace portico::launchpad
