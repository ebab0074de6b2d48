#pragma once

#include "portico/Plugin.h"
#include "portico/interfaces/Directory.h"

#include <atomic>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace portico::tests
{

/// A clock that moves when it is told to.
class FakeClock final : public Clock
{
public:
    Instant now() const noexcept override { return fromMillis(_millis); }
    std::chrono::steady_clock::time_point steady() const noexcept override
    {
        return std::chrono::steady_clock::time_point(std::chrono::milliseconds(_millis.load()));
    }
    void advance(std::chrono::milliseconds by) { _millis += by.count(); }

private:
    std::atomic<std::int64_t> _millis{toMillis(*parseInstant("2026-11-21T09:00:00Z"))};
};

/// Writes events into a table, as the outbox does, so that a test sees which of them were committed.
class FakeEvents final : public Events
{
public:
    void publish(Session& session, std::string_view type, std::string_view organizationId, std::string_view data) override;
    void subscribe(std::string_view, std::function<void(const Event&)>) override {}
    /// The next publication throws.
    std::atomic<bool> failing{false};
};

class FakeJobs final : public Jobs
{
public:
    void handle(std::string_view type, std::function<void(const Job&)> run) override { handlers[std::string(type)] = std::move(run); }
    std::string enqueue(Session&, std::string_view, std::string_view, const Options&) override { return {}; }
    void every(std::string_view type, std::chrono::seconds interval) override { intervals[std::string(type)] = interval; }

    std::map<std::string, std::function<void(const Job&)>> handlers;
    std::map<std::string, std::chrono::seconds> intervals;
};

class FakeDirectory final : public interfaces::Directory
{
public:
    std::optional<interfaces::DirectoryMember> member(std::string_view organizationId, std::string_view userId) override;
    /// Organization and user; active or not.
    std::map<std::pair<std::string, std::string>, bool> members;
};

class FakeServices final : public Services
{
public:
    FakeDirectory directory;
    bool directoryPresent = true;

private:
    void provideInterface(std::string_view, ServiceInterface&) override {}
    std::unique_ptr<LeaseHandle> findInterface(std::string_view name, ServiceInterface*& found) override;
};

class SilentLogger final : public Logger
{
public:
    void write(LogLevel, std::string_view, Fields) override {}
    bool enabled(LogLevel) const noexcept override { return false; }
};

/// What the CRM gets from its host, with what it does not use left out.
class FakeContext final : public Context
{
public:
    explicit FakeContext(Database& database, std::map<std::string, std::string, std::less<>> settings = {});

    const HostInfo& host() const override { return _host; }
    const Config& config() const override { return _config; }
    Logger& logger() override { return _logger; }
    const Clock& clock() const override { return fakeClock; }
    Database& database() override { return _database; }
    StateStore& state() override { notUsed(); }
    Jobs& jobs() override { return fakeJobs; }
    Events& events() override { return fakeEvents; }
    Blobs& blobs() override { notUsed(); }
    Mailer& mailer() override { notUsed(); }
    HttpClient& http() override { notUsed(); }
    Services& services() override { return fakeServices; }
    Metrics& metrics() override { notUsed(); }

    FakeClock fakeClock;
    FakeEvents fakeEvents;
    FakeJobs fakeJobs;
    FakeServices fakeServices;

private:
    [[noreturn]] static void notUsed();

    Database& _database;
    HostInfo _host;
    Config _config;
    SilentLogger _logger;
};

} // namespace portico::tests
