#pragma once

#include "host/plugins/lifecycle/GenerationCycle.h"
#include "host/plugins/lifecycle/LifecycleSettings.h"
#include "host/plugins/lifecycle/Operation.h"
#include "host/plugins/lifecycle/ServiceTable.h"
#include "host/plugins/lifecycle/StatusBoard.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace portico::host::plugins
{

/// Carries out what the Lifecycle is told, one command after another. Used by the lifecycle thread alone.
class Transitions
{
public:
    Transitions(LifecycleSettings settings, const LifecycleParts& parts, StatusBoard& board);

    void startAll(Operation& operation);
    void enable(const std::string& serviceId, Operation& operation);
    void disable(const std::string& serviceId, Operation& operation);
    void reload(const std::string& serviceId, Operation& operation);
    void migrate(const std::string& serviceId, Operation& operation);
    /// Applies the configuration too: what was switched on or off since starts or stops.
    void reloadAll(Operation& operation);
    void stopAll(Operation& operation);

    /// What waits for something to come back, and when each is to be tried again. The empty id stands for the registry of services, which
    /// is to be told.
    std::map<std::string, std::chrono::steady_clock::time_point> retries() const;
    /// Tries one of them again; it may wait on.
    void retry(const std::string& serviceId, Operation& operation);

private:
    /// Says that safe mode keeps a service from being started.
    void leaveOut(ServiceEntry& service, Operation& operation);
    /// @param before how long it has waited to be told
    void registerServices(Operation& operation, const std::optional<Waiting>& before = {});

    const LifecycleSettings _settings;
    LifecycleParts _parts;
    ServiceTable _table;
    GenerationCycle _cycle;
    /// The registry could not be told.
    std::optional<Waiting> _untold;
};

} // namespace portico::host::plugins
