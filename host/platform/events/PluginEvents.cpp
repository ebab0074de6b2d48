#include "host/platform/events/PluginEvents.h"

#include <boost/json/parse.hpp>

#include <stdexcept>

namespace portico::host::platform
{

void Subscriptions::activate(const std::string& serviceId, std::shared_ptr<Table> table)
{
    {
        const std::lock_guard lock(_mutex);
        _tables.insert_or_assign(serviceId, std::move(table));
    }
    _onChange();
}

void Subscriptions::deactivate(const std::string& serviceId, const std::shared_ptr<Table>& table)
{
    const std::lock_guard lock(_mutex);
    const auto found = _tables.find(serviceId);
    if (found != _tables.end() && found->second == table) _tables.erase(found);
}

std::vector<std::string> Subscriptions::services() const
{
    std::vector<std::string> ids;
    const std::lock_guard lock(_mutex);
    for (const auto& [id, table] : _tables) ids.push_back(id);
    return ids;
}

std::optional<std::vector<std::string>> Subscriptions::patternsOf(std::string_view serviceId) const
{
    const auto table = tableOf(serviceId);
    return table ? std::optional(table->names()) : std::nullopt;
}

bool Subscriptions::deliver(std::string_view serviceId, std::string_view pattern, const Event& event) const
{
    const auto table = tableOf(serviceId);
    if (!table) return false;
    return table->call(pattern, event) || !table->contains(pattern);
}

std::shared_ptr<Subscriptions::Table> Subscriptions::tableOf(std::string_view serviceId) const
{
    const std::lock_guard lock(_mutex);
    const auto found = _tables.find(serviceId);
    return found == _tables.end() ? nullptr : found->second;
}

namespace
{

constexpr std::string_view deliveryPrefix = "portico.event:";

} // namespace

std::string deliveryJobType(std::string_view subscriber) { return std::string(deliveryPrefix) + std::string(subscriber); }

std::vector<std::string> EventDeliveryRunner::types() const
{
    auto types = _subscriptions.services();
    for (auto& type : types) type = deliveryJobType(type);
    return types;
}

RunResult EventDeliveryRunner::run(const ClaimedJob& job, std::stop_token)
{
    const auto event = _outbox.find(job.eventId);
    if (!event) return RunResult::Done; // an operator removed it
    const auto subscriber = std::string_view(job.type).substr(deliveryPrefix.size());
    return _subscriptions.deliver(subscriber, job.payload, *event) ? RunResult::Done : RunResult::NotNow;
}

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
    // Also an empty table: subscriptions of an earlier version are then forgotten, and their waiting deliveries end.
    _subscriptions.activate(_serviceId, _functions);
}

} // namespace portico::host::platform
