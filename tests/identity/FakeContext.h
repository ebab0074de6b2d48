#pragma once

#include "host/platform/state/MemoryStateStore.h"
#include "platform/TestClock.h"
#include "support/TestDatabase.h"

#include "portico/Plugin.h"

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace portico::tests
{

/// Keeps what a plugin registers, and runs it when the test says so.
class FakeJobs final : public Jobs
{
public:
    void handle(std::string_view type, std::function<void(const Job&)> run) override { _handlers[std::string(type)] = std::move(run); }
    void backOff(std::string_view, std::vector<std::chrono::milliseconds>) override {}
    void onFailure(std::string_view, std::function<void(const Job&, std::string_view)>) override {}
    std::string enqueue(Session&, std::string_view, std::string_view, const Options&) override { return {}; }
    bool cancel(Session&, std::string_view) override { return false; }
    bool cancelByKey(Session&, std::string_view) override { return false; }
    void every(std::string_view, std::chrono::seconds) override {}
    using Jobs::enqueue;
    using Jobs::handle;
    using Jobs::onFailure;
    void run(const std::string& type) { _handlers.at(type)(Job{}); }

private:
    std::map<std::string, std::function<void(const Job&)>> _handlers;
};

class FakeServices final : public Services
{
public:
    template <class I>
    I& get()
    {
        return static_cast<I&>(*_provided.at(std::string(I::interfaceName)));
    }

private:
    void provideInterface(std::string_view name, std::string_view, ServiceInterface& implementation) override
    {
        _provided[std::string(name)] = &implementation;
    }
    std::unique_ptr<LeaseHandle> findInterface(std::string_view, std::string_view, ServiceInterface*&) override { return nullptr; }
    std::vector<std::string> interfaceProviders(std::string_view, std::string_view) override { return {}; }
    std::unique_ptr<LeaseHandle> findInterfaceOf(std::string_view, std::string_view, std::string_view, ServiceInterface*&) override
    {
        return nullptr;
    }
    std::map<std::string, ServiceInterface*> _provided;
};

class FakeMailer final : public Mailer
{
public:
    std::string send(Session&, const Mail& mail) override
    {
        const std::scoped_lock lock(_mutex);
        sent.push_back(mail);
        return {};
    }
    std::vector<Mail> sent;

private:
    std::mutex _mutex;
};

class SilentLogger final : public Logger
{
public:
    void write(LogLevel, std::string_view, Fields) override {}
    bool enabled(LogLevel) const noexcept override { return false; }
};

/// A host for one plugin: a real database that was migrated, real short-lived values, and a clock that stands still.
class FakeContext final : public PluginContext
{
public:
    FakeContext(Dialect dialect, std::map<std::string, std::string, std::less<>> settings);

    const HostInfo& host() const override { return hostInfo; }
    const Config& config() const override { return _config; }
    Logger& logger() override { return _logger; }
    const Clock& clock() const override { return testClock; }
    Database& database() override { return *_database; }
    StateStore& state() override { return _state; }
    Jobs& jobs() override { return fakeJobs; }
    Services& services() override { return fakeServices; }
    Mailer& mailer() override { return fakeMailer; }
    Events& events() override { absent(); }
    Channels& channels() override { absent(); }
    Deliveries& deliveries() override { absent(); }
    Blobs& blobs() override { absent(); }
    HttpClient& http() override { absent(); }
    Metrics& metrics() override { absent(); }
    std::atomic<std::uint64_t>& hostCounter(std::string_view name) override { return _counters[name]; }

    HostInfo hostInfo;
    TestClock testClock;
    FakeJobs fakeJobs;
    FakeServices fakeServices;
    FakeMailer fakeMailer;

private:
    [[noreturn]] static void absent();

    Config _config;
    SilentLogger _logger;
    TestDatabase _place;
    std::unique_ptr<host::data::ServiceDatabase> _database;
    host::platform::MemoryStateStore _state{testClock};
    host::platform::HostCounters _counters;
};

} // namespace portico::tests
