#pragma once

#include "portico/Plugin.h"
#include "portico/testing/FakeBlobs.h"
#include "portico/testing/FakeCalls.h"
#include "portico/testing/FakeChannels.h"
#include "portico/testing/FakeClock.h"
#include "portico/testing/FakeDeliveries.h"
#include "portico/testing/FakeEvents.h"
#include "portico/testing/FakeHelpers.h"
#include "portico/testing/FakeHttpClient.h"
#include "portico/testing/FakeJobs.h"
#include "portico/testing/FakeLogger.h"
#include "portico/testing/FakeMailer.h"
#include "portico/testing/FakeMetrics.h"
#include "portico/testing/FakeServices.h"
#include "portico/testing/FakeStateStore.h"
#include "portico/testing/TestDatabase.h"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace portico::host::plugins
{
struct Manifest;
}

namespace portico::testing
{

/// Which plugin a test runs, and what it runs on.
struct TestSettings
{
    /// The folder of the plugin's manifest.json, which is read and checked as a host does: the service's id and version, the defaults of
    /// its settings, its migrations (none: no database, so no jobs, mails and published events either), and what its routes are held
    /// against.
    std::filesystem::path pluginDirectory = ".";
    /// Settings that are to be other than the manifest's defaults; full keys. They are checked and read as a host does it: of a
    /// `secretFile` the test names the file.
    std::map<std::string, std::string, std::less<>> config = {};
    std::uint64_t blobQuotaBytesPerScope = std::numeric_limits<std::uint64_t>::max();
    /// A PostgreSQL database, `postgresql://…`, used as it is. Empty: selected by the environment (`TestDatabase`).
    std::string databaseUrl = {};
    /// Services beside this one, each at `http://<id>.localhost:8080`.
    std::vector<std::string> neighbours = {};
};

/// The context that a plugin gets from its host, made of fakes that the test can access.
class PORTICO_API TestContext final : public PluginContext
{
public:
    /// @throws std::runtime_error with every fault of the manifest and of the settings, and for undeclared settings.
    explicit TestContext(const TestSettings& settings);
    ~TestContext() override;

    const host::plugins::Manifest& manifest() const noexcept { return *_manifest; }

    const HostInfo& host() const override { return _host; }
    const Config& config() const override { return _config; }
    FakeLogger& logger() override { return _logger; }
    const FakeClock& clock() const override { return _clock; }
    FakeClock& clock() { return _clock; }
    Database& database() override { return durable().tables.database(); }
    FakeStateStore& state() override { return _state; }
    FakeJobs& jobs() override { return durable().jobs; }
    FakeEvents& events() override { return durable().events; }
    FakeChannels& channels() override { return _channels; }
    FakeDeliveries& deliveries() override { return durable().deliveries; }
    FakeBlobs& blobs() override { return _blobs; }
    FakeMailer& mailer() override { return durable().mailer; }
    FakeHttpClient& http() override { return _http; }
    FakeServices& services() override { return _services; }
    FakeMetrics& metrics() override { return _metrics; }
    std::atomic<std::uint64_t>& hostCounter(std::string_view name) override;
    FakeCalls& calls() override { return _calls; }
    FakeHelpers& helpers() override { return _helpers; }

private:
    friend class TestHost;

    /// Drops the registrations of the plugin's generation.
    void forget();

    struct Durable
    {
        Durable(const host::plugins::Manifest& manifest, const std::string& databaseUrl, const Clock& clock);
        TestDatabase tables;
        FakeJobs jobs;
        FakeEvents events;
        FakeDeliveries deliveries;
        FakeMailer mailer;
    };
    /// @throws std::logic_error without migrations.
    Durable& durable();

    const std::shared_ptr<const host::plugins::Manifest> _manifest;
    const HostInfo _host;
    const Config _config;
    FakeClock _clock;
    FakeLogger _logger;
    FakeMetrics _metrics;
    FakeHttpClient _http;
    FakeCalls _calls;
    FakeHelpers _helpers;
    FakeServices _services{_manifest};
    FakeStateStore _state;
    FakeBlobs _blobs;
    FakeChannels _channels;
    std::optional<Durable> _durable;
    std::mutex _countersMutex;
    std::map<std::string, std::atomic<std::uint64_t>, std::less<>> _counters;
};

} // namespace portico::testing
