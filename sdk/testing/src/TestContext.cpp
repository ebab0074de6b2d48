#include "host/base/Text.h"
#include "host/platform/config/ServiceConfig.h"
#include "host/platform/events/ChangePublisher.h"
#include "host/plugins/package/ManifestReader.h"

#include "portico/testing/TestContext.h"

#include <stdexcept>

namespace portico::testing
{

namespace
{

using host::plugins::Manifest;

std::shared_ptr<const Manifest> manifestIn(const std::filesystem::path& folder)
{
    auto read = host::plugins::ManifestReader().read(folder / "manifest.json");
    if (!read.manifest) throw std::runtime_error(host::joined("the plugin's manifest is not one that a host takes:", read.errors));
    return std::move(read.manifest);
}

std::string originOf(const std::string& service) { return "http://" + service + ".localhost:8080"; }

HostInfo hostInfo(const Manifest& manifest, const TestSettings& settings)
{
    HostInfo info;
    info.version = "test";
    info.serviceId = manifest.serviceId;
    info.serviceVersion = manifest.version;
    info.origin = originOf(info.serviceId);
    info.origins = {{info.serviceId, info.origin}};
    for (const auto& neighbour : settings.neighbours) info.origins.emplace(neighbour, originOf(neighbour));
    info.pluginDirectory = settings.pluginDirectory.string();
    info.plainHttp = true;
    return info;
}

/// Reads the settings as the host does, but rejects undeclared ones as mistyped; the host ignores them.
Config configOf(const Manifest& manifest, const TestSettings& settings)
{
    auto config = host::platform::makeConfig(manifest, settings.config);
    for (const auto& [key, value] : settings.config)
        if (!config.find(key))
            throw std::runtime_error("TestSettings::config: expected a setting that the manifest declares, found " + key);
    return config;
}

} // namespace

TestContext::Durable::Durable(const Manifest& manifest, const std::string& databaseUrl, const Clock& clock)
    : tables(manifest.serviceId, *manifest.migrations, clock, databaseUrl),
      jobs(tables.database(), clock),
      events(tables.database(), clock),
      deliveries(tables.database(), clock),
      mailer(tables.database(), clock)
{
}

TestContext::TestContext(const TestSettings& settings)
    : _manifest(manifestIn(settings.pluginDirectory)),
      _host(hostInfo(*_manifest, settings)),
      _config(configOf(*_manifest, settings)),
      _helpers(_manifest->helpers),
      _state(_clock),
      _blobs(settings.blobQuotaBytesPerScope)
{
    if (!_manifest->migrations) return;
    _durable.emplace(*_manifest, settings.databaseUrl, _clock);
    _channels.relayBy(
        [this](bool publish)
        {
            for (const auto& event : _durable->events.fresh())
                if (publish) host::platform::publishChange(_channels, event);
        });
}

TestContext::~TestContext() { _channels.relayBy({}); }

void TestContext::forget()
{
    _services.forget();
    if (!_durable) return;
    _durable->jobs.forget();
    _durable->events.forget();
    _durable->deliveries.forget();
}

std::atomic<std::uint64_t>& TestContext::hostCounter(std::string_view name)
{
    const std::lock_guard lock(_countersMutex);
    return _counters.try_emplace(std::string(name), 0).first->second;
}

TestContext::Durable& TestContext::durable()
{
    if (!_durable) throw std::logic_error(_host.serviceId + " has no database: declare its migrations in the manifest (plugin.migrations)");
    return *_durable;
}

} // namespace portico::testing
