#pragma once

#include "widgets/Breaker.h"
#include "widgets/Flights.h"
#include "widgets/Overrides.h"
#include "widgets/WidgetCache.h"
#include "widgets/WidgetPayload.h"
#include "widgets/WidgetShelf.h"

#include "portico/Calls.h"
#include "portico/Plugin.h"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace portico::launchpad
{

/// Values that all fetches of one request share.
struct FetchContext
{
    std::string requestId;
    std::string clientAddress;
    /// Language tag.
    std::string locale;
    /// `organization` or `personal`.
    std::string context;
    std::string organizationId;
    std::string householdId;
    /// Counts the parallel fetches of one person or key.
    std::string principal;
};

/// One widget that is to be fetched; the request leads its flight.
struct Fetch
{
    std::string key;
    std::shared_ptr<Flights::Flight> flight;
    ExpectedWidget expected;
    /// The app.
    std::string service;
    std::string widgetUrl;
    bool local = false;
    std::string token;
    std::string householdId;
};

/// Durations after which apps are not waited for.
struct WidgetBudget
{
    std::chrono::milliseconds call{1'500};
    /// All calls of one request.
    std::chrono::milliseconds page{2'000};
};

/// Fetches widgets from apps within the budgets: 1.5 s a call, 2 s a request, 8 calls of a person and 32 to an app at a time. Every fetch
/// ends its flight, fills or clears the cache, and reports to the breaker; also one that ends after the request. Thread-safe.
class WidgetFetch
{
public:
    static constexpr std::size_t parallelPerUser = 8, parallelPerApp = 32;

    WidgetFetch(PluginContext& context, const WidgetCache& cache, Flights& flights, Breaker& breaker,
                std::chrono::milliseconds callTimeout = WidgetBudget().call)
        : _context(context), _cache(cache), _flights(flights), _breaker(breaker), _callTimeout(callTimeout)
    {
    }
    /// @throws std::runtime_error for overrides that are none
    void start();

    /// Returns when all have landed, at the latest after `budget`.
    void run(std::vector<Fetch> fetches, const FetchContext& context, std::chrono::milliseconds budget);
    /// Ends a flight without a call.
    void refuse(const Fetch& fetch, std::string error, bool revoked);
    /// Ends a flight without a call, with a payload that another request has fetched.
    void answer(const Fetch& fetch, const CachedWidget& payload);

private:
    Call callFor(const Fetch& fetch, const FetchContext& context) const;
    void settle(const Fetch& fetch, const CallResult& result);
    FetchOutcome outcomeOf(const Fetch& fetch, const CallResult& result) const;
    bool enter(const std::string& service);
    void leave(const std::string& service);

    PluginContext& _context;
    const WidgetCache& _cache;
    Flights& _flights;
    Breaker& _breaker;
    const std::chrono::milliseconds _callTimeout;
    WidgetOverrides _overrides;
    std::mutex _mutex;
    std::map<std::string, std::size_t> _ofApps, _ofUsers;
};

} // namespace portico::launchpad
