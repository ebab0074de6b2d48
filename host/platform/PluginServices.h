#pragma once

#include "host/plugins/InterfaceRegistry.h"

#include "portico/Services.h"

#include <memory>
#include <utility>

namespace portico::host::platform
{

/// What a generation sees as `Services`: the host's registry, with the generation as the one who offers.
class PluginServices final : public Services
{
public:
    PluginServices(std::shared_ptr<plugins::Generation> generation, plugins::InterfaceRegistry& registry)
        : _generation(std::move(generation)), _registry(registry)
    {
    }

protected:
    void provideInterface(std::string_view name, ServiceInterface& implementation) override
    {
        _registry.offer(_generation, name, implementation);
    }
    std::unique_ptr<LeaseHandle> findInterface(std::string_view name, ServiceInterface*& found) override
    {
        return _registry.find(name, found);
    }

private:
    const std::shared_ptr<plugins::Generation> _generation;
    plugins::InterfaceRegistry& _registry;
};

} // namespace portico::host::platform
