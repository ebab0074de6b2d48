#pragma once

#include "host/plugins/package/Manifest.h"
#include "host/plugins/runtime/PluginScope.h"

#include "portico/Health.h"
#include "portico/Routes.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace portico
{
class Plugin;
}

namespace portico::host::plugins
{

/// One loaded copy of a plugin, as requests use it: its phase, the number of requests inside, and the handlers. plugin-lifecycle.md,
/// section 7: a reader raises the count, then reads the phase; the drainer sets the phase, then reads the count. Both are sequentially
/// consistent, so one of them always sees the other.
class Generation
{
public:
    enum class Phase : std::uint8_t
    {
        Starting,
        Serving,
        Draining,
        Stopped,
        Resident
    };

    Generation(std::shared_ptr<const Manifest> manifest, std::uint64_t number);

    const std::string& serviceId() const noexcept { return _manifest->serviceId; }
    const Manifest& manifest() const noexcept { return *_manifest; }
    std::uint64_t number() const noexcept { return _number; }
    Phase phase() const noexcept { return _phase.load(); }
    std::uint64_t inFlight() const noexcept { return _inFlight.load(); }
    /// Asked to stop when draining begins.
    std::stop_token stopToken() const noexcept { return _stop.get_token(); }

    /// Acquires a lease if the generation serves. Pairs with `leave`.
    bool tryEnter() noexcept;
    void leave() noexcept;

    /// Only while a lease is held. Slots are numbered as the plugin declared its routes.
    const Handler& handler(std::size_t slot) const noexcept { return *_handlers[slot]; }
    /// Only while a lease is held, and by one at a time. Empty without a plugin. @throws what the plugin throws
    std::vector<HealthCheck> askHealth() const;

    /// Tag for calls into the plugin: PluginScope.
    const PluginTag& tag() const noexcept { return _tag; }
    /// The plugin's last report of its dependencies, without the database.
    std::vector<HealthCheck> health() const;
    void noteHealth(std::vector<HealthCheck> checks);
    /// The service's database can be read at once, without waiting for a session or a server: a hint. Any thread.
    bool canReadWithoutBlocking() const { return _canReadWithoutBlocking && _canReadWithoutBlocking(); }

    // The lifecycle thread alone calls what follows.
    void setSha256(std::string_view sha256) noexcept { _tag.setSha256(sha256); }
    void setCanReadWithoutBlocking(std::function<bool()> canReadWithoutBlocking)
    {
        _canReadWithoutBlocking = std::move(canReadWithoutBlocking);
    }
    void setHandlers(std::vector<std::unique_ptr<Handler>> handlers) { _handlers = std::move(handlers); }
    void setPlugin(Plugin* plugin) noexcept { _plugin = plugin; }
    /// Forgets the plugin, too.
    void clearHandlers()
    {
        _plugin = nullptr;
        _handlers.clear();
    }
    void serve() noexcept { _phase.store(Phase::Serving); }
    void setPhase(Phase phase) noexcept { _phase.store(phase); }
    /// Refuses new leases, asks running work to stop, and waits until no lease is out; false when the time is over.
    bool drain(std::chrono::milliseconds patience);

private:
    std::shared_ptr<const Manifest> _manifest;
    std::uint64_t _number;
    std::atomic<Phase> _phase{Phase::Starting};
    std::atomic<std::uint64_t> _inFlight{0};
    std::stop_source _stop;
    std::vector<std::unique_ptr<Handler>> _handlers;
    std::function<bool()> _canReadWithoutBlocking;
    Plugin* _plugin = nullptr;
    PluginTag _tag;
    mutable std::mutex _healthMutex;
    std::vector<HealthCheck> _health;
    std::mutex _mutex;
    std::condition_variable _left;
};

/// Keeps a generation alive during one request, job or call. Move-only.
class Lease
{
public:
    Lease() = default;
    /// Empty if the generation does not serve.
    static Lease take(const std::shared_ptr<Generation>& generation) noexcept;
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&& other) noexcept;
    ~Lease() { release(); }
    explicit operator bool() const noexcept { return _generation != nullptr; }
    Generation* operator->() const noexcept { return _generation.get(); }
    void release() noexcept;

private:
    std::shared_ptr<Generation> _generation;
};

} // namespace portico::host::plugins
