#pragma once

#include "host/platform/events/Outbox.h"
#include "host/platform/jobs/JobRunner.h"
#include "host/platform/jobs/PluginFunctions.h"
#include "host/platform/jobs/SignallingDatabase.h"

#include "portico/Events.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::platform
{

/// Which services listen to which events right now, host-wide. Thread-safe.
class Subscriptions
{
public:
    using Table = PluginFunctions<Event>;

    /// @param onChange called after a service began or ceased to listen, so that waiting deliveries are looked at.
    explicit Subscriptions(std::function<void()> onChange) : _onChange(std::move(onChange)) {}

    void activate(const std::string& serviceId, std::shared_ptr<Table> table);
    /// Leaves a successor alone.
    void deactivate(const std::string& serviceId, const std::shared_ptr<Table>& table);

    /// Services that run, also those without subscriptions.
    std::vector<std::string> services() const;
    /// The patterns of a service; empty if it does not run.
    std::optional<std::vector<std::string>> patternsOf(std::string_view serviceId) const;
    /// Calls the functions of a pattern. Returns false if the service accepts no work now. A pattern that was removed is treated as
    /// delivered.
    bool deliver(std::string_view serviceId, std::string_view pattern, const Event& event) const;

private:
    std::shared_ptr<Table> tableOf(std::string_view serviceId) const;

    const std::function<void()> _onChange;
    mutable std::mutex _mutex;
    std::map<std::string, std::shared_ptr<Table>, std::less<>> _tables;
};

/// Type of the jobs that hand an event to a subscribed service: one for each service, so that those of a service that is down just wait.
std::string deliveryJobType(std::string_view subscriber);
/// Hands events of one service to subscribed services.
class EventDeliveryRunner final : public JobRunner
{
public:
    EventDeliveryRunner(const Outbox& outbox, const Subscriptions& subscriptions) : _outbox(outbox), _subscriptions(subscriptions) {}
    std::vector<std::string> types() const override;
    RunResult run(const ClaimedJob& job, std::stop_token stop) override;

private:
    const Outbox& _outbox;
    const Subscriptions& _subscriptions;
};

/// The data becomes a member of the webhook's body unchanged, so it must be a JSON object. @throws std::invalid_argument
void requireEventData(std::string_view type, std::string_view data);

/// A generation's view of `Events`. A service without a database may subscribe, but cannot publish.
class PluginEvents final : public Events
{
public:
    PluginEvents(std::shared_ptr<plugins::Generation> generation, Subscriptions& subscriptions, SignallingDatabase* database,
                 Outbox* outbox);
    ~PluginEvents() override { deactivate(); }

    /// @throws std::invalid_argument when `data` is no JSON object, std::logic_error without a database.
    void publish(Session& session, std::string_view type, std::string_view organizationId, std::string_view data) override;
    /// @throws std::logic_error after the start.
    void subscribe(std::string_view pattern, std::function<void(const Event&)> receive) override;

    void activate();
    void deactivate() { _subscriptions.deactivate(_serviceId, _functions); }
    /// Drops the functions; how many still run.
    std::size_t clear() { return _functions->clear(); }

private:
    Subscriptions& _subscriptions;
    SignallingDatabase* const _database;
    Outbox* const _outbox;
    const std::string _serviceId;
    const std::shared_ptr<Subscriptions::Table> _functions;
    bool _started = false;
};

} // namespace portico::host::platform
