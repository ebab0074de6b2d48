#pragma once

#include "portico/Plugin.h"
#include "portico/testing/FakeBlobs.h"
#include "portico/testing/FakeClock.h"
#include "portico/testing/FakeEvents.h"
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
#include <mutex>
#include <optional>
#include <string>

namespace portico::testing
{

/// The plugin as its manifest would describe it.
struct TestSettings
{
    std::string serviceId;
    std::string serviceVersion = "1.0.0";
    /// Folder of the plugin's migrations; empty: no database, so no jobs, mails and published events either.
    std::filesystem::path migrations = {};
    /// Full keys; there are no defaults here, because nobody reads the manifest.
    std::map<std::string, std::string, std::less<>> config = {};
    /// Folder of the plugin's files.
    std::filesystem::path pluginDirectory = {};
    std::uint64_t blobQuotaBytesPerScope = std::numeric_limits<std::uint64_t>::max();
    /// An empty PostgreSQL database, `postgresql://…`; empty: SQLite in a temporary folder.
    std::string databaseUrl = {};
};

/// What a plugin gets from its host, made of fakes that the test reaches beside it.
class PORTICO_API TestContext final : public PluginContext
{
public:
    explicit TestContext(const TestSettings& settings);
    ~TestContext() override;

    const HostInfo& host() const override { return _host; }
    const Config& config() const override { return _config; }
    FakeLogger& logger() override { return _logger; }
    const FakeClock& clock() const override { return _clock; }
    FakeClock& clock() { return _clock; }
    Database& database() override { return durable().tables.database(); }
    FakeStateStore& state() override { return _state; }
    FakeJobs& jobs() override { return durable().jobs; }
    FakeEvents& events() override { return durable().events; }
    FakeBlobs& blobs() override { return _blobs; }
    FakeMailer& mailer() override { return durable().mailer; }
    FakeHttpClient& http() override { return _http; }
    FakeServices& services() override { return _services; }
    FakeMetrics& metrics() override { return _metrics; }
    std::atomic<std::uint64_t>& hostCounter(std::string_view name) override;

private:
    struct Durable
    {
        Durable(const TestSettings& settings, const Clock& clock);
        TestDatabase tables;
        FakeJobs jobs;
        FakeEvents events;
        FakeMailer mailer;
    };
    /// @throws std::logic_error without migrations.
    Durable& durable();

    const HostInfo _host;
    const Config _config;
    FakeClock _clock;
    FakeLogger _logger;
    FakeMetrics _metrics;
    FakeHttpClient _http;
    FakeServices _services;
    FakeStateStore _state;
    FakeBlobs _blobs;
    std::optional<Durable> _durable;
    std::mutex _countersMutex;
    std::map<std::string, std::atomic<std::uint64_t>, std::less<>> _counters;
};

} // namespace portico::testing
