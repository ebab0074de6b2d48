#include "host/plugins/Transitions.h"

#include "host/plugins/Discovery.h"

#include <algorithm>
#include <stdexcept>

namespace portico::host::plugins
{

namespace
{
std::string lines(const std::vector<std::string>& texts)
{
    std::string all;
    for (const auto& text : texts) all += (all.empty() ? "" : "\n") + text;
    return all;
}

std::string staysInMemory(const TrackedInstance& tracked, const std::string& reason)
{
    return "generation " + std::to_string(tracked.report.number) + " stays in memory: " + reason;
}
} // namespace

Transitions::Transitions(LifecycleSettings settings, const LifecycleParts& parts, StatusBoard& board)
    : _settings(std::move(settings)),
      _parts(parts),
      _board(board),
      _store(_settings.stateDirectory),
      _instanceParts{_store, parts.contexts, parts.interfaces, _settings.unmap, _settings.stopPatience}
{
}

void Transitions::startAll(Operation& operation)
{
    refresh(operation);
    for (auto& [id, service] : _services)
    {
        service.enabled = _settings.enabled(id);
        if (!service.enabled)
            setState(service, State::Disabled);
        else if (const auto reason = obstacle(service); !reason.empty())
            fail(service, reason, operation);
    }
    for (const auto& id : _plan.order)
        if (auto& service = _services.at(id); service.enabled && !service.current) replace(service, operation);
    // Also when nothing could be started: the routes of switched off services answer 503.
    if (!operation.step("publish", "", [&] { _parts.publisher.publish(publishedSet()); })) operation.fail("", operation.lastError());
    registerServices(operation);
}

void Transitions::enable(const std::string& serviceId, Operation& operation)
{
    refresh(operation);
    auto* service = find(serviceId, operation);
    if (!service) return;
    service->enabled = true;
    if (service->current)
        operation.note(serviceId, "it serves already");
    else
        replace(*service, operation);
    registerServices(operation);
}

void Transitions::disable(const std::string& serviceId, Operation& operation)
{
    settleResidents(operation);
    auto* service = find(serviceId, operation);
    if (!service) return;
    service->enabled = false;
    switchOff(*service, State::Disabled, operation);
    registerServices(operation);
}

void Transitions::reload(const std::string& serviceId, Operation& operation)
{
    refresh(operation);
    auto* service = find(serviceId, operation);
    if (!service) return;
    if (!service->enabled) return operation.fail(serviceId, "it is disabled: enable it first");
    replace(*service, operation);
    registerServices(operation);
}

void Transitions::reloadAll(Operation& operation)
{
    refresh(operation);
    for (auto& [id, service] : _services) service.enabled = _settings.enabled(id);
    for (const auto& id : stopOrder())
        if (auto& service = _services.at(id); !service.enabled && service.state != State::Disabled)
            switchOff(service, State::Disabled, operation);
    for (auto& [id, service] : _services)
        if (service.enabled && !obstacle(service).empty()) fail(service, obstacle(service), operation);
    for (const auto& id : _plan.order)
        if (auto& service = _services.at(id); service.enabled) replace(service, operation);
    registerServices(operation);
}

void Transitions::stopAll(Operation& operation)
{
    settleResidents(operation);
    for (const auto& id : stopOrder())
        if (auto& service = _services.at(id); service.current) switchOff(service, State::Stopped, operation);
    settleResidents(operation);
}

std::vector<std::string> Transitions::stopOrder() const
{
    std::vector<std::string> order(_plan.order.rbegin(), _plan.order.rend());
    // Those that serve and stand in no plan any more, because their manifests broke meanwhile.
    for (const auto& [id, service] : _services)
        if (std::ranges::find(order, id) == order.end()) order.push_back(id);
    return order;
}

void Transitions::refresh(Operation& operation)
{
    settleResidents(operation);
    auto found = discover(_reader, _settings.pluginDirectories);
    for (const auto& warning : found.warnings) operation.note("", warning);
    std::erase_if(_services, [&](const auto& known)
                  { return !found.plugins.contains(known.first) && !known.second.current && known.second.residents.empty(); });

    std::vector<std::shared_ptr<const Manifest>> manifests;
    for (auto& [id, service] : _services)
    {
        service.installed.reset();
        service.manifestErrors = {"its folder is gone"};
    }
    for (auto& [id, plugin] : found.plugins)
    {
        auto& service = _services[id];
        if (service.id.empty())
        {
            service.id = id;
            service.enabled = _settings.enabled(id);
            service.state = service.enabled ? State::Discovered : State::Disabled;
            service.since = _parts.clock.now();
        }
        service.manifestFile = plugin.file;
        service.installed = plugin.manifest;
        service.manifestErrors = std::move(plugin.errors);
        if (!service.publishedManifest) service.publishedManifest = plugin.manifest;
        if (plugin.manifest) manifests.push_back(plugin.manifest);
    }
    _plan = planDependencies(manifests);
    show();
}

ServiceEntry* Transitions::find(const std::string& serviceId, Operation& operation)
{
    const auto found = _services.find(serviceId);
    if (found != _services.end()) return &found->second;
    std::string known;
    for (const auto& [id, service] : _services) known += (known.empty() ? "" : ", ") + id;
    operation.fail(serviceId, "there is no such service; installed are: " + (known.empty() ? "none" : known));
    return nullptr;
}

std::string Transitions::obstacle(const ServiceEntry& service) const
{
    if (!service.installed) return lines(service.manifestErrors);
    const auto faults = _plan.faults.find(service.id);
    return faults == _plan.faults.end() ? std::string() : lines(faults->second);
}

void Transitions::replace(ServiceEntry& service, Operation& operation)
{
    if (const auto reason = obstacle(service); !reason.empty()) return fail(service, reason, operation);
    const std::string before = service.current ? service.current->instance->sha256() : "";
    if (!bringUp(service, operation) || !publishCandidate(service, operation)) return discard(service, operation.lastError(), operation);
    operation.changed(service.id, before.empty() ? "started" : "replaced", before, service.current->instance->sha256());
    retire(service, operation);
}

bool Transitions::bringUp(ServiceEntry& service, Operation& operation)
{
    auto instance = std::make_shared<Instance>(service.installed, ++service.lastNumber, _instanceParts);
    service.candidate = std::make_unique<TrackedInstance>();
    service.candidate->instance = instance;
    service.candidate->report.number = service.lastNumber;
    service.candidate->report.version = service.installed->version;
    if (!service.current) setState(service, State::Starting);
    setState(*service.candidate, State::Discovered);

    const auto step = [&](const char* name, auto&& work) { return operation.step(name, service.id, work); };
    if (!step("verify", [&] { instance->verify(); })) return false;
    service.candidate->report.sha256 = instance->sha256();
    setState(*service.candidate, State::Verified);
    if (!step("migrate", [&] { instance->migrate(); })) return false;
    setState(*service.candidate, State::Migrated);
    if (!step("load", [&] { instance->load(); })) return false;
    setState(*service.candidate, State::Starting);
    return step("start", [&] { instance->start(); }) && step("check", [&] { instance->checkDeclarations(); }) &&
           judgeHealth(service, operation);
}

bool Transitions::judgeHealth(ServiceEntry& service, Operation& operation)
{
    std::string ill;
    for (const auto& check : service.candidate->instance->health())
        if (!check.healthy) ill += (ill.empty() ? "" : ", ") + check.name + " (" + check.detail + ")";
    if (ill.empty()) return true;
    if (!service.current)
    {
        // Nothing better serves, and what it depends on may come back.
        operation.note(service.id, "it starts although it is not healthy: " + ill);
        return true;
    }
    return operation.step("health", service.id, [&] { throw std::runtime_error("it is not healthy: " + ill); });
}

bool Transitions::publishCandidate(ServiceEntry& service, Operation& operation)
{
    auto& instance = *service.candidate->instance;
    const auto published =
        operation.step("publish", service.id,
                       [&]
                       {
                           auto set = publishedSet();
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
    setState(*service.current, State::Serving);
    setState(service, State::Serving);
    return true;
}

void Transitions::discard(ServiceEntry& service, const std::string& reason, Operation& operation)
{
    fail(service,
         (service.current ? "generation " + std::to_string(service.current->report.number) + " serves on; the new one was refused: " : "") +
             reason,
         operation);
    auto tracked = std::move(service.candidate);
    // A publisher that threw may have been seen by nobody, but who entered is waited for.
    tracked->instance->generation()->drain(std::chrono::seconds(tracked->instance->manifest().drainSeconds));
    unload(service, std::move(tracked), operation);
    show();
}

void Transitions::retire(ServiceEntry& service, Operation& operation)
{
    if (!service.retiring) return;
    auto& instance = *service.retiring->instance;
    setState(*service.retiring, State::Draining);
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

void Transitions::unload(ServiceEntry& service, std::unique_ptr<TrackedInstance> tracked, Operation& operation)
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
    if (reason.empty()) return show();
    if (instance.mayUnmap()) operation.note(service.id, staysInMemory(*tracked, reason));
    tracked->instance.reset();
    keepResident(service, std::move(tracked), reason);
}

void Transitions::keepResident(ServiceEntry& service, std::unique_ptr<TrackedInstance> tracked, const std::string& reason)
{
    tracked->report.reason = reason;
    setState(*tracked, State::Resident);
    service.residents.push_back(std::move(*tracked));
    show();
}

void Transitions::settleResidents(Operation& operation)
{
    for (auto& [id, service] : _services)
        for (auto& resident : service.residents)
        {
            if (!resident.instance || !resident.instance->isAtRest()) continue;
            std::string left;
            operation.step("settle", id, [&] { left = resident.instance->stop(); });
            // Its code is never unmapped: it was where it should not have been once.
            if (left.empty()) resident.instance.reset();
        }
    show();
}

void Transitions::switchOff(ServiceEntry& service, State state, Operation& operation)
{
    const std::string before = service.current ? service.current->instance->sha256() : "";
    service.retiring = std::move(service.current);
    service.lastError.clear();
    setState(service, state);
    if (!operation.step("publish", service.id, [&] { _parts.publisher.publish(publishedSet()); }))
        operation.fail(service.id, operation.lastError());
    operation.changed(service.id, name(state), before, "");
    retire(service, operation);
}

PublishedService Transitions::published(const ServiceEntry& service) const
{
    PublishedService result{.manifest = service.publishedManifest,
                            .status = ServiceStatus::Disabled,
                            .generation = {},
                            .routes = service.routes ? service.routes : std::make_shared<const std::vector<RouteInfo>>(),
                            .origins = _settings.origins(*service.publishedManifest),
                            .registered = service.registered};
    if (service.current)
    {
        result.status = ServiceStatus::Serving;
        result.generation = service.current->instance->generation();
    }
    else if (service.state == State::Quarantined)
        result.status = ServiceStatus::Quarantined;
    else if (service.enabled && service.state != State::Stopped)
        result.status = ServiceStatus::Failed;
    return result;
}

std::vector<PublishedService> Transitions::publishedSet() const
{
    std::vector<PublishedService> set;
    for (const auto& [id, service] : _services)
        if (service.publishedManifest) set.push_back(published(service));
    return set;
}

void Transitions::registerServices(Operation& operation)
{
    if (!_parts.registration) return;
    std::optional<std::map<std::string, std::string>> refused;
    if (!operation.step("register", "", [&] { refused = _parts.registration->announce(publishedSet()); }))
        return operation.note("", "the registry of services could not be told: " + operation.lastError());
    if (!refused) return;
    bool changed = false;
    for (auto& [id, service] : _services)
    {
        const auto report = refused->find(id);
        const bool registered = report == refused->end();
        changed = changed || service.registered != registered;
        service.registered = registered;
        service.registrationReport = registered ? std::string() : report->second;
        if (!registered) operation.note(id, "it is not complete, its protected routes answer 503: " + report->second);
    }
    if (changed && !operation.step("publish", "", [&] { _parts.publisher.publish(publishedSet()); }))
        operation.fail("", operation.lastError());
    show();
}

void Transitions::setState(ServiceEntry& service, State state)
{
    if (service.state != state) service.since = _parts.clock.now();
    service.state = state;
    show();
}

void Transitions::setState(TrackedInstance& tracked, State state)
{
    tracked.report.state = state;
    tracked.report.since = _parts.clock.now();
    show();
}

void Transitions::fail(ServiceEntry& service, const std::string& reason, Operation& operation)
{
    service.lastError = reason;
    operation.fail(service.id, reason);
    if (!service.current) setState(service, State::Failed);
    show();
}

void Transitions::show()
{
    std::vector<StatusBoard::Entry> entries;
    for (const auto& [id, service] : _services) entries.push_back(service.report());
    _board.write(std::move(entries));
}

} // namespace portico::host::plugins
