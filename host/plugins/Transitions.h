#pragma once

#include "host/plugins/GenerationCycle.h"
#include "host/plugins/LifecycleSettings.h"
#include "host/plugins/Operation.h"
#include "host/plugins/ServiceTable.h"
#include "host/plugins/StatusBoard.h"

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
    /// Applies the configuration too: what was switched on or off since starts or stops.
    void migrate(const std::string& serviceId, Operation& operation);
    void reloadAll(Operation& operation);
    void stopAll(Operation& operation);

private:
    /// Says that safe mode keeps a service from being started.
    void leaveOut(ServiceEntry& service, Operation& operation);
    void registerServices(Operation& operation);

    const LifecycleSettings _settings;
    LifecycleParts _parts;
    ServiceTable _table;
    GenerationCycle _cycle;
};

} // namespace portico::host::plugins
