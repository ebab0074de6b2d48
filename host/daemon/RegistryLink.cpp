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

void completeAll(json::value* urls, const std::string& origin)
{
    if (urls && urls->is_array())
        for (auto& url : urls->get_array()) complete(url, origin);
}

/// The manifest's URLs are relative to the service's origin, which only this host knows.
std::string completedManifest(const plugins::PublishedService& service)
{
    auto manifest = json::parse(service.manifest->text).as_object();
    const auto& origin = service.origins.front();
    manifest["origins"] = json::array(service.origins.begin(), service.origins.end());
    for (const char* name : {"launchUrl", "iconUrl", "frontchannelLogoutUrl", "backchannelLogoutUrl"})
        if (auto* url = manifest.if_contains(name)) complete(*url, origin);
    completeAll(manifest.if_contains("callbackUrls"), origin);
    if (auto* client = manifest.if_contains("nativeClient"); client && client->is_object())
        completeAll(client->get_object().if_contains("redirectUris"), origin);
    if (auto* widget = manifest.if_contains("widget"); widget && widget->is_object())
        if (auto* url = widget->get_object().if_contains("url")) complete(*url, origin);
    if (auto* store = manifest.if_contains("store"); store && store->is_object())
    {
        completeAll(store->get_object().if_contains("screenshots"), origin);
        for (const char* name : {"privacyUrl", "supportUrl"})
            if (auto* url = store->get_object().if_contains(name)) complete(*url, origin);
    }
    return json::serialize(manifest);
}

std::vector<std::string> permissionsOf(const plugins::PublishedService& service)
{
    std::set<std::string> permissions;
    // A route without one is about the caller's own things, as `access::bearer()` promises: that is no fault of the registration.
    for (const auto& route : *service.routes)
        if (!route.access.permission.empty()) permissions.insert(route.access.permission);
    return {permissions.begin(), permissions.end()};
}

} // namespace

interfaces::RegisteredService registeredService(const plugins::PublishedService& service)
{
    interfaces::RegisteredService registered;
    registered.serviceId = service.manifest->serviceId;
    registered.serving = service.status == plugins::ServiceStatus::Serving;
    // The plugin may have been rejected, so its manifest is not trusted.
    if (!registered.serving) return registered;
    registered.manifest = completedManifest(service);
    registered.manifestSha256 = service.manifest->sha256;
    registered.origin = service.origins.front();
    registered.routePermissions = permissionsOf(service);
    return registered;
}

RegistryLink::Facts RegistryLink::factsOf(const plugins::PublishedService& service)
{
    Facts facts;
    facts.serviceId = service.manifest->serviceId;
    facts.serving = service.status == plugins::ServiceStatus::Serving;
    if (!facts.serving) return facts;
    facts.manifestSha256 = service.manifest->sha256;
    facts.origins = service.origins;
    facts.routePermissions = permissionsOf(service);
    if (service.manifest->offers(interfaces::ServiceRegistry::interfaceName)) facts.keeper = service.generation->number();
    return facts;
}

std::optional<std::map<std::string, std::string>> RegistryLink::announce(const std::vector<plugins::PublishedService>& services)
{
    const std::lock_guard lock(_mutex);
    const auto registry = _interfaces.find<interfaces::ServiceRegistry>();
    if (!registry)
    {
        // A registry plugin that was removed and installed again restarts its generation numbers.
        _taken.clear();
        return std::nullopt;
    }
    std::vector<Facts> facts;
    for (const auto& service : services)
        if (service.status != plugins::ServiceStatus::Disabled) facts.push_back(factsOf(service));
    if (!facts.empty() && facts == _taken) return std::map<std::string, std::string>();
    _taken.clear();
    std::vector<interfaces::RegisteredService> enabled;
    for (const auto& service : services)
        if (service.status != plugins::ServiceStatus::Disabled) enabled.push_back(registeredService(service));
    std::map<std::string, std::string> refused;
    for (auto& registration : registry->publish(_hostId, enabled))
        if (!registration.active) refused.emplace(std::move(registration.serviceId), std::move(registration.report));
    if (refused.empty()) _taken = std::move(facts);
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
