#include "host/routing/pipeline/RequestState.h"

#include "host/base/Text.h"
#include "host/http/Characters.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::host::routing
{

namespace
{

/// False for a `%` that two hexadecimal digits do not follow.
bool percentDecode(std::string_view text, std::string& out)
{
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        if (text[i] != '%')
        {
            out.push_back(text[i]);
            continue;
        }
        if (i + 2 >= text.size()) return false;
        const int high = http::hexDigit(text[i + 1]);
        const int low = http::hexDigit(text[i + 2]);
        if (high < 0 || low < 0) return false;
        out.push_back(static_cast<char>(high * 16 + low));
        i += 2;
    }
    return true;
}

/// Decodes the percent-encoding of a path segment, including `%2F`, since segments are split before. Returns nullopt if the encoding is
/// malformed or the result is not text (control characters, bad UTF-8): such a path names nothing.
std::optional<std::string> decodeSegment(std::string_view segment)
{
    std::string decoded;
    const auto isControl = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
    if (!percentDecode(segment, decoded) || std::ranges::any_of(decoded, isControl) || !isPlainUtf8(decoded)) return std::nullopt;
    return decoded;
}

/// True when the query (without `?`) has a parameter of that name, whatever its value. Names are compared decoded.
bool queryHas(std::string_view query, std::string_view name)
{
    while (!query.empty())
    {
        const auto end = std::min(query.find('&'), query.size());
        const auto field = query.substr(0, end);
        std::string decoded;
        if (percentDecode(field.substr(0, field.find('=')), decoded) && decoded == name) return true;
        query.remove_prefix(std::min(end + 1, query.size()));
    }
    return false;
}

/// Paths of earlier versions, with any method. @throws Problem 410 `endpoint_removed`
void refuseRetired(const Request& request, const Site& site)
{
    if (site.retired.empty()) return;
    const auto* entry = site.retired.match(Method::Get, request.path).entry;
    if (entry == nullptr) return;
    const auto has = [&](const std::string& name) { return queryHas(request.query, name); };
    if (entry->goneWith.empty() || std::ranges::any_of(entry->goneWith, has))
        throw Problem::gone("endpoint_removed", "This address is no longer in use.");
}

constexpr long long retryLaterSeconds = 30;

[[noreturn]] void refuseService(const Site& site)
{
    if (site.service.status == plugins::ServiceStatus::Quarantined)
        throw Problem::unavailable("service_quarantined", "The service " + site.id() + " is quarantined after repeated crashes.",
                                   retryLaterSeconds);
    const bool failed = site.service.status == plugins::ServiceStatus::Failed;
    throw Problem::unavailable("service_disabled", "The service " + site.id() + (failed ? " could not be started." : " is switched off."),
                               retryLaterSeconds);
}

/// True for a path that the service forwards to the gateway.
bool isForwarded(std::string_view path, const Site& site)
{
    if (!site.service.routes) return false;
    return std::ranges::any_of(*site.service.routes,
                               [&](const plugins::RouteInfo& info)
                               {
                                   const auto root = std::string_view(info.pattern);
                                   return info.kind == RouteKind::Forward && path.starts_with(root) &&
                                          (path.size() == root.size() || path[root.size()] == '/');
                               });
}

/// Rejects a path without a route. The routes of a service that never ran are unknown: the answer is then the service's state instead of
/// 404.
[[noreturn]] void refusePath(const Request& request, const RequestState& state)
{
    if (!state.table->hasGateway() && (isGatewayPath(request.path) || isForwarded(request.path, *state.site)))
        throw Problem::unavailable("service_disabled", "No service that signs people in is running.", retryLaterSeconds);
    if (!state.site->routesKnown && state.site->service.status != plugins::ServiceStatus::Serving) refuseService(*state.site);
    throw Problem::notFound("There is nothing at this address.");
}

/// Returns another method's route at an address; null if only methods other than GET and POST exist.
const RouteEntry* otherRouteAt(const Site& site, std::string_view path)
{
    const auto* entry = site.routes.match(Method::Get, path).entry;
    return entry != nullptr ? entry : site.routes.match(Method::Post, path).entry;
}

void refuseUnlessServing(const RouteEntry& entry)
{
    // An open tab can still load the files of its pages in any state of the service.
    if (entry.host != HostRoute::None && entry.host != HostRoute::Page && entry.host != HostRoute::Home) return;
    const auto& provider = entry.provider->service;
    if (provider.status != plugins::ServiceStatus::Serving || !provider.generation) refuseService(*entry.provider);
    if (!provider.registered && !entry.info->access.open) refuseService(*entry.provider);
}

void takeParameters(const PathMatch& match, system::HostRequest& request)
{
    for (const auto value : match.parameters())
    {
        auto decoded = decodeSegment(value);
        if (!decoded) throw Problem::notFound("There is nothing at this address.");
        request.addPathParameter(std::move(*decoded));
    }
}

} // namespace

