#include "host/daemon/RegistryLink.h"

#include <boost/json.hpp>

#include <algorithm>
#include <set>

namespace portico::host::daemon
{

namespace json = boost::json;

namespace
{

void complete(json::value& url, const std::string& origin)
{
    if (url.is_string() && url.get_string().starts_with('/')) url = origin + std::string(url.get_string());
}

/// The manifest's URLs are relative to the service's origin, which only this host knows.
std::string completedManifest(const plugins::PublishedService& service)
{
    auto manifest = json::parse(service.manifest->text).as_object();
    const auto& origin = service.origins.front();
    manifest["origins"] = json::array(service.origins.begin(), service.origins.end());
    for (const char* name : {"launchUrl", "iconUrl", "frontchannelLogoutUrl", "backchannelLogoutUrl"})
        if (auto* url = manifest.if_contains(name)) complete(*url, origin);
    if (auto* urls = manifest.if_contains("callbackUrls"); urls && urls->is_array())
        for (auto& url : urls->get_array()) complete(url, origin);
    if (auto* widget = manifest.if_contains("widget"); widget && widget->is_object())
        if (auto* url = widget->get_object().if_contains("url")) complete(*url, origin);
    return json::serialize(manifest);
}

} // namespace

interfaces::RegisteredService registeredService(const plugins::PublishedService& service)
{
    interfaces::RegisteredService registered;
    registered.serviceId = service.manifest->serviceId;
    registered.serving = service.status == plugins::ServiceStatus::Serving;
    // It may have been refused: nobody is to believe a word of its manifest.
    if (!registered.serving) return registered;
    registered.manifest = completedManifest(service);
    registered.manifestSha256 = service.manifest->sha256;
    registered.origin = service.origins.front();
    std::set<std::string> permissions;
    for (const auto& route : *service.routes)
    {
        // A route without one is about the caller's own things, as `access::bearer()` promises: that is no fault of the registration.
        if (!route.access.permission.empty()) permissions.insert(route.access.permission);
    }
    registered.routePermissions.assign(permissions.begin(), permissions.end());
    return registered;
}

std::optional<std::map<std::string, std::string>> RegistryLink::announce(const std::vector<plugins::PublishedService>& services)
{
    const std::lock_guard lock(_mutex);
    const auto registry = _interfaces.find<interfaces::ServiceRegistry>();
    if (!registry) return std::nullopt;
    std::vector<interfaces::RegisteredService> enabled;
    for (const auto& service : services)
        if (service.status != plugins::ServiceStatus::Disabled) enabled.push_back(registeredService(service));
    std::map<std::string, std::string> refused;
    for (auto& registration : registry->publish(_hostId, enabled))
        if (!registration.active) refused.emplace(std::move(registration.serviceId), std::move(registration.report));
    _announced.clear();
    for (auto& service : enabled)
    {
        interfaces::RegisteredService onlyId;
        onlyId.serviceId = std::move(service.serviceId);
        onlyId.serving = false;
        _announced.push_back(std::move(onlyId));
    }
    return refused;
}

void RegistryLink::remind()
{
    const std::lock_guard lock(_mutex);
    if (const auto registry = _interfaces.find<interfaces::ServiceRegistry>(); registry && !_announced.empty())
        registry->publish(_hostId, _announced);
}

} // namespace portico::host::daemon
