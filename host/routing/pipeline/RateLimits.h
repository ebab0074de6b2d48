#pragma once

#include "host/routing/pipeline/RateLimiter.h"
#include "host/routing/pipeline/Settings.h"
#include "host/routing/pipeline/SharedRates.h"

#include "portico/Caller.h"
#include "portico/Clock.h"
#include "portico/StateStore.h"

#include <optional>
#include <string_view>

namespace portico::host::routing
{

/// The stage that bounds how often one caller asks: a principal (for a key the key) by its own limit or the host's, a stranger by his
/// address. Hosts that share a store count together. Thread-safe.
class RateLimits
{
public:
    /// `shared` may be null: then this host counts alone.
    RateLimits(const Settings& settings, StateStore* shared, const Clock& clock);
    /// Each takes one request and puts what it found in `verdict`, also when it refuses. @throws Problem 429 `rate_limited`
    void admitAddress(std::string_view address, RateLimiter::Time now, RateVerdict& verdict);
    void admitCaller(const Caller& caller, std::string_view address, RateLimiter::Time now, RateVerdict& verdict);

private:
    RateVerdict take(RateSubject subject, std::string_view name, const Rate& rate, RateLimiter::Time now);
    static void raise(const RateVerdict& verdict);

    bool _on;
    Rate _perPrincipal;
    Rate _perAddress;
    RateLimiter _limiter;
    std::optional<SharedRates> _shared;
};

} // namespace portico::host::routing
