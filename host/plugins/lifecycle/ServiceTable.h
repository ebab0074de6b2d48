#pragma once

#include "host/plugins/lifecycle/DependencyPlan.h"
#include "host/plugins/lifecycle/LifecycleReport.h"
#include "host/plugins/lifecycle/LifecycleSettings.h"
#include "host/plugins/lifecycle/Operation.h"
#include "host/plugins/lifecycle/PluginInstance.h"
#include "host/plugins/package/ManifestReader.h"

#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// An instance and its report.
struct TrackedInstance
{
    std::shared_ptr<PluginInstance> instance;
    GenerationReport report;
};

/// The lifecycle thread's data of one service: the public report, and the rest. `version`, `routes` and `generations` of the report are
/// filled in for the board only.
struct ServiceEntry : ServiceReport
{
    /// Installed manifest; null if it has errors.
    std::shared_ptr<const Manifest> installed;
    std::vector<std::string> manifestErrors;
    /// Its folder does not exist any more.
    bool removed = false;
    /// The host runs in safe mode, and the plugin did not come with it: not started, whatever `enabled` says.
    bool skippedBySafeMode = false;
    /// Its start ended the host again and again.
    bool quarantined = false;
    std::uint64_t lastNumber = 0;

    /// The one that serves.
    std::unique_ptr<TrackedInstance> current;
    /// On its way to serve, and on its way out.
    std::unique_ptr<TrackedInstance> candidate;
    std::unique_ptr<TrackedInstance> retiring;
    /// Code that stays in memory. `instance` is kept only where something of it may still run.
    std::list<TrackedInstance> residents;

    /// Published data, kept while no version serves, so that its routes answer 503 instead of 404.
    std::shared_ptr<const Manifest> publishedManifest;
    std::shared_ptr<const std::vector<RouteInfo>> publishedRoutes;
    std::shared_ptr<const std::vector<PageBuild>> publishedPages;

    /// To be started.
    bool wanted() const noexcept { return enabled && !skippedBySafeMode; }

    StatusBoard::Entry forBoard() const;
};

/// All services that the lifecycle thread knows: installed versions, start order, published set, and the state of each on the board for all
/// readers. Used by the lifecycle thread only.
class ServiceTable
{
public:
    using Entries = std::map<std::string, ServiceEntry, std::less<>>;

    /// The settings and the board outlive this.
    ServiceTable(const LifecycleSettings& settings, const Clock& clock, StatusBoard& board);

    /// Reads the plugin folders again and plans the order.
    void refresh(Operation& operation);
    /// Drops removed services that have no code in memory. Returns true if there were any.
    bool dropRemoved();
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
    /// Optional dependencies that the service starts without.
    std::vector<std::string> warnings(const ServiceEntry& service) const;

    const RetryTimes& retryTimes() const noexcept { return _settings.retry; }
    /// Set for the route table.
    std::vector<PublishedService> publishedSet() const;

    void setState(ServiceEntry& service, State state);
    void setState(TrackedInstance& tracked, State state);
    /// Records a failure with the service and the operation. The serving version is not affected.
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
