#pragma once

#include "host/routing/RateLimiter.h"
#include "host/routing/Settings.h"

#include "portico/Caller.h"

#include <string_view>

namespace portico::host::routing
{

/// The stage that bounds how often one caller asks: a principal (for a key the key) by its own limit or the host's, a stranger by his
/// address. Thread-safe.
class RateLimits
{
public:
    explicit RateLimits(const Settings& settings);
    /// Each takes one request and puts what it found in `verdict`, also when it refuses. @throws Problem 429 `rate_limited`
    void admitAddress(std::string_view address, RateLimiter::Time now, RateVerdict& verdict);
    void admitCaller(const Caller& caller, std::string_view address, RateLimiter::Time now, RateVerdict& verdict);

private:
    static void raise(const RateVerdict& verdict);

    bool _on;
    Rate _perPrincipal;
    Rate _perAddress;
    RateLimiter _limiter;
};

} // namespace portico::host::routing
