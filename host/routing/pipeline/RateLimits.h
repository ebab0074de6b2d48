#pragma once

#include "host/routing/pipeline/RateLimiter.h"
#include "host/routing/pipeline/Settings.h"

#include "portico/Caller.h"
#include "portico/Clock.h"
#include "portico/StateStore.h"

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace portico::host::routing
{

/// Has a limiter count what other hosts let in, too, through the store that they share. Who is far below a limit is counted here alone;
/// from a tenth of it on, what was let in is written to the store, and what the others have written comes back, on a thread of its own: no
/// request waits for it. While the store is away, each host counts for itself, and afterwards everything is added up. Thread-safe.
class SharedRates
{
public:
    /// All outlive this. `clock` agrees with those of the other hosts.
    SharedRates(RateLimiter& limiter, StateStore& store, const Clock& clock);
    SharedRates(const SharedRates&) = delete;
    SharedRates& operator=(const SharedRates&) = delete;
    /// Waits for an exchange that runs.
    ~SharedRates();

    /// A request was let in.
    void note(RateSubject subject, std::string_view name, const Rate& rate, const RateVerdict& verdict, RateLimiter::Time now);

private:
    struct Use
    {
        RateSubject subject = RateSubject::Address;
        std::string name;
        Rate rate;
        /// Not written to the store yet.
        std::int64_t letIn = 0;
        RateLimiter::Time last;
    };
    using Uses = std::map<std::string, Use, std::less<>>;

    void run(const std::stop_token& stop);
    Uses takeUnwritten();
    void exchange(const std::string& key, const Use& use);
    void putBack(const Uses& unwritten);

    RateLimiter& _limiter;
    StateStore& _store;
    const Clock& _clock;
    std::mutex _mutex;
    std::condition_variable_any _wake;
    bool _unwritten = false;
    /// By the key in the store.
    Uses _uses;
    std::jthread _thread;
};

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
