#pragma once

#include "host/platform/calls/HostCalls.h"
#include "host/platform/context/ServiceResources.h"
#include "host/platform/events/PluginEvents.h"
#include "host/platform/helpers/PluginHelpers.h"
#include "host/platform/jobs/PluginJobs.h"
#include "host/plugins/runtime/Contracts.h"
#include "host/plugins/runtime/InterfaceRegistry.h"

#include "portico/Logger.h"
#include "portico/Services.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace portico::host::platform
{

/// A generation's view of `Services`: the host's registry, with the generation as provider and consumer.
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
        _log.warning("an interface is provided in a version that this plugin cannot use: the plugin continues without it",
                     {{"interface", name}, {"compiled", version}, {"provided", provided}});
    }

    const std::shared_ptr<plugins::Generation> _generation;
    plugins::InterfaceRegistry& _registry;
    Logger& _log;
    std::atomic_flag _warned;
};

/// All that one generation of a plugin gets from the host, and the record of what it registered. Ends before the platform does.
class HostPluginContext final : public plugins::GenerationContext
{
public:
    HostPluginContext(HostInfo host, Config config, ServiceResources& resources, bool hasDatabase, std::vector<std::string> helpers,
                      const std::shared_ptr<plugins::Generation>& generation, const SharedParts& shared, Subscriptions& subscriptions,
                      plugins::InterfaceRegistry& interfaces);
    ~HostPluginContext() override { HostPluginContext::deactivate(); }

    const HostInfo& host() const override { return _host; }
    const Config& config() const override { return _config; }
    Logger& logger() override { return _resources.logger(); }
    const Clock& clock() const override { return _shared.clock; }
    Database& database() override;
    StateStore& state() override { return _resources.state(); }
    /// @throws std::logic_error without a database, as mailer() and deliveries().
    Jobs& jobs() override;
    Events& events() override { return _events; }
    Channels& channels() override { return _resources.channels(); }
    Deliveries& deliveries() override;
    Blobs& blobs() override { return _resources.blobs(); }
    Mailer& mailer() override;
    HttpClient& http() override { return _shared.http; }
    Services& services() override { return _services; }
    Metrics& metrics() override { return _resources.metrics(); }
    std::atomic<std::uint64_t>& hostCounter(std::string_view name) override { return _resources.counters()[name]; }
    Calls& calls() override { return _calls; }
    Helpers& helpers() override { return _helpers; }

    void activate() override;
    void deactivate() override;
    std::vector<std::string> clear() override;

private:
    template <class Part>
    auto& require(Part& part, const char* what);

    const HostInfo _host;
    const Config _config;
    ServiceResources& _resources;
    const SharedParts& _shared;
    plugins::InterfaceRegistry& _interfaces;
    const std::shared_ptr<plugins::Generation> _generation;
    /// Null when the manifest declares no migrations.
    const std::shared_ptr<ServiceDurables> _durables;
    std::optional<PluginJobs> _jobs;
    std::optional<MailQueue> _mailer;
    std::optional<PluginDeliveries> _deliveries;
    PluginEvents _events;
    PluginServices _services;
    HostCalls _calls;
    PluginHelpers _helpers;
};

} // namespace portico::host::platform
