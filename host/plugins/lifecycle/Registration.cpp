#include "host/plugins/lifecycle/Registration.h"

#include "portico/system/ServiceRegistry.h"

namespace portico::host::plugins
{

void Registration::announce(const std::vector<PublishedService>& set, const Manifest& candidate, Operation& operation)
{
    if (!_link || !_begun || candidate.offers(interfaces::ServiceRegistry::interfaceName)) return;
    std::optional<Refused> refused;
    if (operation.step("announce", candidate.serviceId, [&] { refused = _link->announce(set); }) && refused) note(*refused);
}

bool Registration::tell(Operation& operation, const std::optional<Waiting>& before)
{
    _begun = true;
    waiting.reset();
    if (!_link) return false;
    std::optional<Refused> refused;
    if (!operation.step("register", "", [&] { refused = _link->announce(_table.publishedSet()); }))
    {
        const auto& away = operation.lastUnavailable();
        if (!away.empty()) waiting = waitFor(away, before ? before->tries : 0, _table.retryTimes(), std::chrono::steady_clock::now());
        operation.note("", "the registry of services could not be informed: " + operation.lastError());
    }
    if (!refused) return false;
    for (const auto& [id, report] : *refused)
        if (_table.entries().contains(id)) operation.note(id, "it is not complete, its protected routes answer 503: " + report);
    return note(*refused);
}

bool Registration::note(const Refused& refused)
{
    bool changed = false;
    for (auto& [id, service] : _table.entries())
    {
        const auto report = refused.find(id);
        const bool registered = report == refused.end();
        changed = changed || service.registered != registered;
        service.registered = registered;
        service.registrationReport = registered ? std::string() : report->second;
    }
    _table.show();
    return changed;
}

} // namespace portico::host::plugins
