#include "host/plugins/lifecycle/ServiceEntry.h"

namespace portico::host::plugins
{

StatusBoard::Entry ServiceEntry::report() const
{
    StatusBoard::Entry entry;
    auto& report = entry.report;
    report.serviceId = id;
    report.state = state;
    report.enabled = enabled;
    report.version = current ? current->instance->manifest().version : installed ? installed->version : std::string();
    report.manifestFile = manifestFile.string();
    report.since = since;
    report.lastError = lastError;
    report.waiting = waiting;
    report.registered = registered;
    report.registrationReport = registrationReport;
    report.routes = routes ? routes->size() : 0;
    const auto add = [&](const TrackedInstance& tracked)
    {
        report.generations.push_back(tracked.report);
        entry.generations.push_back(tracked.instance ? tracked.instance->generation() : nullptr);
    };
    for (const auto* tracked : {current.get(), candidate.get(), retiring.get()})
        if (tracked) add(*tracked);
    for (const auto& resident : residents) add(resident);
    return entry;
}

} // namespace portico::host::plugins
