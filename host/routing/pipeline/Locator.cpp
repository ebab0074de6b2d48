#include "host/routing/pipeline/Locator.h"

#include "host/routing/builtin/RetiredPaths.h"
#include "host/routing/table/Decoding.h"

#include "portico/Problem.h"

namespace portico::host::routing
{

namespace
{

constexpr long long retryLaterSeconds = 30;

[[noreturn]] void refuseService(const Site& site)
{
    if (site.service.status == plugins::ServiceStatus::Quarantined)
        throw Problem::unavailable("service_quarantined", "The service " + site.id() + " is held back after repeated crashes.",
                                   retryLaterSeconds);
    if (site.service.status == plugins::ServiceStatus::Failed)
        throw Problem::unavailable("service_disabled", "The service " + site.id() + " could not be started.", retryLaterSeconds);
    throw Problem::unavailable("service_disabled", "The service " + site.id() + " is switched off.", retryLaterSeconds);
}

/// A path that leads nowhere. What a service that never ran would have there nobody knows, so that is the service's state and no 404.
[[noreturn]] void refusePath(const Request& request, const RequestState& state)
{
    if (!state.table->hasGateway() && request.path.starts_with("/api/auth/"))
        throw Problem::unavailable("service_disabled", "No service that signs people in is running.", retryLaterSeconds);
    if (!state.site->routesKnown && state.site->service.status != plugins::ServiceStatus::Serving) refuseService(*state.site);
    throw Problem::notFound("There is nothing at this address.");
}

void refuseUnlessServing(const RouteEntry& entry)
{
    if (entry.host != HostRoute::None) return;
    const auto& provider = entry.provider->service;
    if (provider.status != plugins::ServiceStatus::Serving || !provider.generation) refuseService(*entry.provider);
    if (!provider.registered && !entry.info->access.open) refuseService(*entry.provider);
}

void takeParameters(const PathMatch& match, Request& request)
{
    for (const auto value : match.parameters())
    {
        auto decoded = decodeSegment(value);
        if (!decoded) throw Problem::notFound("There is nothing at this address.");
        request.addPathParameter(std::move(*decoded));
    }
}

} // namespace

void Locator::findSite(http::Exchange& exchange, RequestState& state)
{
    auto& request = exchange.request;
    const auto* host = state.table->host(exchange.host);
    state.site = !exchange.listenerService.empty() ? state.table->site(exchange.listenerService) : host != nullptr ? host->site : nullptr;
    if (state.site == nullptr) state.site = state.table->everywhere(request.path);
    if (state.site == nullptr) throw Problem::notFound("No service answers at this host.");
    request.originService = state.site->id();
    // The registered origin, where there is one: behind a proxy that nobody told us to trust the scheme that we see is not the client's.
    if (host != nullptr && host->site == state.site) request.origin = host->origin;
}

void Locator::findRoute(Request& request, RequestState& state)
{
    RetiredPaths::check(request, *state.site);
    const auto match = state.site->routes.match(request.method, request.path);
    if (match.entry == nullptr)
    {
        if (match.methods.empty()) refusePath(request, state);
        throw Problem(405, "method_not_allowed", "This address does not have that method.").withHeader("Allow", match.methods.list());
    }
    state.entry = match.entry;
    request.route = match.entry->name;
    takeParameters(match, request);
    refuseUnlessServing(*match.entry);
}

MethodSet Locator::findMethods(const Request& request, RequestState& state)
{
    RetiredPaths::check(request, *state.site);
    const auto asked = parseMethod(request.header("Access-Control-Request-Method"));
    const auto match = state.site->routes.match(asked.value_or(Method::Get), request.path);
    // Without this a page could not read the 503 that its request would get.
    if (match.methods.empty() && !state.site->routesKnown && state.site->service.status != plugins::ServiceStatus::Serving)
        return MethodSet::all();
    // The search ends at the first route that fits, so ask for a method that no route has to see all.
    const auto all = state.site->routes.match(Method::Options, request.path).methods;
    if (all.empty()) refusePath(request, state);
    state.entry = asked ? match.entry : nullptr;
    return all;
}

} // namespace portico::host::routing
