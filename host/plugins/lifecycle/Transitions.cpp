#include "host/plugins/lifecycle/Transitions.h"

#include <utility>

namespace portico::host::plugins
{

namespace
{
constexpr const char* leftOutText =
    "the host runs in safe mode (--safe-mode or plugins.safeMode), in which only what came with it is started: "
    "restart it without";
}

Transitions::Transitions(LifecycleSettings settings, const LifecycleParts& parts, StatusBoard& board)
    : _settings(std::move(settings)), _parts(parts), _table(_settings, parts.clock, board), _cycle(_settings, parts, _table)
{
}

void Transitions::startAll(Operation& operation)
{
    _cycle.settleResidents(operation);
    _table.refresh(operation);
    for (auto& [id, service] : _table.entries())
    {
        service.enabled = _settings.enabled(id);
        if (!service.enabled)
            _table.setState(service, State::Disabled);
        else if (service.leftOut)
            leaveOut(service, operation);
        else if (const auto reason = _table.obstacle(service); !reason.empty())
            _table.fail(service, reason, operation);
    }
    for (const auto& id : _table.startOrder())
        if (auto& service = _table.at(id); service.wanted() && !service.current) _cycle.replace(service, operation);
    // Also when nothing could be started: the routes of switched off services answer 503.
    if (!operation.step("publish", "", [&] { _parts.publisher.publish(_table.publishedSet()); })) operation.fail("", operation.lastError());
    registerServices(operation);
}

void Transitions::enable(const std::string& serviceId, Operation& operation)
{
    _cycle.settleResidents(operation);
    _table.refresh(operation);
    auto* service = _table.find(serviceId, operation);
    if (!service) return;
    service->enabled = true;
    _cycle.forgive(*service);
    if (service->leftOut) return operation.fail(serviceId, leftOutText);
    if (service->current)
        operation.note(serviceId, "it serves already");
    else
        _cycle.replace(*service, operation);
    registerServices(operation);
}

void Transitions::disable(const std::string& serviceId, Operation& operation)
{
    _cycle.settleResidents(operation);
    auto* service = _table.find(serviceId, operation);
    if (!service) return;
    service->enabled = false;
    _cycle.switchOff(*service, State::Disabled, operation);
    registerServices(operation);
}

void Transitions::reload(const std::string& serviceId, Operation& operation)
{
    _cycle.settleResidents(operation);
    _table.refresh(operation);
    auto* service = _table.find(serviceId, operation);
    if (!service) return;
    if (!service->enabled) return operation.fail(serviceId, "it is disabled: enable it first");
    if (service->leftOut) return operation.fail(serviceId, leftOutText);
    _cycle.forgive(*service);
    _cycle.replace(*service, operation);
    registerServices(operation);
}

void Transitions::migrate(const std::string& serviceId, Operation& operation)
{
    _table.refresh(operation);
    auto* service = _table.find(serviceId, operation);
    if (!service) return;
    if (!service->installed) return operation.fail(serviceId, lines(service->manifestErrors));
    _cycle.migrate(*service, operation);
}

void Transitions::reloadAll(Operation& operation)
{
    _cycle.settleResidents(operation);
    _table.refresh(operation);
    for (auto& [id, service] : _table.entries()) service.enabled = _settings.enabled(id);
    for (const auto& id : _table.stopOrder())
        if (auto& service = _table.at(id); !service.enabled && service.state != State::Disabled)
            _cycle.switchOff(service, State::Disabled, operation);
    for (auto& [id, service] : _table.entries())
        if (service.enabled && service.leftOut)
            leaveOut(service, operation);
        else if (service.enabled && !_table.obstacle(service).empty())
            _table.fail(service, _table.obstacle(service), operation);
    for (const auto& id : _table.startOrder())
        if (auto& service = _table.at(id); service.wanted()) _cycle.replace(service, operation);
    registerServices(operation);
}

void Transitions::stopAll(Operation& operation)
{
    _cycle.settleResidents(operation);
    for (const auto& id : _table.stopOrder())
        if (auto& service = _table.at(id); service.current) _cycle.switchOff(service, State::Stopped, operation);
    for (auto& [id, service] : _table.entries())
        if (std::exchange(service.waiting, std::nullopt)) _table.setState(service, State::Stopped);
    _untold.reset();
    _cycle.settleResidents(operation);
}

std::map<std::string, std::chrono::steady_clock::time_point> Transitions::retries() const
{
    std::map<std::string, std::chrono::steady_clock::time_point> times;
    for (const auto& [id, service] : _table.entries())
        if (service.waiting) times.emplace(id, service.waiting->nextTry);
    if (_untold) times.emplace("", _untold->nextTry);
    return times;
}

void Transitions::retry(const std::string& serviceId, Operation& operation)
{
    if (serviceId.empty()) return registerServices(operation, std::exchange(_untold, std::nullopt));
    const auto before = _table.at(serviceId).waiting;
    // Whatever goes wrong below, the next try is not at once.
    if (before) _table.at(serviceId).waiting = waitFor(before->what, before->tries, _settings.retry, std::chrono::steady_clock::now());
    _cycle.settleResidents(operation);
    _table.refresh(operation);
    auto* service = _table.find(serviceId, operation);
    if (!service || !before) return;
    _cycle.replace(*service, operation, before);
    if (service->current) registerServices(operation);
}

void Transitions::leaveOut(ServiceEntry& service, Operation& operation)
{
    service.lastError = leftOutText;
    _table.setState(service, State::Disabled);
    operation.note(service.id, leftOutText);
}

void Transitions::registerServices(Operation& operation, const std::optional<Waiting>& before)
{
    _untold.reset();
    if (!_parts.registration) return;
    std::optional<std::map<std::string, std::string>> refused;
    if (!operation.step("register", "", [&] { refused = _parts.registration->announce(_table.publishedSet()); }))
    {
        const auto& away = operation.lastAway();
        if (!away.empty()) _untold = waitFor(away, before ? before->tries : 0, _settings.retry, std::chrono::steady_clock::now());
        return operation.note("", "the registry of services could not be informed: " + operation.lastError());
    }
    if (!refused) return;
    bool changed = false;
    for (auto& [id, service] : _table.entries())
    {
        const auto report = refused->find(id);
        const bool registered = report == refused->end();
        changed = changed || service.registered != registered;
        service.registered = registered;
        service.registrationReport = registered ? std::string() : report->second;
        if (!registered) operation.note(id, "it is not complete, its protected routes answer 503: " + report->second);
    }
    if (changed && !operation.step("publish", "", [&] { _parts.publisher.publish(_table.publishedSet()); }))
        operation.fail("", operation.lastError());
    _table.show();
}

} // namespace portico::host::plugins
