#pragma once

#include "platform/JobFixture.h"
#include "support/TestDatabase.h"

#include "host/platform/context/Platform.h"

#include <fstream>
#include <memory>
#include <string>
#include <thread>

namespace portico::tests
{

/// One generation with its context, as the lifecycle would hold them.
struct Loaded
{
    std::shared_ptr<host::plugins::Generation> generation;
    std::unique_ptr<host::plugins::GenerationContext> context;
    host::plugins::InterfaceRegistry* interfaces = nullptr;

    host::plugins::GenerationContext* operator->() const { return context.get(); }
    void publish() const
    {
        generation->serve();
        interfaces->announce(*generation);
        context->activate();
    }
    std::vector<std::string> retire() const
    {
        context->deactivate();
        generation->drain(std::chrono::seconds(30));
        return context->clear();
    }
};

/// A platform on its own directory and database; what a test stores there outlives it.
class PlatformFixture
{
public:
    explicit PlatformFixture(Dialect dialect) : place(dialect)
    {
        settings.stateDirectory = directory.path() / "state";
        settings.migrations = PLATFORM_MIGRATIONS;
        settings.database = place.settings;
        settings.log = _null.settings();
        settings.http.allowedNetworks = {"127.0.0.0/8"};
        settings.mail.from = "Portico <noreply@portico.example>";
        restart();
    }

    /// Ends the platform, if there is one, and makes another on the same data.
    void restart()
    {
        platform.reset();
        platform = std::make_unique<host::platform::Platform>(settings, configuration, facts, clock, TestDatabase::factory(), interfaces);
    }

    /// Migrates and starts a generation of a service; `publish` makes it serve.
    Loaded load(const std::string& serviceId, bool withDatabase = true)
    {
        host::plugins::Manifest manifest = manifestOf(serviceId);
        if (withDatabase) manifest.migrations = directory.path() / "migrations" / serviceId;
        platform->migrate(manifest);
        Loaded loaded;
        loaded.generation =
            std::make_shared<host::plugins::Generation>(std::make_shared<host::plugins::Manifest>(manifest), ++_generations);
        loaded.context = platform->create(manifest, loaded.generation);
        loaded.interfaces = &interfaces;
        return loaded;
    }

    std::vector<host::platform::JobSummary> jobs(std::string_view serviceId = "crm",
                                                 host::platform::JobState state = host::platform::JobState::Any)
    {
        return platform->listJobs(serviceId, state, 1'000);
    }
    /// Until none waits, runs or is dead.
    void waitForNoJobs(std::string_view serviceId = "crm")
    {
        while (!jobs(serviceId).empty()) std::this_thread::yield();
    }
    /// The dead letters of crm, once there are this many.
    std::vector<host::platform::JobSummary> waitForDead(std::size_t count = 1)
    {
        while (true)
            if (auto dead = jobs("crm", host::platform::JobState::Dead); dead.size() >= count) return dead;
    }
    /// The job of crm, of this type if one is named, that waits after this many attempts.
    host::platform::JobSummary waitForAttempt(int attempt, std::string_view type = {})
    {
        while (true)
            for (const auto& job : jobs("crm", host::platform::JobState::Waiting))
                if (job.attempt == attempt && (type.empty() || job.type == type)) return job;
    }

    host::plugins::Manifest manifestOf(const std::string& serviceId) const
    {
        host::plugins::Manifest manifest;
        manifest.file = directory.path() / "plugins" / serviceId / "manifest.json";
        manifest.serviceId = serviceId;
        manifest.version = "1.2.3";
        manifest.provides = provides;
        manifest.helpers = helpers;
        manifest.config["limit"] = {"integer", "7", {}, {}, ""};
        return manifest;
    }

private:
    NullDevice _null;
    std::uint64_t _generations = 0;

public:
    TemporaryDirectory directory;
    TestDatabase place;
    TestClock clock;
    std::vector<host::plugins::InterfaceReference> provides;
    std::vector<std::string> helpers;
    host::platform::PlatformSettings settings;
    host::platform::Settings configuration;
    host::platform::HostFacts facts;
    host::plugins::InterfaceRegistry interfaces;
    std::unique_ptr<host::platform::Platform> platform;
};

} // namespace portico::tests
