#include "host/plugins/lifecycle/GenerationCycle.h"

#include <algorithm>
#include <stdexcept>

namespace portico::host::plugins
{

namespace
{
std::string staysInMemory(const TrackedInstance& tracked, const std::string& reason)
{
    return "generation " + std::to_string(tracked.report.number) + " stays in memory: " + reason;
}
} // namespace

GenerationCycle::GenerationCycle(const LifecycleSettings& settings, const LifecycleParts& parts, ServiceTable& table)
    : _settings(settings),
      _parts(parts),
      _table(table),
      _markers(settings.stateDirectory),
      _crashes(settings.stateDirectory),
      _served(settings.stateDirectory),
      _store(settings.stateDirectory),
      _instanceParts{_store, settings.trust, parts.contexts, parts.interfaces, settings.unmap, settings.stopPatience}
{
}

void GenerationCycle::replace(ServiceEntry& service, Operation& operation, std::optional<Waiting> before)
{
    service.heldBack = false;
    service.waiting.reset();
    if (const auto reason = _table.obstacle(service); !reason.empty()) return _table.fail(service, reason, operation);
    const std::string from = service.current ? service.current->instance->sha256() : "";
    if (!bringUp(service, operation) || !publishCandidate(service, operation))
    {
        if (const auto& away = operation.lastAway(); !away.empty() && !service.current)
            service.waiting = waitFor(away, before ? before->tries : 0, _settings.retry, std::chrono::steady_clock::now());
        return discard(service, operation.lastError(), operation);
    }
    for (const auto& warning : _table.warnings(service)) operation.note(service.id, warning);
    for (const auto& warning : service.current->instance->warnings()) operation.note(service.id, warning);
    if (before) operation.note(service.id, "it had waited for " + before->what + "; tries before: " + std::to_string(before->tries));
    operation.changed(service.id, from.empty() ? "started" : "replaced", from, service.current->instance->sha256(),
                      service.current->instance->provenance());
    if (const auto text = _served.note(service.id, service.current->instance->manifest().version); !text.empty())
        operation.note(service.id, text);
    retire(service, operation);
}

bool GenerationCycle::bringUp(ServiceEntry& service, Operation& operation)
{
    auto instance = std::make_shared<Instance>(service.installed, ++service.lastNumber, _instanceParts);
    service.candidate = std::make_unique<TrackedInstance>();
    service.candidate->instance = instance;
    service.candidate->report.number = service.lastNumber;
    service.candidate->report.version = service.installed->version;
    if (!service.current) _table.setState(service, State::Starting);
    _table.setState(*service.candidate, State::Discovered);

    const auto step = [&](const char* name, auto&& work) { return operation.step(name, service.id, work); };
    if (!step("verify", [&] { instance->verify(); })) return false;
    service.candidate->report.sha256 = instance->sha256();
    service.candidate->report.provenance = instance->provenance();
    if (instance->byException()) operation.note(service.id, "it is not signed, and is loaded because plugins.allowUnsigned names it");
    _table.setState(*service.candidate, State::Verified);
    if (!step("migrate", [&] { instance->migrate(); })) return false;
    _table.setState(*service.candidate, State::Migrated);
    return !isHeldBack(service, operation) && loadAndStart(service, operation) && step("check", [&] { instance->checkDeclarations(); }) &&
           judgeHealth(service, operation);
}

void GenerationCycle::migrate(ServiceEntry& service, Operation& operation)
{
    const auto instance = std::make_shared<Instance>(service.installed, ++service.lastNumber, _instanceParts);
    if (!operation.step("verify", service.id, [&] { instance->verify(); }) ||
        !operation.step("migrate", service.id, [&] { instance->migrate(); }))
        operation.fail(service.id, operation.lastError());
    if (!service.enabled) close(service, operation);
}

bool GenerationCycle::isHeldBack(ServiceEntry& service, Operation& operation)
{
    const auto& sha256 = service.candidate->instance->sha256();
    const auto reason = _markers.isHeldBack(service.id, sha256) ? std::string("its start ended the host twice in a row")
                                                                : _crashes.whyHeldBack(service.id, sha256);
    service.heldBack = !reason.empty();
    if (!service.heldBack) return false;
    operation.step("quarantine", service.id,
                   [&] {
                       throw std::runtime_error(
                           reason + ", so it is held back: install another file, or have it tried again by enabling or reloading it");
                   });
    return true;
}

void GenerationCycle::forgive(const ServiceEntry& service)
{
    _markers.forgive(service.id);
    _crashes.forgive(service.id, _parts.clock.now());
}

bool GenerationCycle::loadAndStart(ServiceEntry& service, Operation& operation)
{
    auto& instance = *service.candidate->instance;
    _markers.begin(service.id, instance.sha256());
    _table.setState(*service.candidate, State::Starting);
    const bool started =
        operation.step("load", service.id, [&] { instance.load(); }) && operation.step("start", service.id, [&] { instance.start(); });
    _markers.end(service.id, started);
    return started;
}

bool GenerationCycle::judgeHealth(ServiceEntry& service, Operation& operation)
{
    std::string ill;
    for (const auto& check : service.candidate->instance->generation()->health())
        if (!check.healthy && check.neededToServe)
            ill += (ill.empty() ? "'" : ", '") + check.name + (check.detail.empty() ? "'" : "' (" + check.detail + ")");
    if (ill.empty()) return true;
    if (!service.current)
    {
        // Nothing better serves, and what it depends on may come back.
        operation.note(service.id, "it starts although something it depends on does not work: " + ill);
        return true;
    }
    return operation.step("health", service.id, [&] { throw std::runtime_error("this does not work that it depends on: " + ill); });
}

bool GenerationCycle::publishCandidate(ServiceEntry& service, Operation& operation)
{
    auto& instance = *service.candidate->instance;
    const auto published =
        operation.step("publish", service.id,
                       [&]
                       {
                           auto set = _table.publishedSet();
                           std::erase_if(set, [&](const auto& other) { return other.manifest->serviceId == service.id; });
                           set.push_back({.manifest = instance.manifestPointer(),
                                          .status = ServiceStatus::Serving,
                                          .generation = instance.generation(),
                                          .routes = instance.routes(),
                                          .origins = _settings.origins(instance.manifest()),
                                          .registered = service.registered});
                           if (const auto faults = _parts.publisher.check(set); !faults.empty()) throw std::runtime_error(lines(faults));
                           // Before the swap: whoever sees the new table must find it serving.
                           instance.generation()->serve();
                           _parts.publisher.publish(std::move(set));
                       });
    if (!published) return false;
    if (!operation.step("activate", service.id, [&] { instance.activate(); })) operation.note(service.id, operation.lastError());
    service.retiring = std::move(service.current);
    service.current = std::move(service.candidate);
    service.publishedManifest = instance.manifestPointer();
    service.routes = instance.routes();
    service.lastError.clear();
    _table.setState(*service.current, State::Serving);
    _table.setState(service, State::Serving);
    return true;
}

void GenerationCycle::discard(ServiceEntry& service, const std::string& reason, Operation& operation)
{
    _table.fail(
        service,
        (service.current ? "generation " + std::to_string(service.current->report.number) + " serves on; the new one was refused: " : "") +
            reason,
        operation);
    if (service.waiting) operation.note(service.id, "it waits for " + service.waiting->what + " and is tried again by itself");
    auto tracked = std::move(service.candidate);
    // A publisher that threw may have been seen by nobody, but who entered is waited for.
    tracked->instance->generation()->drain(std::chrono::seconds(tracked->instance->manifest().drainSeconds));
    unload(service, std::move(tracked), operation);
    _table.show();
}

void GenerationCycle::retire(ServiceEntry& service, Operation& operation)
{
    if (!service.retiring) return;
    auto& instance = *service.retiring->instance;
    _table.setState(*service.retiring, State::Draining);
    const std::chrono::seconds patience(instance.manifest().drainSeconds);
    const auto drained =
        operation.step("drain", service.id,
                       [&]
                       {
                           if (instance.drain(patience)) return;
                           throw std::runtime_error(std::to_string(instance.generation()->inFlight()) +
                                                    " requests, jobs or calls were still inside after " + std::to_string(patience.count()) +
                                                    " s (plugin.lifecycle.drainSeconds)");
                       });
    if (drained) return unload(service, std::move(service.retiring), operation);
    operation.note(service.id, staysInMemory(*service.retiring, operation.lastError()));
    keepResident(service, std::move(service.retiring), operation.lastError());
}

void GenerationCycle::unload(ServiceEntry& service, std::unique_ptr<TrackedInstance> tracked, Operation& operation)
{
    auto& instance = *tracked->instance;
    std::string reason = "its code is still running";
    const bool stopped = instance.isAtRest() && operation.step("stop", service.id,
                                                               [&]
                                                               {
                                                                   reason = instance.stop();
                                                                   if (!reason.empty()) throw std::runtime_error(reason);
                                                               });
    if (!stopped)
    {
        operation.note(service.id, staysInMemory(*tracked, reason));
        return keepResident(service, std::move(tracked), reason);
    }
    operation.step("unmap", service.id, [&] { reason = instance.unload(); });
    if (reason.empty()) return _table.show();
    if (instance.mayUnmap()) operation.note(service.id, staysInMemory(*tracked, reason));
    tracked->instance.reset();
    keepResident(service, std::move(tracked), reason);
}

void GenerationCycle::keepResident(ServiceEntry& service, std::unique_ptr<TrackedInstance> tracked, const std::string& reason)
{
    tracked->report.reason = reason;
    _table.setState(*tracked, State::Resident);
    service.residents.push_back(std::move(*tracked));
    _table.show();
}

void GenerationCycle::settleResidents(Operation& operation)
{
    for (auto& [id, service] : _table.entries())
        for (auto& resident : service.residents)
        {
            if (!resident.instance || !resident.instance->isAtRest()) continue;
            std::string left;
            operation.step("settle", id, [&] { left = resident.instance->stop(); });
            // Its code is never unmapped: it was where it should not have been once.
            if (left.empty()) resident.instance.reset();
        }
    _table.show();
}

void GenerationCycle::switchOff(ServiceEntry& service, State state, Operation& operation)
{
    const std::string before = service.current ? service.current->instance->sha256() : "";
    service.retiring = std::move(service.current);
    service.lastError.clear();
    service.waiting.reset();
    _table.setState(service, state);
    if (!operation.step("publish", service.id, [&] { _parts.publisher.publish(_table.publishedSet()); }))
        operation.fail(service.id, operation.lastError());
    operation.changed(service.id, name(state), before, "", "");
    retire(service, operation);
    if (state == State::Disabled) close(service, operation);
}

void GenerationCycle::close(const ServiceEntry& service, Operation& operation)
{
    if (service.current || std::ranges::any_of(service.residents, [](const auto& resident) { return resident.instance != nullptr; }))
        return;
    if (!operation.step("close", service.id, [&] { _parts.contexts.close(service.id); }))
        operation.note(service.id, "its database stays open: " + operation.lastError());
}

} // namespace portico::host::plugins
