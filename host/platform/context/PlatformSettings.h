#pragma once

#include "host/data/DatabaseEngine.h"
#include "host/platform/blobs/FileBlobs.h"
#include "host/platform/mail/MailTransport.h"
#include "host/platform/outbound/GuardedHttpClient.h"
#include "host/platform/outbound/TraceExporter.h"
#include "host/platform/s3/S3Store.h"
#include "host/platform/state/MemoryStateStore.h"
#include "host/platform/state/StateEngine.h"
#include "host/telemetry/LogSink.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace portico::host::platform
{

/// Facts about the host for plugins. They may change while the host runs; the next generation gets the new ones.
struct HostFacts
{
    std::string version;
    /// Canonical browser origin of every enabled service by its id.
    std::map<std::string, std::string, std::less<>> origins;
    /// True when every origin is plain http on loopback.
    bool plainHttp = false;
    /// Services whose data `porticoctl dev reset` may delete (`plugins.resettable`).
    std::vector<std::string> resettable = {};
    /// An installed plugin provides the registry of webhooks, also if it is disabled or cannot start. The value at the start is used.
    bool hasWebhooks = false;
};

/// Settings of the platform. Defaults are those of `etc/portico.properties`, whose keys are named beside them.
struct PlatformSettings
{
    /// Blobs are kept below it, and mails when there is no server (`state.directory`).
    std::filesystem::path stateDirectory;
    /// The platform's own migrations, `share/portico/migrations/platform`.
    std::filesystem::path migrations;
    /// `database.*`
    data::DatabaseSettings database;
    /// `log.*`
    telemetry::LogSettings log;
    /// `outbound.*`
    HttpClientSettings http;
    /// `tracing.*`
    TraceSettings traces;
    /// `mail.*`; an empty folder (`mail.directory`) means `mail` in the state directory.
    MailSettings mail;
    /// Bytes that one scope (usually an organization) may keep in one service (`blobs.quotaBytes`).
    std::uint64_t blobQuotaBytesPerScope = std::uint64_t{10} << 30;
    /// The bucket that blobs are in instead of files (`blobs.store`, `blobs.s3.*`).
    std::optional<S3Settings> s3;
    /// Short-lived values of one service, in bytes (`state.limitBytes`).
    std::size_t stateLimitBytes = MemoryStateStore::defaultLimitBytes;
    /// Where they are instead when hosts share them (`state.store`, `state.redis.*`).
    std::optional<RedisSettings> redis;
    /// Sets of labels of one metric (`metrics.seriesLimit`).
    std::size_t metricSeriesLimit = 1'000;
    /// Threads that run plugins' jobs and deliver events to them (`jobs.threads`).
    std::size_t workThreads = 4;
    /// Threads that wait for other servers: mail and webhooks (`jobs.networkThreads`).
    std::size_t networkThreads = 4;
    /// Threads for plugins' jobs that wait for other servers (`jobs.serverThreads`).
    std::size_t serverThreads = 8;
    /// Processes of helpers at a time (`helpers.processes`).
    std::size_t helperProcesses = 2;
    /// After this time without a sign of life a job is given to another host (`jobs.leaseSeconds`).
    std::chrono::milliseconds jobLease{60'000};
    /// Events that were delivered are kept that long (`events.keepHours`).
    std::chrono::hours keepEvents{7 * 24};

    std::filesystem::path blobDirectory() const { return stateDirectory / "blobs"; }
    /// Where the outputs of helpers take their room.
    std::filesystem::path helperDirectory() const { return stateDirectory / "helpers"; }
};

} // namespace portico::host::platform
