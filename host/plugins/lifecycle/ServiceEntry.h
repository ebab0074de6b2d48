#pragma once

#include "host/plugins/lifecycle/Instance.h"
#include "host/plugins/lifecycle/LifecycleReport.h"
#include "host/plugins/lifecycle/StatusBoard.h"

#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// An instance and where it stands.
struct TrackedInstance
{
    std::shared_ptr<Instance> instance;
    GenerationReport report;
};

/// All that the lifecycle thread knows of one service.
struct ServiceEntry
{
    std::string id;
    std::filesystem::path manifestFile;
    /// As installed now; null when the manifest has errors.
    std::shared_ptr<const Manifest> installed;
    std::vector<std::string> manifestErrors;
    bool enabled = false;
    /// The host runs in safe mode, and the plugin did not come with it: not started, whatever `enabled` says.
    bool leftOut = false;
    State state = State::Discovered;
    Instant since{};
    std::string lastError;
    std::optional<Waiting> waiting;
    /// Its start ended the host again and again.
    bool heldBack = false;
    std::uint64_t lastNumber = 0;

    /// The one that serves.
    std::unique_ptr<TrackedInstance> current;
    /// On its way to serve, and on its way out.
    std::unique_ptr<TrackedInstance> candidate;
    std::unique_ptr<TrackedInstance> retiring;
    /// Code that stays in memory. `instance` is kept only where something of it may still run.
    std::list<TrackedInstance> residents;

    /// As published: kept while nothing serves, so that its routes answer 503 and not 404.
    std::shared_ptr<const Manifest> publishedManifest;
    std::shared_ptr<const std::vector<RouteInfo>> routes;
    bool registered = true;
    std::string registrationReport;

    /// To be started.
    bool wanted() const noexcept { return enabled && !leftOut; }

    StatusBoard::Entry report() const;
};

} // namespace portico::host::plugins
