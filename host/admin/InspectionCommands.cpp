#include "host/admin/Commands.h"

#include "portico/Http.h"

#include <unistd.h>

namespace portico::host::admin
{

namespace
{

json::value runStatus(const CommandDependencies& parts, const ControlRequest&)
{
    json::array listeners;
    for (const auto& listener : parts.state.listeners())
        listeners.push_back(
            {{"address", listener.address}, {"serves", listener.service.empty() ? "all services by Host" : listener.service}});
    json::array services;
    for (const auto& service : parts.lifecycle.status())
        services.push_back({{"service", service.serviceId}, {"status", name(service.state)}, {"note", troubleOf(service)}});
    const auto waiting = parts.reloader.waitingForRestart();
    return {{"version", parts.state.version},
            {"pid", ::getpid()},
            {"state", name(parts.state.phase.load())},
            {"uptimeSeconds", parts.state.uptime().count()},
            {"stateDirectory", parts.state.stateDirectory.string()},
            {"database", parts.state.database},
            {"stateStore", parts.state.stateStore},
            {"stateStoreAnswers", parts.platform.stateStoreAnswers()},
            {"safeMode", parts.state.safeMode},
            {"residentKiB", residentBytes() / 1024},
            {"listeners", std::move(listeners)},
            {"restartNeededFor", json::value_from(waiting)},
            {"services", std::move(services)}};
}

std::string accessText(const Access& access)
{
    if (access.open) return "open";
    std::string text;
    const auto add = [&text](std::string_view part) { text.append(text.empty() ? "" : " or ").append(part); };
    if (access.bearer) add("token");
    if (access.apiKey) add("key");
    if (access.cookie) add("cookie");
    if (access.service) add(access.serviceScope.empty() ? "service" : "service:" + access.serviceScope);
    if (!access.permission.empty()) text += " with " + access.permission;
    if (access.rank != Access::Rank::None) text += access.rank == Access::Rank::Admin ? " of admins" : " of operators";
    if (!access.self.parameter.empty()) text += " or oneself";
    if (access.personal) text += " or at home";
    if (!access.scope.empty()) text += " (key: " + access.scope + (access.otherScope.empty() ? "" : " or " + access.otherScope) + ")";
    return text;
}

json::value runRoutes(const CommandDependencies& parts, const ControlRequest& request)
{
    const auto wanted = request.text("service");
    if (!wanted.empty()) requireService(parts, wanted);
    const auto table = parts.routes.copy();
    json::array routes;
    for (const auto& site : table->sites())
    {
        if ((!wanted.empty() && site.id() != wanted) || !site.service.routes) continue;
        for (const auto& route : *site.service.routes)
            routes.push_back({{"service", site.id()},
                              {"method", name(route.method)},
                              {"path", route.pattern},
                              {"access", accessText(route.access)},
                              {"operation", route.operation},
                              {"onEveryOrigin", route.onEveryOrigin}});
    }
    return {{"routes", std::move(routes)}};
}

json::value runOpenApi(const CommandDependencies& parts, const ControlRequest& request)
{
    const auto service = request.text("service");
    requireService(parts, service);
    const auto table = parts.routes.copy();
    const auto* site = table->site(service);
    if (!site || !site->routesKnown)
        throw Refused("not_serving", "The service '" + service + "' has not run, so that its routes are not known.");
    return json::parse(site->document.text().json);
}

json::value runMetrics(const CommandDependencies& parts, const ControlRequest&) { return {{"text", parts.metrics()}}; }

json::value runStop(const CommandDependencies& parts, const ControlRequest&)
{
    parts.requestStop();
    return {{"pid", ::getpid()}};
}

std::string aboutTheDaemon(const ControlRequest&, const json::value&) { return {}; }

} // namespace

std::vector<Command> inspectionCommands()
{
    return {
        {"status", runStatus}, {"routes", runRoutes}, {"openapi", runOpenApi}, {"metrics", runMetrics}, {"stop", runStop, aboutTheDaemon}};
}

} // namespace portico::host::admin
