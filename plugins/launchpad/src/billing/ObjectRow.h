#pragma once

#include "billing/Checkout.h"
#include "billing/ProcessorObjects.h"

#include <optional>
#include <vector>

namespace portico::launchpad
{

/// Writes the processor's state into a row. Members that the object lacks come from the checkout, never from the row, so that the row does
/// not depend on earlier events.
void applyObject(Subscription& row, const ProcessorSubscription& object, const std::optional<Checkout>& checkout);
/// Applies a paid invoice to a row that no event of the subscription has written yet.
void applyInvoice(Subscription& row, const ProcessorInvoice& invoice, const std::optional<Checkout>& checkout);
/// Returns when the subscription last became past due according to its events. Empty if it never did.
/// @param events all that were received for the subscription, in their order
std::optional<Instant> pastDueSince(const std::vector<ProcessorEvent>& events);
/// Returns whether the newest invoice of the events failed.
bool lastPaymentFailed(const std::vector<ProcessorEvent>& events);

} // namespace portico::launchpad
