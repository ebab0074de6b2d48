#pragma once

#include "host/plugins/lifecycle/GenerationStore.h"
#include "host/plugins/lifecycle/LifecycleSettings.h"
#include "host/plugins/lifecycle/Operation.h"
#include "host/plugins/lifecycle/Registration.h"
#include "host/plugins/lifecycle/ServiceTable.h"
#include "host/plugins/quarantine/Quarantine.h"

#include <memory>
#include <optional>
#include <string>

namespace portico::host::plugins
{

/// Replaces generations of a service: starts a new one beside the old one, publishes it, then drains and unloads the old one. Used by the
/// lifecycle thread only.
class Rollout
{
public:
    /// Removes the private copies of an earlier run, and counts the plugins whose start ended it. All arguments outlive this. @throws
    /// std::system_error
    Rollout(const LifecycleSettings& settings, const LifecycleDependencies& dependencies, ServiceTable& table, Registration& registration);

    /// Starts the installed version and replaces the serving one, which keeps serving if that fails. If no version serves and a dependency
    /// is unavailable, the service waits for a retry; `before` is its wait so far.
    void replace(ServiceEntry& service, Operation& operation, std::optional<Waiting> before = {});
    /// Verifies what is installed and applies its migrations; what serves is not touched.
    void migrate(ServiceEntry& service, Operation& operation);
    /// Removes the service from the route table, then drains and unloads it. If it is disabled or removed, its database is closed, too.
    void switchOff(ServiceEntry& service, State state, Operation& operation);
    /// Unloads residents that have become idle.
    void settleResidents(Operation& operation);
    /// Ends the quarantine of a service on behalf of an operator.
    void release(const ServiceEntry& service);

private:
    // Each ends with StepFailed where the candidate is to be refused.
    void bringUp(ServiceEntry& service, Operation& operation);
    void requireNoQuarantine(ServiceEntry& service, Operation& operation);
    void loadAndStart(ServiceEntry& service, Operation& operation);
    static void checkHealth(const ServiceEntry& service, Operation& operation);
    void publishCandidate(ServiceEntry& service, Operation& operation);

    /// The candidate was refused: undoes what it did.
    void discard(ServiceEntry& service, unsigned triesBefore, Operation& operation);
    /// Releases the service's files, unless code of it may still run.
    void close(const ServiceEntry& service, Operation& operation);
    /// Drains, stops and unloads `service.retiring`.
    void retire(ServiceEntry& service, Operation& operation);
    void unload(ServiceEntry& service, std::unique_ptr<TrackedInstance> tracked, Operation& operation);
    void keepResident(ServiceEntry& service, std::unique_ptr<TrackedInstance> tracked, const std::string& reason, Operation& operation,
                      bool expected = false);

    const LifecycleSettings& _settings;
    LifecycleDependencies _dependencies;
    ServiceTable& _table;
    Registration& _registration;
    StartMarkers _markers;
    CrashReports _crashes;
    ServedVersions _served;
    GenerationStore _store;
    PageStore _pages;
};

} // namespace portico::host::plugins
