#include "host/routing/builtin/HostRoutes.h"

#include "host/routing/pages/HostPages.h"

#include "portico/Arguments.h"

#include <algorithm>
#include <array>

#include <boost/json.hpp>

namespace portico::host::routing
{

namespace
{

std::string_view statusName(plugins::ServiceStatus status) noexcept
{
    constexpr std::array<std::string_view, 4> names{"ok", "disabled", "quarantined", "failed"};
    return names[static_cast<std::size_t>(status)];
}

boost::json::object describe(const DependencyHealth& dependency, bool brief)
{
    boost::json::object described{{"name", dependency.name},
                                  {"status", dependency.healthy ? "ok" : "failing"},
                                  {"latencyMs", std::chrono::round<std::chrono::milliseconds>(dependency.latency).count()}};
    if (!brief) described["detail"] = dependency.detail;
    return described;
}

/// Nothing from elsewhere, nothing inline: the page shows text that plugins wrote.
constexpr std::string_view docsPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Kept by browsers, but asked about each time: it changes when a plugin does.
constexpr std::string_view revalidated = "no-cache";

void answerDocument(const Site& site, Response& response)
{
    const auto& document = site.document.text();
    response.json(200, document.json);
    response.etag = document.etag;
    response.cacheControl = revalidated;
}

void answerDocs(std::string_view path, Response& response)
{
    const auto assets = docsAssets();
    const auto asset = std::ranges::find(assets, path, &DocsAsset::path);
    response.status = 200;
    response.contentType = asset->contentType;
    response.body = asset->content;
    response.etag = asset->etag;
    response.cacheControl = revalidated;
    if (asset->contentType.starts_with("text/html")) response.addHeader("Content-Security-Policy", docsPolicy);
}

void answerFrontDoor(const Request& request, const Site& site, Response& response)
{
    if (site.frontDoorTarget.empty()) return answerHostPage(frontDoorPage(site.frontDoor, request), response);
    response.status = 303;
    response.cacheControl = "no-store";
    response.addHeader("Location", site.frontDoorTarget);
}

/// The host's own checks and the plugin's last report.
std::vector<DependencyHealth> dependenciesOf(HealthSource& source, const Site& site)
{
    auto all = source.dependencies(site.id());
    if (site.service.generation)
        for (auto& check : site.service.generation->health())
            all.push_back({std::move(check.name), check.healthy, check.latency, std::move(check.detail), check.neededToServe});
    return all;
}

std::vector<std::string> failing(HealthSource& source, const Site& site)
{
    if (site.service.status != plugins::ServiceStatus::Serving) return {"service"};
    auto names = source.notReady(site.id());
    if (!site.service.registered) names.insert(names.begin(), "registration");
    for (auto& dependency : dependenciesOf(source, site))
        if (!dependency.healthy && dependency.neededToServe) names.push_back(std::move(dependency.name));
    return names;
}

/// Names of services that do not serve. Their own origins report them; the machine fails only if no service serves.
std::vector<std::string> failingOfAll(HealthSource& source, const std::deque<Site>& sites)
{
    std::vector<std::string> names;
    bool serves = false;
    for (const auto& site : sites)
    {
        if (site.service.status != plugins::ServiceStatus::Serving) continue;
        serves = true;
        for (const auto& name : failing(source, site)) names.push_back(site.id() + '.' + name);
    }
    if (!serves) names.emplace_back("service");
    return names;
}

/// 200, or 503 with what is `failing`. Where no service is asked about: whether there are any that serve, and all that do are ready.
void answerReadiness(HealthSource& source, const Site& site, Response& response)
{
    const auto names = site.all != nullptr ? failingOfAll(source, *site.all) : failing(source, site);
    if (names.empty()) return response.json(200, R"({"status":"ready"})");
    response.json(503, boost::json::serialize(
                           boost::json::object{{"status", "not_ready"}, {"failing", boost::json::array(names.begin(), names.end())}}));
}

/// Dependencies with latency; 503 when one fails, unless the manifest asks for the brief form.
void answerHealth(HealthSource& source, const Site& site, Response& response)
{
    const bool serving = site.service.status == plugins::ServiceStatus::Serving;
    const auto found = serving ? dependenciesOf(source, site) : std::vector<DependencyHealth>();
    const bool healthy = serving && std::ranges::all_of(found, &DependencyHealth::healthy);
    boost::json::array described;
    const bool brief = site.service.manifest->briefHealth;
    for (const auto& dependency : found) described.push_back(describe(dependency, brief));
    boost::json::object body{{"status", serving && !healthy ? std::string_view("degraded") : statusName(site.service.status)},
                             {"version", site.service.manifest->version}};
    if (!brief) body["uptimeSeconds"] = source.uptime().count();
    body["dependencies"] = std::move(described);
    response.json(healthy || (brief && serving) ? 200 : 503, boost::json::serialize(body));
}

/// Returns true for documents of the API, which have no parameters. Pages leave a query to their scripts, and monitors append one to bypass
/// caches.
bool takesNoQuery(HostRoute route) noexcept { return route == HostRoute::ApiDocument; }

} // namespace

void answerHostRoute(HealthSource& source, const Request& request, const RouteEntry& entry, const Site& site, Response& response)
{
    if (takesNoQuery(entry.host)) portico::detail::checkQueryNames(request, {});
    switch (entry.host)
    {
    case HostRoute::Liveness:
        return response.json(200, R"({"status":"ok"})");
    case HostRoute::Readiness:
        return answerReadiness(source, site, response);
    case HostRoute::Health:
        return answerHealth(source, site, response);
    case HostRoute::ApiDocument:
        return answerDocument(site, response);
    // The table has a docs route for exactly each asset.
    case HostRoute::Docs:
        return answerDocs(entry.info->pattern, response);
    case HostRoute::Page:
        return site.pages->answerPage(request, response);
    case HostRoute::Home:
        return site.pages->answerHome(response);
    case HostRoute::PageFile:
        return site.pages->answerFile(request, response);
    case HostRoute::FrontDoor:
        return answerFrontDoor(request, site, response);
    case HostRoute::None:
        return;
    }
}

} // namespace portico::host::routing
