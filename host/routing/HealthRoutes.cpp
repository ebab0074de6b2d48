#include "host/routing/HealthRoutes.h"

#include <boost/json.hpp>

#include <algorithm>

namespace portico::host::routing
{

namespace
{

std::string_view statusName(plugins::ServiceStatus status) noexcept
{
    switch (status)
    {
    case plugins::ServiceStatus::Serving:
        return "ok";
    case plugins::ServiceStatus::Disabled:
        return "disabled";
    case plugins::ServiceStatus::Quarantined:
        return "quarantined";
    case plugins::ServiceStatus::Failed:
        return "failed";
    }
    return "failed";
}

boost::json::object describe(const DependencyHealth& dependency)
{
    return {{"name", dependency.name},
            {"status", dependency.healthy ? "ok" : "failing"},
            {"latencyMs", std::chrono::round<std::chrono::milliseconds>(dependency.latency).count()},
            {"detail", dependency.detail}};
}

bool allHealthy(const std::vector<DependencyHealth>& dependencies) noexcept
{
    return std::all_of(dependencies.begin(), dependencies.end(), [](const auto& dependency) { return dependency.healthy; });
}

} // namespace

std::vector<DependencyHealth> HealthRoutes::dependencies(const Site& site) const
{
    auto all = _source.dependencies(site.id());
    if (site.service.generation)
        for (auto& check : site.service.generation->health())
            all.push_back({std::move(check.name), check.healthy, check.latency, std::move(check.detail), true});
    return all;
}

void HealthRoutes::liveness(Response& response) const { response.json(200, R"({"status":"ok"})"); }

void HealthRoutes::readiness(const Site& site, Response& response) const
{
    boost::json::array failing;
    if (site.service.status != plugins::ServiceStatus::Serving)
        failing.emplace_back("service");
    else
    {
        if (!site.service.registered) failing.emplace_back("registration");
        for (const auto& name : _source.notReady(site.id())) failing.emplace_back(name);
        for (const auto& dependency : dependencies(site))
            if (!dependency.healthy && dependency.neededToServe) failing.emplace_back(dependency.name);
    }
    if (failing.empty()) return response.json(200, R"({"status":"ready"})");
    response.json(503, boost::json::serialize(boost::json::object{{"status", "not_ready"}, {"failing", std::move(failing)}}));
}

void HealthRoutes::health(const Site& site, Response& response) const
{
    const bool serving = site.service.status == plugins::ServiceStatus::Serving;
    const auto found = serving ? dependencies(site) : std::vector<DependencyHealth>();
    const bool healthy = serving && allHealthy(found);
    boost::json::array described;
    for (const auto& dependency : found) described.push_back(describe(dependency));
    const boost::json::object body{{"status", serving && !healthy ? std::string_view("degraded") : statusName(site.service.status)},
                                   {"version", site.service.manifest->version},
                                   {"uptimeSeconds", _source.uptime().count()},
                                   {"dependencies", std::move(described)}};
    response.json(healthy ? 200 : 503, boost::json::serialize(body));
}

} // namespace portico::host::routing
