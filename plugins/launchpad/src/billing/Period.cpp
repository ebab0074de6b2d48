#include "billing/Period.h"

#include <algorithm>
#include <chrono>

namespace portico::launchpad
{

Instant endOfPeriod(Instant begin, BillingInterval interval)
{
    const auto midnight = std::chrono::floor<std::chrono::days>(begin);
    std::chrono::year_month_day day(midnight);
    day += interval == BillingInterval::Month ? std::chrono::months(1) : std::chrono::months(12);
    if (!day.ok()) day = day.year() / day.month() / std::chrono::last;
    return Instant(std::chrono::sys_days(day).time_since_epoch() + (begin - midnight));
}

void renew(Subscription& subscription, Instant now)
{
    while (subscription.periodEnd && *subscription.periodEnd <= now)
    {
        subscription.periodStart = subscription.periodEnd;
        subscription.periodEnd = endOfPeriod(*subscription.periodEnd, subscription.interval);
    }
}

std::int64_t share(std::int64_t amount, std::int64_t part, std::int64_t whole)
{
    // 128 bits: an amount of many seats times the days of a year.
    __extension__ using Wide = __int128;
    const Wide product = static_cast<Wide>(amount) * part;
    auto quotient = static_cast<std::int64_t>(product / whole);
    const auto rest = static_cast<std::int64_t>(product % whole);
    const auto twice = 2 * (rest < 0 ? -rest : rest);
    if (twice > whole || (twice == whole && quotient % 2 != 0)) quotient += product < 0 ? -1 : 1;
    return quotient;
}

Proration prorate(std::int64_t oldAmount, std::int64_t newAmount, Instant periodStart, Instant periodEnd, Instant now)
{
    const auto daysUntil = [&](Instant from)
    { return std::max<std::int64_t>(std::chrono::ceil<std::chrono::days>(periodEnd - from).count(), 0); };
    const auto whole = std::max<std::int64_t>(daysUntil(periodStart), 1);
    const auto left = std::min(daysUntil(now), whole);
    return {share(oldAmount, left, whole), share(newAmount, left, whole)};
}

} // namespace portico::launchpad
