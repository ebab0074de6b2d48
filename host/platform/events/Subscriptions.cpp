#include "host/platform/events/Subscriptions.h"

namespace portico::host::platform
{

Subscriptions::Subscriptions(std::function<void()> onChange) : _onChange(std::move(onChange)) {}

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
    if (!table) return std::nullopt;
    return table->names();
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

} // namespace portico::host::platform
