#include "host/platform/context/HostPluginContext.h"

#include <stdexcept>

namespace portico::host::platform
{

HostPluginContext::HostPluginContext(HostInfo host, Config config, ServiceResources& resources, bool hasDatabase,
                                     std::vector<std::string> helpers, const std::shared_ptr<plugins::Generation>& generation,
                                     const SharedParts& shared, Subscriptions& subscriptions, plugins::InterfaceRegistry& interfaces)
    : _host(std::move(host)),
      _config(std::move(config)),
      _resources(resources),
      _shared(shared),
      _interfaces(interfaces),
      _generation(generation),
      _durables(hasDatabase ? resources.durables() : nullptr),
      _events(generation, subscriptions, _durables ? &_durables->database() : nullptr, _durables ? &_durables->outbox() : nullptr),
      _services(generation, interfaces, resources.logger()),
      _calls(generation, shared.calls),
      _helpers(generation->serviceId(), _host.pluginDirectory, std::move(helpers), shared.helpers, resources.logger(),
               shared.metrics.of({}))
{
    if (_durables == nullptr) return;
    // Old route tables may call this after the service was switched off.
    generation->setCanReadWithoutBlocking(
        [weak = std::weak_ptr(_durables)]
        {
            const auto durables = weak.lock();
            return durables && durables->native().canReadWithoutBlocking();
        });
    _jobs.emplace(generation, _durables->database(), _durables->jobs(), _durables->pluginJobs());
    _mailer.emplace(_durables->database(), _durables->jobs(), shared.settings.mail);
    _deliveries.emplace(generation, _durables->database(), _durables->endpoints(), _durables->pluginDeliveries());
}

template <class Part>
auto& HostPluginContext::require(Part& part, const char* what)
{
    if (part) return *part;
    throw std::logic_error(_generation->serviceId() + " has no " + what + ": its manifest declares no migrations (plugin.migrations)");
}

Database& HostPluginContext::database() { return require(_durables, "database").database(); }
Jobs& HostPluginContext::jobs() { return require(_jobs, "database for jobs"); }
Mailer& HostPluginContext::mailer() { return require(_mailer, "database for mails"); }
Deliveries& HostPluginContext::deliveries() { return require(_deliveries, "database for deliveries"); }

void HostPluginContext::activate()
{
    // Deliveries of other services may wait for the registry of webhooks that this one provides.
    _shared.networkLane.pokeAll();
    _events.activate();
    if (!_jobs) return;
    _jobs->activate();
    _deliveries->activate();
    _durables->poke();
}

void HostPluginContext::deactivate()
{
    if (_jobs) _jobs->deactivate();
    if (_deliveries) _deliveries->deactivate();
    _events.deactivate();
    _interfaces.withdraw(*_generation);
}

std::vector<std::string> HostPluginContext::clear()
{
    deactivate();
    std::vector<std::string> left;
    const auto tell = [&left](std::size_t running, const char* what)
    {
        if (running > 0) left.push_back(std::to_string(running) + what);
    };
    _calls.clear();
    tell(_jobs ? _jobs->clear() : 0, " jobs still run");
    tell(_events.clear(), " event deliveries still run");
    tell(_deliveries ? _deliveries->clear() : 0, " signed deliveries still run");
    return left;
}

} // namespace portico::host::platform
