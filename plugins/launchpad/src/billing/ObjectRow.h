#pragma once

#include "billing/Checkout.h"
#include "billing/ProcessorObjects.h"

#include <optional>
#include <vector>

namespace portico::launchpad
{

/// Writes the processor's state into a row. What the object does not say comes from the checkout, never from the row, so that the row does
/// not depend on earlier events.
void applyObject(Subscription& row, const ProcessorSubscription& object, const std::optional<Checkout>& checkout);
/// Writes what a paid invoice says into a row that no event of the subscription has written yet.
void applyInvoice(Subscription& row, const ProcessorInvoice& invoice, const std::optional<Checkout>& checkout);
/// When the subscription became past due for the last time, by its events. Empty if none of them says so.
/// @param events all that were received for the subscription, in their order
std::optional<Instant> pastDueSince(const std::vector<ProcessorEvent>& events);
/// Returns whether the newest invoice of the events failed.
bool lastPaymentFailed(const std::vector<ProcessorEvent>& events);

} // namespace portico::launchpad
