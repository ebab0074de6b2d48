#include "publishing/RateBudgets.h"

#include "portico/RateLimit.h"

#include <charconv>

namespace portico::social
{

namespace
{
std::string pauseKey(const IntegrationId& account) { return "publish-pause:" + account.text(); }
} // namespace

std::optional<Instant> RateBudgets::freeFrom(const Network& network, const IntegrationId& account) const
{
    const auto now = _clock.now();
    if (const auto paused = _state.get(pauseKey(account)))
    {
        std::int64_t until = 0;
        std::from_chars(paused->value.data(), paused->value.data() + paused->value.size(), until);
        if (fromMillis(until) > now) return fromMillis(until);
    }
    std::optional<Instant> later;
    for (const auto& budget : network.budgets())
        if (const auto left = RateLimit(_state, _clock, {budget.name, budget.limit, budget.window}).look(account.text());
            left.remaining < budget.cost)
            later = std::max(later.value_or(now), now + left.retryAfter);
    return later;
}

void RateBudgets::take(const Network& network, const IntegrationId& account, std::int64_t posts) const
{
    for (const auto& budget : network.budgets())
        RateLimit(_state, _clock, {budget.name, budget.limit, budget.window}).count(account.text(), posts * budget.cost);
}

void RateBudgets::pause(const IntegrationId& account, Instant until) const
{
    const auto wait = until - _clock.now();
    if (wait.count() > 0) _state.put(pauseKey(account), std::to_string(toMillis(until)), wait);
}

} // namespace portico::social
