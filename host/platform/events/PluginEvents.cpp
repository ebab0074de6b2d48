#include "host/platform/events/PluginEvents.h"

#include <boost/json/parse.hpp>

#include <stdexcept>

namespace portico::host::platform
{

void requireEventData(std::string_view type, std::string_view data)
{
    boost::system::error_code error;
    const auto value = boost::json::parse(data, error);
    if (error || !value.is_object())
        throw std::invalid_argument("event " + std::string(type) + ": data must be the text of one JSON object");
}

PluginEvents::PluginEvents(std::shared_ptr<plugins::Generation> generation, Subscriptions& subscriptions, SignallingDatabase* database,
                           Outbox* outbox)
    : _subscriptions(subscriptions),
      _database(database),
      _outbox(outbox),
      _serviceId(generation->serviceId()),
      _functions(std::make_shared<Subscriptions::Table>(std::move(generation)))
{
}

PluginEvents::~PluginEvents() { deactivate(); }

void PluginEvents::publish(Session& session, std::string_view type, std::string_view organizationId, std::string_view data)
{
    if (_outbox == nullptr)
        throw std::logic_error("events: " + _serviceId + " has no database to publish from; declare migrations in its manifest");
    requireEventData(type, data);
    _outbox->publish(session, type, organizationId, data);
    _database->expectWork(session);
}

void PluginEvents::subscribe(std::string_view pattern, std::function<void(const Event&)> receive)
{
    if (_started) throw std::logic_error("events: subscribe is called in start, and nowhere else");
    if (pattern.empty()) throw std::logic_error("events: a pattern is a type or a prefix with .*");
    _functions->add(std::string(pattern), std::move(receive));
}

void PluginEvents::activate()
{
    _started = true;
    if (!_functions->names().empty()) _subscriptions.activate(_serviceId, _functions);
}

void PluginEvents::deactivate() { _subscriptions.deactivate(_serviceId, _functions); }

} // namespace portico::host::platform
