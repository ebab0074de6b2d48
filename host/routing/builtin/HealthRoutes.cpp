#include "host/routing/builtin/HealthRoutes.h"

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

boost::json::object describe(const DependencyHealth& dependency, bool brief)
{
    boost::json::object described{{"name", dependency.name},
                                  {"status", dependency.healthy ? "ok" : "failing"},
                                  {"latencyMs", std::chrono::round<std::chrono::milliseconds>(dependency.latency).count()}};
    if (!brief) described["detail"] = dependency.detail;
    return described;
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
            all.push_back({std::move(check.name), check.healthy, check.latency, std::move(check.detail), check.neededToServe});
    return all;
}

void HealthRoutes::liveness(Response& response) const { response.json(200, R"({"status":"ok"})"); }

std::vector<std::string> HealthRoutes::failing(const Site& site) const
{
    if (site.service.status != plugins::ServiceStatus::Serving) return {"service"};
    auto names = _source.notReady(site.id());
    if (!site.service.registered) names.insert(names.begin(), "registration");
    for (auto& dependency : dependencies(site))
        if (!dependency.healthy && dependency.neededToServe) names.push_back(std::move(dependency.name));
    return names;
}

/// A service that does not serve is told of at its own origin: the machine is none the worse for the others.
std::vector<std::string> HealthRoutes::failingOfAll(const std::deque<Site>& sites) const
{
    std::vector<std::string> names;
    bool serves = false;
    for (const auto& site : sites)
    {
        if (site.service.status != plugins::ServiceStatus::Serving) continue;
        serves = true;
        for (const auto& name : failing(site)) names.push_back(site.id() + '.' + name);
    }
    if (!serves) names.emplace_back("service");
    return names;
}

void HealthRoutes::readiness(const Site& site, Response& response) const
{
    const auto names = site.all != nullptr ? failingOfAll(*site.all) : failing(site);
    if (names.empty()) return response.json(200, R"({"status":"ready"})");
    response.json(503, boost::json::serialize(
                           boost::json::object{{"status", "not_ready"}, {"failing", boost::json::array(names.begin(), names.end())}}));
}

void HealthRoutes::health(const Site& site, Response& response) const
{
    const bool serving = site.service.status == plugins::ServiceStatus::Serving;
    const auto found = serving ? dependencies(site) : std::vector<DependencyHealth>();
    const bool healthy = serving && allHealthy(found);
    boost::json::array described;
    const bool brief = site.service.manifest->briefHealth;
    for (const auto& dependency : found) described.push_back(describe(dependency, brief));
    boost::json::object body{{"status", serving && !healthy ? std::string_view("degraded") : statusName(site.service.status)},
                             {"version", site.service.manifest->version}};
    if (!brief) body["uptimeSeconds"] = _source.uptime().count();
    body["dependencies"] = std::move(described);
    response.json(healthy || (brief && serving) ? 200 : 503, boost::json::serialize(body));
}

} // namespace portico::host::routing
