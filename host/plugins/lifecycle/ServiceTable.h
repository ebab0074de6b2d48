#pragma once

#include "host/plugins/lifecycle/Dependencies.h"
#include "host/plugins/lifecycle/LifecycleSettings.h"
#include "host/plugins/lifecycle/Operation.h"
#include "host/plugins/lifecycle/ServiceEntry.h"
#include "host/plugins/lifecycle/StatusBoard.h"
#include "host/plugins/package/ManifestReader.h"

#include <map>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// All services that the lifecycle thread knows: what is installed, in which order it starts, what is published, and where each one stands,
/// for everyone to read on the board. Used by the lifecycle thread alone.
class ServiceTable
{
public:
    using Entries = std::map<std::string, ServiceEntry, std::less<>>;

    /// The settings and the board outlive this.
    ServiceTable(const LifecycleSettings& settings, const Clock& clock, StatusBoard& board);

    /// Reads the plugin folders again and plans the order.
    void refresh(Operation& operation);
    Entries& entries() noexcept { return _services; }
    const Entries& entries() const noexcept { return _services; }
    ServiceEntry& at(const std::string& serviceId) { return _services.at(serviceId); }
    /// Null for an unknown service: the operation has failed then.
    ServiceEntry* find(const std::string& serviceId, Operation& operation);
    /// Providers of interfaces before their users; without those that cannot start.
    const std::vector<std::string>& startOrder() const noexcept { return _plan.order; }
    /// Users of interfaces before their providers; all services.
    std::vector<std::string> stopOrder() const;
    /// Why a service cannot start as it is installed, or empty.
    std::string obstacle(const ServiceEntry& service) const;
    /// What a service that starts has to do without.
    std::vector<std::string> warnings(const ServiceEntry& service) const;

    /// What the route table should be made of.
    std::vector<PublishedService> publishedSet() const;

    void setState(ServiceEntry& service, State state);
    void setState(TrackedInstance& tracked, State state);
    /// Notes a failure with the service and the operation. What serves goes on.
    void fail(ServiceEntry& service, const std::string& reason, Operation& operation);
    /// Writes the board.
    void show();

private:
    PublishedService published(const ServiceEntry& service) const;

    const LifecycleSettings& _settings;
    const Clock& _clock;
    StatusBoard& _board;
    ManifestReader _reader;
    Entries _services;
    DependencyPlan _plan;
};

/// Texts as one, a line each.
std::string lines(const std::vector<std::string>& texts);

} // namespace portico::host::plugins
