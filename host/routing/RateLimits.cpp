#include "host/routing/RateLimits.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::host::routing
{

RateLimits::RateLimits(const Settings& settings)
    : _on(settings.rateLimits), _perPrincipal{settings.requestsPerMinute}, _perAddress{settings.anonymousRequestsPerMinute}
{
}

void RateLimits::admitAddress(std::string_view address, RateLimiter::Time now, RateVerdict& verdict)
{
    if (!_on) return;
    verdict = _limiter.take(RateSubject::Address, address, _perAddress, now);
    raise(verdict);
}

void RateLimits::admitCaller(const Caller& caller, std::string_view address, RateLimiter::Time now, RateVerdict& verdict)
{
    if (!_on) return;
    if (caller.anonymous()) return admitAddress(address, now, verdict);
    const Rate own{caller.rateLimit, std::chrono::seconds(std::max<std::int64_t>(1, caller.rateWindowSeconds))};
    const auto name = caller.apiKeyId.empty() ? std::string_view(caller.principalId) : std::string_view(caller.apiKeyId);
    verdict = _limiter.take(RateSubject::Principal, name, caller.rateLimit > 0 ? own : _perPrincipal, now);
    raise(verdict);
}

void RateLimits::raise(const RateVerdict& verdict)
{
    if (!verdict.allowed) throw Problem::rateLimited(verdict.retrySeconds);
}

} // namespace portico::host::routing
