#pragma once

#include "host/plugins/binary/BinaryCheck.h"
#include "host/plugins/binary/Library.h"
#include "host/plugins/lifecycle/GenerationStore.h"
#include "host/plugins/lifecycle/LifecycleSettings.h"
#include "host/plugins/lifecycle/PageStore.h"
#include "host/plugins/lifecycle/PluginThread.h"
#include "host/plugins/quarantine/CrashHandler.h"
#include "host/plugins/runtime/Generation.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// One copy of a plugin from its file to its end: verified, loaded, started, serving, drained, stopped, unloaded. The lifecycle thread
/// alone calls it, each step once and in that order; a step that throws leaves what `discard` undoes.
class PluginInstance : public std::enable_shared_from_this<PluginInstance>
{
public:
    /// The settings, the dependencies and the store outlive this.
    PluginInstance(std::shared_ptr<const Manifest> manifest, std::uint64_t number, const LifecycleSettings& settings,
                   const LifecycleDependencies& dependencies, GenerationStore& store);
    PluginInstance(const PluginInstance&) = delete;
    PluginInstance& operator=(const PluginInstance&) = delete;
    ~PluginInstance();

    /// Manifest of the installed folder; after `verify`, of the private copy.
    const Manifest& manifest() const noexcept { return *_manifest; }
    const std::shared_ptr<const Manifest>& manifestPointer() const noexcept { return _manifest; }
    const std::shared_ptr<Generation>& generation() const noexcept { return _generation; }
    /// Hash of the private copy; empty before `verify`.
    const std::string& sha256() const noexcept { return _checked.sha256; }
    /// Why it is trusted, for people; empty before `verify`.
    const std::string& provenance() const noexcept { return _provenance; }
    /// It is loaded without a signature, because a setting names it.
    bool byException() const noexcept { return _byException; }
    const std::shared_ptr<const std::vector<RouteInfo>>& routes() const noexcept { return _routes; }
    const std::shared_ptr<const std::vector<PageBuild>>& pages() const noexcept { return _pages; }

    /// Makes the private copy and checks its signature and contents without loading it. @throws std::runtime_error with every fault.
    void verify();
    /// Puts the pages of the copy where they are served from. @throws std::runtime_error
    void keepPages(PageStore& store);
    void migrate() { _dependencies.contexts.migrate(*_manifest); }
    /// Loads the copy. @throws std::runtime_error
    void load();
    /// Makes and starts the plugin, collects its routes and asks for its health. @throws std::runtime_error
    void start();
    /// Compares what it declared with its manifest. @throws std::runtime_error with every fault.
    void checkDeclarations();
    /// Findings of `checkDeclarations` that are not faults.
    const std::vector<std::string>& warnings() const noexcept { return _warnings; }

    /// Makes it visible to other plugins, jobs and events. The route table already has it.
    void activate();
    /// No new request, job, event or call enters; true when none is inside any more.
    bool drain(std::chrono::milliseconds patience);
    /// Stops and destroys the plugin's object. Empty, or why it could not be done.
    std::string stop();
    /// False if a setting or the build keeps the code in memory.
    bool mayUnmap() const noexcept { return !buildNeverUnmaps() && _settings.unmap && _manifest->unmap; }
    /// Unmaps the code. Empty, or why it stays.
    std::string unload();

    /// Nothing of the plugin runs: what was left undone for that reason can be done.
    bool isAtRest();

private:
    void bringUp();
    void enter(const char* step);
    std::string clearRegistrations();
    std::string whyNotUnmapped() const;

    std::shared_ptr<const Manifest> _manifest;
    const LifecycleSettings& _settings;
    const LifecycleDependencies& _dependencies;
    GenerationStore& _store;
    std::shared_ptr<Generation> _generation;
    std::optional<PrivateCopy> _copy;
    CheckedLibrary _checked;
    std::string _provenance;
    bool _byException = false;
    std::optional<Library> _library;
    MappedImages::Slot _image = MappedImages::capacity;
    std::unique_ptr<GenerationContext> _context;

    /// The thread that is inside the plugin: its start, or its stop. Kept only while it has not come back.
    std::unique_ptr<PluginThread> _inside;
    std::atomic<const char*> _step{"constructor"};
    std::atomic<bool> _givenUp{false};
    Plugin* _plugin = nullptr;
    bool _started = false;
    std::vector<RouteDeclaration> _declarations;
    std::shared_ptr<const std::vector<RouteInfo>> _routes;
    std::shared_ptr<const std::vector<PageBuild>> _pages;
    std::vector<std::string> _warnings;
};

} // namespace portico::host::plugins
