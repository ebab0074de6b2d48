#include "host/plugins/RegistryAnnouncer.h"

#include "portico/interfaces/ServiceRegistry.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <set>

namespace portico::host::plugins
{

namespace json = boost::json;

namespace
{
using interfaces::RegisteredService;

void completeUrl(json::value& url, const std::string& origin)
{
    if (auto* text = url.if_string(); text && text->starts_with('/')) url = origin + std::string(*text);
}

std::string_view originOf(const PublishedService& service)
{
    return service.origins.empty() ? std::string_view() : std::string_view(service.origins.front());
}

/// Neither open nor for the caller's own things by a cookie, and without a permission: the report of completeness lists such routes.
bool lacksPermission(const Access& access) { return !access.open && !access.cookie && access.permission.empty() && access.apiKey; }

RegisteredService describe(const PublishedService& service)
{
    RegisteredService described{.manifest = completedManifest(service),
                                .manifestSha256 = service.manifest->sha256,
                                .origin = std::string(originOf(service)),
                                .routePermissions = {},
                                .routesWithoutPermission = {}};
    std::set<std::string> permissions;
    for (const auto& route : *service.routes)
    {
        if (!route.access.permission.empty()) permissions.insert(route.access.permission);
        if (lacksPermission(route.access))
            described.routesWithoutPermission.push_back(std::string(name(route.method)) + " " + route.pattern);
    }
    described.routePermissions.assign(permissions.begin(), permissions.end());
    return described;
}

/// Switched on, and known well enough to be described: a service that failed before it ever ran has no routes to speak of.
bool isEnabled(const PublishedService& service)
{
    return service.status == ServiceStatus::Serving || (service.status == ServiceStatus::Failed && !service.routes->empty());
}

std::string signatureOf(const std::vector<RegisteredService>& services, const Generation& provider)
{
    std::string text = provider.serviceId() + "#" + std::to_string(provider.number());
    for (const auto& service : services)
    {
        text += "|" + service.manifestSha256 + " " + service.origin;
        for (const auto& permission : service.routePermissions) text += " " + permission;
        for (const auto& route : service.routesWithoutPermission) text += " " + route;
    }
    return text;
}
} // namespace

std::string completedManifest(const PublishedService& service)
{
    auto document = json::parse(service.manifest->text).as_object();
    const std::string origin(originOf(service));
    if (origin.empty()) return service.manifest->text;
    document["origins"] = json::array(service.origins.begin(), service.origins.end());
    for (const auto* member : {"launchUrl", "iconUrl", "frontchannelLogoutUrl", "backchannelLogoutUrl"})
        if (auto* url = document.if_contains(member)) completeUrl(*url, origin);
    if (auto* urls = document.if_contains("callbackUrls"))
        for (auto& url : urls->as_array()) completeUrl(url, origin);
    if (auto* widget = document.if_contains("widget")) completeUrl(widget->as_object()["url"], origin);
    return json::serialize(document);
}

std::optional<std::map<std::string, std::string>> RegistryAnnouncer::announce(const std::vector<PublishedService>& services)
{
    auto registry = _interfaces.find<interfaces::ServiceRegistry>();
    if (!registry) return std::nullopt;
    std::vector<RegisteredService> enabled;
    for (const auto& service : services)
        if (isEnabled(service)) enabled.push_back(describe(service));
    auto signature = signatureOf(enabled, *registry.generation());
    if (signature == _signature) return _answer;

    _signature.clear();
    std::map<std::string, std::string> refused;
    for (const auto& registration : registry->publish(enabled))
        if (!registration.active) refused.emplace(registration.serviceId, registration.report);
    _signature = std::move(signature);
    _answer = refused;
    return refused;
}

} // namespace portico::host::plugins
