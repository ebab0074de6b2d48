#include "host/plugins/lifecycle/ServiceTable.h"

#include "host/plugins/package/Discovery.h"

#include <algorithm>

namespace portico::host::plugins
{

StatusBoard::Entry ServiceEntry::forBoard() const
{
    StatusBoard::Entry entry{*this, {}};
    entry.report.version = current ? current->instance->manifest().version : installed ? installed->version : std::string();
    entry.report.routes = publishedRoutes ? publishedRoutes->size() : 0;
    const auto add = [&](const TrackedInstance& tracked)
    {
        entry.report.generations.push_back(tracked.report);
        entry.generations.push_back(tracked.instance ? tracked.instance->generation() : nullptr);
    };
    for (const auto* tracked : {current.get(), candidate.get(), retiring.get()})
        if (tracked) add(*tracked);
    for (const auto& resident : residents) add(resident);
    return entry;
}

namespace
{
/// Copy of an unverified manifest without its web origins, since every service would answer these origins with credentials.
std::shared_ptr<const Manifest> withoutOrigins(const Manifest& manifest)
{
    auto reduced = std::make_shared<Manifest>(manifest);
    reduced->origins.clear();
    reduced->previewOriginPatterns.clear();
    reduced->embedOrigins.clear();
    return reduced;
}
} // namespace

std::string lines(const std::vector<std::string>& texts)
{
    std::string all;
    for (const auto& text : texts) all += (all.empty() ? "" : "\n") + text;
    return all;
}

ServiceTable::ServiceTable(const LifecycleSettings& settings, const Clock& clock, StatusBoard& board)
    : _settings(settings), _clock(clock), _board(board)
{
}

void ServiceTable::refresh(Operation& operation)
{
    auto found = discover(_reader, _settings.pluginDirectories, _settings.trust.services);
    for (const auto& warning : found.warnings) operation.note("", warning);
    std::erase_if(_services, [&](const auto& known)
                  { return !found.plugins.contains(known.first) && !known.second.current && known.second.residents.empty(); });

    std::vector<std::shared_ptr<const Manifest>> manifests;
    for (auto& [id, service] : _services)
    {
        service.installed.reset();
        // A folder that is unreadable or lacks its manifest is broken, not removed: the running version keeps serving.
        std::error_code error;
        const auto folder = std::filesystem::path(service.manifestFile).parent_path();
        service.removed = std::filesystem::symlink_status(folder, error).type() == std::filesystem::file_type::not_found;
        service.manifestErrors = {service.removed ? "its folder is gone: install it again, or stop it with porticoctl reload --all"
                                                  : service.manifestFile + ": expected the manifest of the plugin, found no such file"};
    }
    for (auto& [id, plugin] : found.plugins)
    {
        auto& service = _services[id];
        if (service.serviceId.empty())
        {
            service.serviceId = id;
            service.enabled = _settings.enabled(id);
            service.state = service.enabled ? State::Discovered : State::Disabled;
            service.since = _clock.now();
        }
        const bool builtIn = _settings.trust.services.builtIn(id, plugin.file.parent_path());
        service.skippedBySafeMode = _settings.trust.safeMode && !builtIn;
        service.manifestFile = plugin.file.string();
        service.removed = false;
        service.installed = plugin.manifest;
        service.manifestErrors = std::move(plugin.errors);
        if (!service.publishedManifest && plugin.manifest)
            service.publishedManifest = builtIn ? plugin.manifest : withoutOrigins(*plugin.manifest);
        if (plugin.manifest) manifests.push_back(plugin.manifest);
    }
    // The other plugins are unverified: their claims to provide an interface must not displace a service of the host.
    std::stable_partition(manifests.begin(), manifests.end(),
                          [&](const auto& manifest)
                          { return _settings.trust.services.builtIn(manifest->serviceId, manifest->directory()); });
    _plan = planDependencies(manifests);
    show();
}

bool ServiceTable::dropRemoved()
{
    const auto dropped = std::erase_if(_services, [](const auto& known)
                                       { return known.second.removed && !known.second.current && known.second.residents.empty(); });
    show();
    return dropped > 0;
}

ServiceEntry* ServiceTable::find(const std::string& serviceId, Operation& operation)
{
    const auto found = _services.find(serviceId);
    if (found != _services.end()) return &found->second;
    std::string known;
    for (const auto& [id, service] : _services) known += (known.empty() ? "" : ", ") + id;
    operation.fail(serviceId, "there is no such service; installed are: " + (known.empty() ? "none" : known));
    return nullptr;
}

std::vector<std::string> ServiceTable::stopOrder() const
{
    std::vector<std::string> order(_plan.order.rbegin(), _plan.order.rend());
    // Serving plugins that are missing in the plan, because their manifests became invalid.
    for (const auto& [id, service] : _services)
        if (std::ranges::find(order, id) == order.end()) order.push_back(id);
    return order;
}

std::string ServiceTable::obstacle(const ServiceEntry& service) const
{
    if (!service.installed) return lines(service.manifestErrors);
    const auto faults = _plan.faults.find(service.serviceId);
    return faults == _plan.faults.end() ? std::string() : lines(faults->second);
}

std::vector<std::string> ServiceTable::warnings(const ServiceEntry& service) const
{
    const auto warnings = _plan.warnings.find(service.serviceId);
    return warnings == _plan.warnings.end() ? std::vector<std::string>() : warnings->second;
}

PublishedService ServiceTable::published(const ServiceEntry& service) const
{
    PublishedService result{.manifest = service.publishedManifest,
                            .status = ServiceStatus::Disabled,
                            .generation = {},
                            .routes = service.publishedRoutes ? service.publishedRoutes : std::make_shared<const std::vector<RouteInfo>>(),
                            .origins = _settings.origins(*service.publishedManifest),
                            .registered = service.registered,
                            .pages = service.publishedPages};
    if (service.current)
    {
        result.status = ServiceStatus::Serving;
        result.generation = service.current->instance->generation();
    }
    else if (service.state == State::Quarantined)
        result.status = ServiceStatus::Quarantined;
    else if (service.enabled && !service.skippedBySafeMode && service.state != State::Stopped)
        result.status = ServiceStatus::Failed;
    return result;
}

std::vector<PublishedService> ServiceTable::publishedSet() const
{
    std::vector<PublishedService> set;
    for (const auto& [id, service] : _services)
        if (service.publishedManifest) set.push_back(published(service));
    return set;
}

void ServiceTable::setState(ServiceEntry& service, State state)
{
    if (service.state != state) service.since = _clock.now();
    service.state = state;
    show();
}

void ServiceTable::setState(TrackedInstance& tracked, State state)
{
    tracked.report.state = state;
    tracked.report.since = _clock.now();
    show();
}

void ServiceTable::fail(ServiceEntry& service, const std::string& reason, Operation& operation)
{
    service.lastError = reason;
    if (service.waiting && service.waiting->tries > 1)
        operation.failAgain(service.serviceId, reason);
    else
        operation.fail(service.serviceId, reason);
    if (!service.current) setState(service, service.quarantined ? State::Quarantined : service.waiting ? State::Waiting : State::Failed);
    show();
}

void ServiceTable::show()
{
    std::vector<StatusBoard::Entry> entries;
    for (const auto& [id, service] : _services) entries.push_back(service.forBoard());
    _board.write(std::move(entries));
}

} // namespace portico::host::plugins
