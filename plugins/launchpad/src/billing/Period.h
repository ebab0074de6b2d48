#pragma once

#include "billing/Subscription.h"

#include <cstdint>

namespace portico::launchpad
{

/// End of a billing period that begins at a time: the same day of the next month or year, or the last day of a shorter month.
Instant endOfPeriod(Instant begin, BillingInterval interval);
/// Moves the period of a subscription of the manual processor forward until it contains a time.
void renew(Subscription& subscription, Instant now);

/// `amount * part / whole`, rounded half to even. @param whole greater than 0
std::int64_t share(std::int64_t amount, std::int64_t part, std::int64_t whole);

/// Cost of a change of a plan in the running period.
struct Proration
{
    /// Unused part of the old plan.
    std::int64_t credit = 0;
    /// The same part of the new plan.
    std::int64_t charge = 0;
};

/// Prorates by days, each begun day counted whole, rounding half to even. Amounts are those of all seats for one period.
Proration prorate(std::int64_t oldAmount, std::int64_t newAmount, Instant periodStart, Instant periodEnd, Instant now);

} // namespace portico::launchpad
