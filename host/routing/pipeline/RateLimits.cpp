#include "host/routing/pipeline/RateLimits.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::host::routing
{

RateLimits::RateLimits(const Settings& settings, StateStore* shared, const Clock& clock)
    : _on(settings.rateLimits), _perPrincipal{settings.requestsPerMinute}, _perAddress{settings.anonymousRequestsPerMinute}
{
    if (_on && shared) _shared.emplace(_limiter, *shared, clock);
}

RateVerdict RateLimits::take(RateSubject subject, std::string_view name, const Rate& rate, RateLimiter::Time now)
{
    const auto verdict = _limiter.take(subject, name, rate, now);
    if (_shared && verdict.allowed) _shared->note(subject, name, rate, verdict, now);
    return verdict;
}

void RateLimits::admitAddress(std::string_view address, RateLimiter::Time now, RateVerdict& verdict)
{
    if (!_on) return;
    verdict = take(RateSubject::Address, address, _perAddress, now);
    raise(verdict);
}

void RateLimits::admitCaller(const Caller& caller, std::string_view address, RateLimiter::Time now, RateVerdict& verdict)
{
    if (!_on) return;
    if (caller.anonymous()) return admitAddress(address, now, verdict);
    const Rate own{caller.rateLimit, std::chrono::seconds(std::max<std::int64_t>(1, caller.rateWindowSeconds))};
    const auto name = caller.apiKeyId.empty() ? std::string_view(caller.principalId) : std::string_view(caller.apiKeyId);
    verdict = take(RateSubject::Principal, name, caller.rateLimit > 0 ? own : _perPrincipal, now);
    raise(verdict);
}

void RateLimits::raise(const RateVerdict& verdict)
{
    if (!verdict.allowed) throw Problem::rateLimited(verdict.retrySeconds);
}

} // namespace portico::host::routing
