#pragma once

#include "platform/TestClock.h"
#include "support/TestDatabase.h"

#include "host/data/Migrator.h"
#include "host/platform/events/Outbox.h"
#include "host/platform/jobs/JobLane.h"
#include "host/platform/jobs/SignallingDatabase.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace portico::tests
{

/// Runs what the test says, for jobs of type `test`.
class ScriptedRunner : public host::platform::JobRunner
{
public:
    std::vector<std::string> types() const override { return runnable ? std::vector<std::string>{"test"} : std::vector<std::string>{}; }
    host::platform::RunResult run(const host::platform::ClaimedJob& job, std::stop_token stop) override
    {
        return onRun(job, std::move(stop));
    }
    bool followsWrites(const std::string&) const override { return follows; }
    std::chrono::milliseconds retryDelay(const host::platform::ClaimedJob& job) const override { return job.attempt * delay; }
    void gaveUp(const host::platform::ClaimedJob& job, std::string_view error) override { onFailure(job, error); }

    std::atomic<bool> runnable{true};
    std::atomic<bool> follows{false};
    std::chrono::milliseconds delay{1'000};
    std::function<void(const host::platform::ClaimedJob&, std::string_view)> onFailure = [](const auto&, auto) {};
    std::function<host::platform::RunResult(const host::platform::ClaimedJob&, std::stop_token)> onRun =
        [](const host::platform::ClaimedJob&, std::stop_token) { return host::platform::RunResult::Done; };
};

/// A descriptor that takes everything, for logs without a reader.
class NullDevice
{
public:
    NullDevice() : _descriptor(::open("/dev/null", O_WRONLY | O_CLOEXEC)) {}
    NullDevice(const NullDevice&) = delete;
    NullDevice& operator=(const NullDevice&) = delete;
    ~NullDevice() { ::close(_descriptor); }
    host::telemetry::LogSettings settings() const
    {
        host::telemetry::LogSettings settings;
        settings.descriptor = _descriptor;
        return settings;
    }

private:
    int _descriptor;
};

/// A service's database with the platform's tables, and a lane that runs jobs only when the test says so.
class JobFixture
{
public:
    explicit JobFixture(Dialect dialect)
        : place(dialect),
          database(migrated(place, clock), [this] { ++signals; }),
          store(database, clock),
          outbox(database, store, clock),
          log(clock, _null.settings()),
          lane(laneSettings(), clock, log, metrics),
          queue("crm", store, {&runner})
    {
    }

    std::string enqueue(host::platform::NewJob job = {})
    {
        if (job.type.empty()) job.type = "test";
        return database.transact([&](Transaction& transaction) { return store.enqueue(transaction, job); });
    }
    std::string enqueueWithKey(const std::string& key)
    {
        host::platform::NewJob job;
        job.dedupeKey = key;
        return enqueue(job);
    }
    std::vector<host::platform::JobSummary> jobs(host::platform::JobState state = host::platform::JobState::Any) const
    {
        return store.list(state, 1'000);
    }

    static std::unique_ptr<Database> migrated(const TestDatabase& place, const Clock& clock)
    {
        auto database = place.open();
        host::data::migrate(*database, {"portico", PLATFORM_MIGRATIONS}, clock.now());
        return database;
    }
    static host::platform::LaneSettings laneSettings()
    {
        host::platform::LaneSettings settings;
        settings.name = "test";
        settings.lease = std::chrono::seconds(60);
        // Polls would hide that a poke is missing.
        settings.pollShared = settings.pollOwn = std::chrono::hours(1);
        return settings;
    }

private:
    NullDevice _null;

public:
    TestClock clock;
    TestDatabase place;
    std::atomic<int> signals{0};
    host::platform::SignallingDatabase database;
    host::platform::JobStore store;
    host::platform::Outbox outbox;
    host::telemetry::LogSink log;
    host::telemetry::MetricsRegistry metrics;
    ScriptedRunner runner;
    host::platform::JobLane lane;
    host::platform::JobLane::Queue queue;
};

} // namespace portico::tests
