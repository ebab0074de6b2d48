#pragma once

#include "host/platform/events/Outbox.h"
#include "host/platform/events/Subscriptions.h"
#include "host/platform/jobs/SignallingDatabase.h"

#include "portico/Events.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace portico::host::platform
{

/// It becomes a member of the webhook's body as it stands, so a text that is no JSON object would spoil that. @throws std::invalid_argument
void requireEventData(std::string_view type, std::string_view data);

/// What a generation sees as `Events`. A service without a database may subscribe, but has nothing to publish into.
class PluginEvents final : public Events
{
public:
    PluginEvents(std::shared_ptr<plugins::Generation> generation, Subscriptions& subscriptions, SignallingDatabase* database,
                 Outbox* outbox);
    ~PluginEvents() override;

    /// @throws std::invalid_argument when `data` is no JSON object, std::logic_error without a database.
    void publish(Session& session, std::string_view type, std::string_view organizationId, std::string_view data) override;
    /// @throws std::logic_error after the start.
    void subscribe(std::string_view pattern, std::function<void(const Event&)> receive) override;

    void activate();
    void deactivate();
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
