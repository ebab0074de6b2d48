#pragma once

#include "host/platform/events/EndpointStore.h"
#include "host/platform/events/SignedPost.h"
#include "host/platform/jobs/JobRunner.h"
#include "host/platform/jobs/PluginFunctions.h"
#include "host/platform/jobs/SignallingDatabase.h"

#include "portico/Deliveries.h"
#include "portico/Logger.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::platform
{

/// Asks a plugin where an endpoint is.
struct EndpointQuestion
{
    std::string_view endpointId;
    std::optional<DeliveryEndpoint>& answer;
};

/// Declarations of a generation about its deliveries. Filled before it is shared.
struct DeliveryTable
{
    explicit DeliveryTable(const std::shared_ptr<plugins::Generation>& generation) : find(generation), told(generation) {}

    /// Has one entry, with an empty name.
    PluginFunctions<EndpointQuestion> find;
    /// The same.
    PluginFunctions<DeliveryAttempt> told;
    std::vector<std::chrono::milliseconds> waits{signedPostWaits.begin(), signedPostWaits.end()};
};

/// Sends a plugin's signed messages to the endpoints that the generation which serves now knows.
class DeliveryRunner final : public JobRunner
{
public:
    DeliveryRunner(const EndpointStore& endpoints, HttpClient& http, const Clock& clock, Logger& log)
        : _endpoints(endpoints), _post(http, clock), _clock(clock), _log(log)
    {
    }
    std::vector<std::string> types() const override;
    RunResult run(const ClaimedJob& job, std::stop_token stop) override;
    std::chrono::milliseconds retryDelay(const ClaimedJob& job) const override;
    void gaveUp(const ClaimedJob& job, std::string_view error) override;

    CurrentFunctions<DeliveryTable>& current() noexcept { return _current; }

private:
    RunResult post(const ClaimedJob& job, const DeliveryEndpoint& endpoint, const std::stop_token& stop) const;
    void tell(DeliveryAttempt attempt) const;
    void disable(std::string_view endpointId, std::chrono::hours failingFor, std::string_view error) const;

    const EndpointStore& _endpoints;
    const SignedPost _post;
    const Clock& _clock;
    Logger& _log;
    CurrentFunctions<DeliveryTable> _current;
};

/// A generation's view of `Deliveries`.
class PluginDeliveries final : public Deliveries
{
public:
    PluginDeliveries(std::shared_ptr<plugins::Generation> generation, SignallingDatabase& database, const EndpointStore& endpoints,
                     DeliveryRunner& runner);
    ~PluginDeliveries() override { deactivate(); }

    using Deliveries::endpoints;
    /// @throws std::logic_error after the start, or the second time.
    void endpoints(Find find, std::vector<std::chrono::milliseconds> waits) override;
    std::string send(Session& session, const DeliveryMessage& message) override;
    std::optional<DeliveryStatus> status(Session& session, std::string_view endpointId) override
    {
        return _endpoints.status(session, endpointId);
    }
    std::vector<DeliveryStatus> list(Session& session) override { return _endpoints.list(session); }
    bool enable(Session& session, std::string_view endpointId) override { return _endpoints.enable(session, endpointId); }
    void forget(Session& session, std::string_view endpointId) override { _endpoints.forget(session, endpointId); }
    /// @throws std::logic_error after the start, or the second time.
    void onAttempt(std::function<void(const DeliveryAttempt&)> told) override;

    void activate();
    void deactivate() { _runner.current().drop(_functions); }
    /// Drops the functions; how many calls still run.
    std::size_t clear() { return _functions->find.clear() + _functions->told.clear(); }

private:
    SignallingDatabase& _database;
    const EndpointStore& _endpoints;
    DeliveryRunner& _runner;
    const std::shared_ptr<DeliveryTable> _functions;
    bool _started = false;
};

} // namespace portico::host::platform
