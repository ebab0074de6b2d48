#include "host/plugins/lifecycle/Rollout.h"

#include <algorithm>
#include <stdexcept>

namespace portico::host::plugins
{

Rollout::Rollout(const LifecycleSettings& settings, const LifecycleDependencies& dependencies, ServiceTable& table,
                 Registration& registration)
    : _settings(settings),
      _dependencies(dependencies),
      _table(table),
      _registration(registration),
      _markers(settings.stateDirectory),
      _crashes(settings.stateDirectory),
      _served(settings.stateDirectory),
      _store(settings.stateDirectory),
      _pages(settings.stateDirectory, dependencies.clock)
{
}

void Rollout::replace(ServiceEntry& service, Operation& operation, std::optional<Waiting> before)
{
    service.quarantined = false;
    service.waiting.reset();
    if (const auto reason = _table.obstacle(service); !reason.empty()) return _table.fail(service, reason, operation);
    const std::string from = service.current ? service.current->instance->sha256() : "";
    try
    {
        bringUp(service, operation);
        publishCandidate(service, operation);
    }
    catch (const StepFailed&)
    {
        return discard(service, before ? before->tries : 0, operation);
    }
    for (const auto& warning : _table.warnings(service)) operation.note(service.serviceId, warning);
    for (const auto& warning : service.current->instance->warnings()) operation.note(service.serviceId, warning);
    if (before) operation.note(service.serviceId, "it had waited for " + before->what + "; tries before: " + std::to_string(before->tries));
    operation.changed(service.serviceId, from.empty() ? "started" : "replaced", from, service.current->instance->sha256(),
                      service.current->instance->provenance());
    if (const auto text = _served.note(service.serviceId, service.current->instance->manifest().version); !text.empty())
        operation.note(service.serviceId, text);
    if (service.retiring) retire(service, operation);
}

void Rollout::bringUp(ServiceEntry& service, Operation& operation)
{
    auto instance = std::make_shared<PluginInstance>(service.installed, ++service.lastNumber, _settings, _dependencies, _store);
    service.candidate = std::make_unique<TrackedInstance>();
    service.candidate->instance = instance;
    service.candidate->report.number = service.lastNumber;
    service.candidate->report.version = service.installed->version;
    if (!service.current) _table.setState(service, State::Starting);
    _table.setState(*service.candidate, State::Discovered);

    operation.require("verify", service.serviceId, [&] { instance->verify(); });
    service.candidate->report.sha256 = instance->sha256();
    service.candidate->report.provenance = instance->provenance();
    if (instance->byException())
        operation.note(service.serviceId, "it is not signed, and is loaded because plugins.allowUnsigned names it");
    _table.setState(*service.candidate, State::Verified);
    operation.require("migrate", service.serviceId, [&] { instance->migrate(); });
    _table.setState(*service.candidate, State::Migrated);
    requireNoQuarantine(service, operation);
    if (service.installed->web) operation.require("pages", service.serviceId, [&] { instance->keepPages(_pages); });
    loadAndStart(service, operation);
    operation.require("check", service.serviceId, [&] { instance->checkDeclarations(); });
    checkHealth(service, operation);
}

void Rollout::migrate(ServiceEntry& service, Operation& operation)
try
{
    const auto instance = std::make_shared<PluginInstance>(service.installed, ++service.lastNumber, _settings, _dependencies, _store);
    operation.require("verify", service.serviceId, [&] { instance->verify(); });
    operation.require("migrate", service.serviceId, [&] { instance->migrate(); });
    if (!service.enabled) close(service, operation);
}
catch (const StepFailed&)
{
    operation.fail(service.serviceId, operation.lastError());
    if (!service.enabled) close(service, operation);
}

void Rollout::requireNoQuarantine(ServiceEntry& service, Operation& operation)
{
    const auto& sha256 = service.candidate->instance->sha256();
    const auto reason = _markers.isQuarantined(service.serviceId, sha256) ? std::string("its start ended the host twice in a row")
                                                                          : _crashes.whyQuarantined(service.serviceId, sha256);
    service.quarantined = !reason.empty();
    if (!service.quarantined) return;
    operation.require("quarantine", service.serviceId,
                      [&] {
                          throw std::runtime_error(
                              reason + ", so it is quarantined: install another file, or have it tried again by enabling or reloading it");
                      });
}

void Rollout::release(const ServiceEntry& service)
{
    _markers.release(service.serviceId);
    _crashes.release(service.serviceId, _dependencies.clock.now());
}

void Rollout::loadAndStart(ServiceEntry& service, Operation& operation)
{
    auto& instance = *service.candidate->instance;
    _markers.begin(service.serviceId, instance.sha256());
    _table.setState(*service.candidate, State::Starting);
    const bool started = operation.step("load", service.serviceId, [&] { instance.load(); }) &&
                         operation.step("start", service.serviceId, [&] { instance.start(); });
    _markers.end(service.serviceId, started);
    if (!started) throw StepFailed();
}

void Rollout::checkHealth(const ServiceEntry& service, Operation& operation)
{
    std::string ill;
    for (const auto& check : service.candidate->instance->generation()->health())
        if (!check.healthy && check.neededToServe)
            ill += (ill.empty() ? "'" : ", '") + check.name + (check.detail.empty() ? "'" : "' (" + check.detail + ")");
    if (ill.empty()) return;
    if (service.current)
        operation.require("health", service.serviceId, [&] { throw std::runtime_error("this does not work that it depends on: " + ill); });
    // Nothing better serves, and what it depends on may come back.
    operation.note(service.serviceId, "it starts although something it depends on does not work: " + ill);
}

void Rollout::publishCandidate(ServiceEntry& service, Operation& operation)
{
    auto& instance = *service.candidate->instance;
    operation.require("publish", service.serviceId,
                      [&]
                      {
                          auto set = _table.publishedSet();
                          // Inserted in order of ids, so that an unchanged set compares equal.
                          const auto idOf = [](const auto& other) -> const std::string& { return other.manifest->serviceId; };
                          auto place = std::ranges::lower_bound(set, service.serviceId, {}, idOf);
                          if (place == set.end() || idOf(*place) != service.serviceId) place = set.emplace(place);
                          *place = {.manifest = instance.manifestPointer(),
                                    .status = ServiceStatus::Serving,
                                    .generation = instance.generation(),
                                    .routes = instance.routes(),
                                    .origins = _settings.origins(instance.manifest()),
                                    .pages = instance.pages()};
                          _registration.announce(set, instance.manifest(), operation);
                          for (auto& other : set) other.registered = _table.at(other.manifest->serviceId).registered;
                          const auto show = _dependencies.publisher.prepare(std::move(set));
                          // Before the swap: requests that find the new table must find it serving.
                          instance.generation()->serve();
                          show();
                      });
    if (!operation.step("activate", service.serviceId, [&] { instance.activate(); }))
        operation.note(service.serviceId, operation.lastError());
    service.retiring = std::move(service.current);
    service.current = std::move(service.candidate);
    service.publishedManifest = instance.manifestPointer();
    service.publishedRoutes = instance.routes();
    service.publishedPages = instance.pages();
    if (instance.pages()) _pages.served(*instance.pages());
    service.lastError.clear();
    _table.setState(*service.current, State::Serving);
    _table.setState(service, State::Serving);
}

void Rollout::discard(ServiceEntry& service, unsigned triesBefore, Operation& operation)
{
    if (const auto& away = operation.lastUnavailable(); !away.empty() && !service.current)
        service.waiting = waitFor(away, triesBefore, _settings.retry, std::chrono::steady_clock::now());
    const auto servesOn = service.current
                              ? "generation " + std::to_string(service.current->report.number) + " serves on; the new one was refused: "
                              : std::string();
    _table.fail(service, servesOn + operation.lastError(), operation);
    if (service.waiting) operation.note(service.serviceId, "it waits for " + service.waiting->what + ", and is retried automatically");
    auto tracked = std::move(service.candidate);
    // If the publisher threw, requests may still have entered. The drain waits for them.
    tracked->instance->generation()->drain(std::chrono::seconds(tracked->instance->manifest().drainSeconds));
    unload(service, std::move(tracked), operation);
    _table.show();
}

void Rollout::retire(ServiceEntry& service, Operation& operation)
{
    auto& instance = *service.retiring->instance;
    _table.setState(*service.retiring, State::Draining);
    const std::chrono::seconds patience(instance.manifest().drainSeconds);
    const auto drained =
        operation.step("drain", service.serviceId,
                       [&]
                       {
                           if (instance.drain(patience)) return;
                           throw std::runtime_error(std::to_string(instance.generation()->inFlight()) +
                                                    " requests, jobs or calls were still inside after " + std::to_string(patience.count()) +
                                                    " s (plugin.lifecycle.drainSeconds)");
                       });
    if (drained)
        unload(service, std::move(service.retiring), operation);
    else
        keepResident(service, std::move(service.retiring), operation.lastError(), operation);
}

void Rollout::unload(ServiceEntry& service, std::unique_ptr<TrackedInstance> tracked, Operation& operation)
{
    auto& instance = *tracked->instance;
    std::string reason = "its code is still running";
    const bool stopped = instance.isAtRest() && operation.step("stop", service.serviceId,
                                                               [&]
                                                               {
                                                                   reason = instance.stop();
                                                                   if (!reason.empty()) throw std::runtime_error(reason);
                                                               });
    if (!stopped) return keepResident(service, std::move(tracked), reason, operation);
    operation.step("unmap", service.serviceId, [&] { reason = instance.unload(); });
    if (reason.empty()) return _table.show();
    // If code is never unmapped, this needs no report.
    const bool expected = !instance.mayUnmap();
    tracked->instance.reset();
    keepResident(service, std::move(tracked), reason, operation, expected);
}

void Rollout::keepResident(ServiceEntry& service, std::unique_ptr<TrackedInstance> tracked, const std::string& reason, Operation& operation,
                           bool expected)
{
    if (!expected)
        operation.note(service.serviceId, "generation " + std::to_string(tracked->report.number) + " stays in memory: " + reason);
    tracked->report.reason = reason;
    _table.setState(*tracked, State::Resident);
    service.residents.push_back(std::move(*tracked));
    _table.show();
}

void Rollout::settleResidents(Operation& operation)
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

void Rollout::switchOff(ServiceEntry& service, State state, Operation& operation)
{
    const std::string before = service.current ? service.current->instance->sha256() : "";
    service.retiring = std::move(service.current);
    service.lastError.clear();
    service.waiting.reset();
    _table.setState(service, state);
    if (!operation.step("publish", service.serviceId, [&] { _dependencies.publisher.publish(_table.publishedSet()); }))
        operation.fail(service.serviceId, operation.lastError());
    operation.changed(service.serviceId, name(state), before, "", "");
    if (service.retiring) retire(service, operation);
    _store.removeSpare(service.serviceId);
    if (state == State::Disabled || service.removed) close(service, operation);
}

void Rollout::close(const ServiceEntry& service, Operation& operation)
{
    if (service.current || std::ranges::any_of(service.residents, [](const auto& resident) { return resident.instance != nullptr; }))
        return;
    if (!operation.step("close", service.serviceId, [&] { _dependencies.contexts.close(service.serviceId); }))
        operation.note(service.serviceId, "its database stays open: " + operation.lastError());
}

} // namespace portico::host::plugins
