#pragma once

#include "host/platform/jobs/PluginFunctions.h"

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
    explicit Subscriptions(std::function<void()> onChange);

    void activate(const std::string& serviceId, std::shared_ptr<Table> table);
    /// Leaves a successor alone.
    void deactivate(const std::string& serviceId, const std::shared_ptr<Table>& table);

    /// Services that listen to anything.
    std::vector<std::string> services() const;
    /// The patterns of a service; empty if it does not run.
    std::optional<std::vector<std::string>> patternsOf(std::string_view serviceId) const;
    /// Calls the functions of a pattern. False if the service takes no work just now. A pattern that it no longer has counts as delivered.
    bool deliver(std::string_view serviceId, std::string_view pattern, const Event& event) const;

private:
    std::shared_ptr<Table> tableOf(std::string_view serviceId) const;

    const std::function<void()> _onChange;
    mutable std::mutex _mutex;
    std::map<std::string, std::shared_ptr<Table>, std::less<>> _tables;
};

} // namespace portico::host::platform
