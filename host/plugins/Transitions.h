#pragma once

#include "host/plugins/Dependencies.h"
#include "host/plugins/GenerationStore.h"
#include "host/plugins/LifecycleSettings.h"
#include "host/plugins/ManifestReader.h"
#include "host/plugins/Operation.h"
#include "host/plugins/ServiceEntry.h"
#include "host/plugins/StatusBoard.h"

#include <map>
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
    void reloadAll(Operation& operation);
    void stopAll(Operation& operation);

private:
    /// Reads the plugin folders again and plans the order.
    void refresh(Operation& operation);
    ServiceEntry* find(const std::string& serviceId, Operation& operation);
    /// Users of interfaces before their providers.
    std::vector<std::string> stopOrder() const;
    /// Why a service cannot start as it is installed, or empty.
    std::string obstacle(const ServiceEntry& service) const;

    /// Brings up what is installed and puts it in the place of what serves, which goes on if that fails.
    void replace(ServiceEntry& service, Operation& operation);
    bool bringUp(ServiceEntry& service, Operation& operation);
    bool judgeHealth(ServiceEntry& service, Operation& operation);
    bool publishCandidate(ServiceEntry& service, Operation& operation);
    /// The candidate was refused: undoes what it did.
    void discard(ServiceEntry& service, const std::string& reason, Operation& operation);
    /// Drains, stops and unloads `service.retiring`.
    void retire(ServiceEntry& service, Operation& operation);
    void unload(ServiceEntry& service, std::unique_ptr<TrackedInstance> tracked, Operation& operation);
    void keepResident(ServiceEntry& service, std::unique_ptr<TrackedInstance> tracked, const std::string& reason);
    /// Finishes residents that have come to rest since.
    void settleResidents(Operation& operation);
    void switchOff(ServiceEntry& service, State state, Operation& operation);

    std::vector<PublishedService> publishedSet() const;
    PublishedService published(const ServiceEntry& service) const;
    void registerServices(Operation& operation);

    void setState(ServiceEntry& service, State state);
    void setState(TrackedInstance& tracked, State state);
    void fail(ServiceEntry& service, const std::string& reason, Operation& operation);
    void show();

    LifecycleSettings _settings;
    LifecycleParts _parts;
    StatusBoard& _board;
    ManifestReader _reader;
    GenerationStore _store;
    InstanceParts _instanceParts;
    std::map<std::string, ServiceEntry, std::less<>> _services;
    DependencyPlan _plan;
};

} // namespace portico::host::plugins
