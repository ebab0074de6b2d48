#include "host/base/Text.h"
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

/// The manifest's defaults, and what the test wants otherwise.
std::map<std::string, std::string, std::less<>> configOf(const Manifest& manifest, const TestSettings& settings)
{
    auto values = settings.config;
    for (const auto& [key, value] : values)
        if (!manifest.config.contains(key))
            throw std::runtime_error("TestSettings::config: expected a setting that the manifest declares, found " + key);
    for (const auto& [key, setting] : manifest.config)
        if (setting.defaultValue) values.try_emplace(key, *setting.defaultValue);
    return values;
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
      _state(_clock),
      _blobs(settings.blobQuotaBytesPerScope)
{
    if (_manifest->migrations) _durable.emplace(*_manifest, settings.databaseUrl, _clock);
}

TestContext::~TestContext() = default;

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
