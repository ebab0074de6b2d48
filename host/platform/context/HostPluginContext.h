#pragma once

#include "host/platform/context/PluginServices.h"
#include "host/platform/context/ServiceResources.h"
#include "host/platform/events/PluginEvents.h"
#include "host/platform/jobs/PluginJobs.h"
#include "host/plugins/runtime/Contracts.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace portico::host::platform
{

/// All that one generation of a plugin gets from the host, and the record of what it registered. Ends before the platform does.
class HostPluginContext final : public plugins::GenerationContext
{
public:
    HostPluginContext(HostInfo host, Config config, ServiceResources& resources, bool hasDatabase,
                      const std::shared_ptr<plugins::Generation>& generation, const SharedParts& shared, Subscriptions& subscriptions,
                      plugins::InterfaceRegistry& interfaces);
    ~HostPluginContext() override;

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

    void activate() override;
    void deactivate() override;
    std::vector<std::string> clear() override;

private:
    [[noreturn]] void throwNoDatabase(const char* what) const;

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
};

} // namespace portico::host::platform
