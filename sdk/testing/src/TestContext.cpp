#include "portico/testing/TestContext.h"

#include <stdexcept>

namespace portico::testing
{

namespace
{

HostInfo hostInfo(const TestSettings& settings)
{
    HostInfo info;
    info.version = "test";
    info.serviceId = settings.serviceId;
    info.serviceVersion = settings.serviceVersion;
    info.origin = "http://" + settings.serviceId + ".localhost:8080";
    info.origins = {{settings.serviceId, info.origin}};
    info.pluginDirectory = settings.pluginDirectory.string();
    info.plainHttp = true;
    return info;
}

} // namespace

TestContext::Durable::Durable(const TestSettings& settings, const Clock& clock)
    : tables(settings.serviceId, settings.migrations, clock, settings.databaseUrl),
      jobs(tables.database(), clock),
      events(tables.database(), clock),
      mailer(tables.database(), clock)
{
}

TestContext::TestContext(const TestSettings& settings)
    : _host(hostInfo(settings)), _config(settings.config), _state(_clock), _blobs(settings.blobQuotaBytesPerScope)
{
    if (!settings.migrations.empty()) _durable.emplace(settings, _clock);
}

TestContext::~TestContext() = default;

std::atomic<std::uint64_t>& TestContext::hostCounter(std::string_view name)
{
    const std::lock_guard lock(_countersMutex);
    return _counters.try_emplace(std::string(name), 0).first->second;
}

TestContext::Durable& TestContext::durable()
{
    if (!_durable) throw std::logic_error(_host.serviceId + " has no database: set TestSettings::migrations to its folder of migrations");
    return *_durable;
}

} // namespace portico::testing
