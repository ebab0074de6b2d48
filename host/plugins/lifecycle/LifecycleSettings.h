#pragma once

#include "host/plugins/lifecycle/DependencyUnavailable.h"
#include "host/plugins/runtime/Contracts.h"
#include "host/plugins/runtime/InterfaceRegistry.h"
#include "host/plugins/trust/TrustPolicy.h"

#include "portico/Clock.h"
#include "portico/Logger.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace portico::host::plugins
{

struct LifecycleSettings
{
    /// Folders with `<id>/manifest.json`; of two plugins with one id, the one in the earlier folder is used.
    std::vector<std::filesystem::path> pluginDirectories;
    /// Folder of private copies; neither on a `noexec` mount nor writable by other users.
    std::filesystem::path stateDirectory;
    /// `services.<id>.enabled` as configured now. Asked on the lifecycle thread.
    std::function<bool(const std::string& serviceId)> enabled;
    /// Exact web origins of a service, the canonical one first. Asked on the lifecycle thread.
    std::function<std::vector<std::string>(const Manifest& manifest)> origins;
    TrustPolicy trust;
    /// False: code is never unmapped.
    bool unmap = true;
    /// How long a plugin's `stop` may take.
    std::chrono::milliseconds stopPatience{10'000};
    /// Delays after starts that failed because a dependency was unavailable.
    RetryTimes retry;
    /// Called after a change without a command: a waiting service started or was refused. Runs on the lifecycle thread; may be
    /// null.
    std::function<void(const OperationResult& operation)> unasked;
};

/// The parts of the host that transitions go through; all outlive the Lifecycle.
struct LifecycleDependencies
{
    ContextFactory& contexts;
    Publisher& publisher;
    InterfaceRegistry& interfaces;
    Logger& log;
    const Clock& clock;
    /// May be null: then there is no catalog of services.
    RegistrationLink* registration = nullptr;
};

} // namespace portico::host::plugins