void RequestState::findSite(http::Exchange& exchange)
{
    auto& request = exchange.request;
    const auto* host = table->host(exchange.host);
    site = !exchange.listenerService.empty() ? table->site(exchange.listenerService) : host != nullptr ? host->site : nullptr;
    if (site == nullptr) site = table->frontDoor(exchange.host);
    if (site == nullptr) site = table->everywhere(request.path);
    if (site == nullptr) throw Problem::notFound("No service answers at this host.");
    request.originService = site->id();
    // The registered origin, if there is one: behind an untrusted proxy the scheme of this connection may differ from the client's.
    if (host != nullptr && host->site == site) request.origin = host->origin;
}

void RequestState::findRoute(system::HostRequest& request)
{
    refuseRetired(request, *site);
    const auto match = site->routes.match(request.method, request.path);
    if (match.entry == nullptr)
    {
        if (match.methods.empty()) refusePath(request, *this);
        problemRoute = otherRouteAt(*site, request.path);
        throw Problem(405, "method_not_allowed", "This address does not have that method.").withHeader("Allow", match.methods.list());
    }
    entry = match.entry;
    problemRoute = entry;
    request.setRoute(match.entry->name);
    takeParameters(match, request);
    addDefaultQuery(request);
    refuseUnlessServing(*match.entry);
}

void RequestState::addDefaultQuery(Request& request)
{
    if (entry->forward == nullptr || request.method != Method::Get || entry->forward->defaultQuery.empty()) return;
    const std::string_view added = entry->forward->defaultQuery;
    if (queryHas(request.query, added.substr(0, added.find('=')))) return;
    query.assign(request.query).append(request.query.empty() ? "" : "&").append(added);
    request.query = query;
}

std::string RequestState::ownProblemBody(const Problem& problem) const
try
{
    if (problemRoute == nullptr || problemRoute->info->problemMediaType.empty()) return {};
    const auto write = [&](const plugins::Lease& held)
    {
        const plugins::PluginScope scope(held->tag());
        return held->handler(problemRoute->info->slot).problemBody(problem);
    };
    // The request may have its lease while the generation accepts no more.
    if (lease && problemRoute == entry) return write(lease);
    const auto taken = plugins::Lease::take(problemRoute->provider->service.generation);
    return taken ? write(taken) : std::string();
}
catch (const std::exception&)
{
    return {};
}

MethodSet RequestState::findMethods(const Request& request)
{
    refuseRetired(request, *site);
    const auto asked = parseMethod(request.header("Access-Control-Request-Method"));
    const auto match = site->routes.match(asked.value_or(Method::Get), request.path);
    // Without this a page could not read the 503 that its request would get.
    if (match.methods.empty() && !site->routesKnown && site->service.status != plugins::ServiceStatus::Serving) return MethodSet::all();
    // The search ends at the first route that fits, so ask for a method that no route has to see all.
    const auto all = site->routes.match(Method::Options, request.path).methods;
    if (all.empty()) refusePath(request, *this);
    entry = asked ? match.entry : nullptr;
    return all;
}

} // namespace portico::host::routing
