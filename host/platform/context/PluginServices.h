#pragma once

#include "host/plugins/runtime/InterfaceRegistry.h"

#include "portico/Logger.h"
#include "portico/Services.h"

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace portico::host::platform
{

/// What a generation sees as `Services`: the host's registry, with the generation as the one who offers and asks.
class PluginServices final : public Services
{
public:
    PluginServices(std::shared_ptr<plugins::Generation> generation, plugins::InterfaceRegistry& registry, Logger& log)
        : _generation(std::move(generation)), _registry(registry), _log(log)
    {
    }

protected:
    void provideInterface(std::string_view name, std::string_view version, ServiceInterface& implementation) override
    {
        _registry.offer(_generation, name, version, implementation);
    }
    std::unique_ptr<LeaseHandle> findInterface(std::string_view name, std::string_view version, ServiceInterface*& found) override
    {
        auto lease = _registry.find(*_generation, name, version, found);
        if (!lease) warnOfVersion(name, version);
        return lease;
    }
    std::vector<std::string> interfaceProviders(std::string_view name, std::string_view version) override
    {
        return _registry.providers(*_generation, name, version);
    }
    std::unique_ptr<LeaseHandle> findInterfaceOf(std::string_view serviceId, std::string_view name, std::string_view version,
                                                 ServiceInterface*& found) override
    {
        return _registry.findOf(*_generation, serviceId, name, version, found);
    }

private:
    /// Once: it is asked for at every call.
    void warnOfVersion(std::string_view name, std::string_view version)
    {
        const auto provided = _registry.unusable(*_generation, name, version);
        if (provided.empty() || _warned.test_and_set()) return;
        _log.warning("an interface is there, in a version that this plugin cannot use: it goes on as if there were none",
                     {{"interface", name}, {"compiled", version}, {"provided", provided}});
    }

    const std::shared_ptr<plugins::Generation> _generation;
    plugins::InterfaceRegistry& _registry;
    Logger& _log;
    std::atomic_flag _warned;
};

} // namespace portico::host::platform
