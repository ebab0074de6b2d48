#pragma once

#include "plugins/Fakes.h"

#include "host/plugins/lifecycle/Lifecycle.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace portico::tests
{

/// A temporary folder, removed at the end.
class TemporaryFolder
{
public:
    TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();
    const std::filesystem::path& path() const noexcept { return _path; }

private:
    std::filesystem::path _path;
};

/// A pipe through which a test and a fixture wait for each other.
class Pipe
{
public:
    Pipe();
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe();
    int readingEnd() const noexcept { return _ends[0]; }
    int writingEnd() const noexcept { return _ends[1]; }
    /// Blocks until a byte was written.
    void wait();
    void release();

private:
    int _ends[2];
};

/// A lifecycle with fakes around it and a plugin folder that a test fills with fixtures.
class Workbench
{
public:
    Workbench();
    Workbench(const Workbench&) = delete;
    Workbench& operator=(const Workbench&) = delete;
    ~Workbench();

    /// Members of the fixtures' manifest to change: path as in `plugin.lifecycle.drainSeconds`, and JSON text (empty: removed).
    using Changes = std::map<std::string, std::string>;

    /// Puts a fixture where a service is installed, in place of what was there.
    void install(const std::string& situation, const std::string& serviceId, const Changes& changes = {});
    std::filesystem::path libraryOf(const std::string& serviceId) const { return plugins() / serviceId / "plugin.so"; }
    std::filesystem::path plugins() const { return folder.path() / "plugins"; }
    std::filesystem::path state() const { return folder.path() / "state"; }

    /// Makes the lifecycle with the present settings.
    void begin();
    /// Ends it, stopping what serves.
    void end() { lifecycle.reset(); }
    host::plugins::OperationResult startAll() { return lifecycle->startAll("test").get(); }
    host::plugins::OperationResult reload(const std::string& id) { return lifecycle->reload(id, "test").get(); }
    /// Installs a fixture, makes the lifecycle and starts every service.
    host::plugins::OperationResult serve(const std::string& situation, const std::string& serviceId, const Changes& changes = {})
    {
        install(situation, serviceId, changes);
        begin();
        return startAll();
    }
    /// Installs a fixture in place of the service's present one, and reloads the service.
    host::plugins::OperationResult replace(const std::string& situation, const std::string& serviceId, const Changes& changes = {})
    {
        install(situation, serviceId, changes);
        return reload(serviceId);
    }
    host::plugins::OperationResult enable(const std::string& id) { return lifecycle->enable(id, "test").get(); }
    host::plugins::OperationResult disable(const std::string& id) { return lifecycle->disable(id, "test").get(); }

    host::plugins::ServiceReport report(const std::string& serviceId) const;
    std::string answer(const std::string& serviceId) const { return publisher.get(serviceId, "/answer").second; }
    /// Private copies of libraries in the address space, by the dynamic linker's own list.
    std::size_t mappedCopies() const;

    TemporaryFolder folder;
    Journal journal;
    host::plugins::InterfaceRegistry interfaces;
    FakeContexts contexts;
    FakePublisher publisher;
    SystemClock clock;
    host::plugins::RegistrationLink* registration = nullptr;
    std::map<std::string, bool> switches;
    host::plugins::LifecycleSettings settings;
    std::unique_ptr<host::plugins::Lifecycle> lifecycle;
};

/// The messages of an operation, a line each.
std::string textOf(const host::plugins::OperationResult& result);
/// True where the build never unmaps code, so that it cannot be tested.
bool neverUnmaps();

} // namespace portico::tests
