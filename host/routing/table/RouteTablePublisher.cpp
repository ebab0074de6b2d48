#include "host/routing/table/RouteTablePublisher.h"

#include "host/base/Text.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace portico::host::routing
{

namespace
{

struct HostRouteDeclaration
{
    std::string_view pattern;
    HostRoute route;
    bool onLoop;
    /// Also where no service answers.
    bool everywhere = false;
};

/// Routes that query other parts of the host or render a document run on a worker.
constexpr HostRouteDeclaration hostRoutes[] = {
    {"/healthz", HostRoute::Liveness, true, true},
    {"/readyz", HostRoute::Readiness, false, true},
    {"/health", HostRoute::Health, false},
    {"/openapi.json", HostRoute::ApiDocument, false},
};

std::string routeName(const plugins::RouteInfo& info) { return std::string(name(info.method)) + " " + info.pattern; }

} // namespace

/// Builds a table from the set of services and reports faults of the set. Used once, by one thread.
class RouteTableBuilder
{
public:
    RouteTableBuilder(std::vector<plugins::PublishedService> services, const PageSettings& pages)
    {
        for (auto& service : services) addSite(std::move(service));
        for (auto& site : _table->_sites)
        {
            addHosts(site);
            addOwnRoutes(site);
            // Added after the service's own routes, so that its own /health wins.
            addHostRoutes(site);
            addPages(site, pages);
        }
        addEverywhere(_table->_everywhere);
        addFrontDoor(pages);
        for (auto& site : _table->_sites)
            for (const auto& provider : _table->_sites)
                if (provider.providesGateway)
                {
                    addGatewayRoutes(site, provider);
                    addForwardedRoutes(site, provider);
                }
        for (auto& site : _table->_sites)
            for (const auto& owner : _table->_sites) addRetired(site, owner);
    }

    /// Clashes of routes, origins and gateway paths, in words; empty: the table is whole.
    const std::vector<std::string>& faults() const noexcept { return _faults; }

    /// Resolves the meters of all routes and returns the table.
    std::shared_ptr<const RouteTable> finish(RouteMeters& meters) &&
    {
        for (auto& entry : _table->_entries) entry.meter = meters.find(entry.provider->id(), entry.name);
        for (auto& site : _table->_sites) site.unmatched = meters.find(site.id(), "");
        for (auto* site : {&_table->_everywhere, &_table->_frontDoor})
            if (site->service.manifest) site->unmatched = meters.find(site->id(), "");
        return std::move(_table);
    }

private:
    void addSite(plugins::PublishedService service)
    {
        Site& site = _table->_sites.emplace_back();
        site.service = std::move(service);
        const auto& published = site.service;
        if (!published.origins.empty()) site.origin = normalOrigin(published.origins.front());
        site.routesKnown = published.routes && !published.routes->empty();
        site.providesGateway = published.routes && std::ranges::any_of(*published.routes, &plugins::RouteInfo::onEveryOrigin);
        _table->_hasGateway = _table->_hasGateway || site.providesGateway;
        if (!_table->_byService.emplace(site.id(), &site).second)
            _faults.push_back("service " + site.id() + " is there twice; keep one manifest of it");
        if (published.status == plugins::ServiceStatus::Disabled) return;
        for (const auto& origin : published.origins) _table->_allowedOrigins.add(origin);
        for (const auto& origin : published.manifest->origins) _table->_allowedOrigins.add(origin);
        for (const auto& pattern : published.manifest->previewOriginPatterns) _table->_allowedOrigins.addPattern(pattern);
    }

    void addHosts(const Site& site)
    {
        for (const auto& origin : site.service.origins)
        {
            const auto [entry, added] = _table->_hosts.emplace(hostOf(origin), RouteTable::Host{&site, normalOrigin(origin)});
            if (added || entry->second.site == &site) continue;
            _faults.push_back("services " + entry->second.site->id() + " and " + site.id() + " have the same host " + entry->first +
                              "; give one of them another in services.<id>.origins");
        }
    }

    void addOwnRoutes(Site& site)
    {
        if (!site.service.routes) return;
        for (const auto& info : *site.service.routes)
            if (info.kind == RouteKind::Handler)
                addRoute(site, site, info, info.pattern);
            else if (info.kind == RouteKind::PageGuard)
                site.pageGuard = &info;
    }

    /// Paths that a service has retired on this origin. They hide no route that the origin's own service declares.
    void addRetired(Site& site, const Site& owner)
    {
        using enum plugins::RetiredPath::Origins;
        const bool own = &site == &owner;
        for (const auto& retired : owner.service.manifest->retired)
        {
            if (own ? retired.origins == Others : retired.origins == Own) continue;
            addGone(site, owner, retired.path, retired.query);
            if (retired.path.ends_with("/**")) addGone(site, owner, retired.path.substr(0, retired.path.size() - 3), retired.query);
        }
    }

    void addGone(Site& site, const Site& owner, const std::string& path, const std::string& query)
    try
    {
        const auto pattern = PathPattern::parse(path);
        if (query.empty() && isDeclared(site, pattern))
        {
            if (&site == &owner) _faults.push_back(site.id() + ": " + path + " is declared as a route and retired; remove one of them");
            return;
        }
        if (const auto* known = site.retired.find(pattern, Method::Get))
        {
            // Only this builder refers to the entries so far.
            auto& with = const_cast<RouteEntry*>(known)->goneWith;
            if (with.empty() || query.empty())
                with.clear();
            else
                with.push_back(query);
            return;
        }
        auto& entry = _table->_retired.emplace_back();
        if (!query.empty()) entry.goneWith.push_back(query);
        site.retired.add(pattern, Method::Get, entry);
    }
    catch (const std::invalid_argument& error)
    {
        _faults.push_back(owner.id() + ": retired: " + error.what());
    }

    static bool isDeclared(const Site& site, const PathPattern& pattern)
    {
        for (std::size_t i = 0; i < methodCount; ++i)
            if (const auto* entry = site.routes.find(pattern, static_cast<Method>(i)); entry != nullptr && entry->provider == &site)
                return true;
        return false;
    }

    void addHostRoutes(Site& site)
    {
        for (const auto& route : hostRoutes) addHostRoute(site, route);
        for (const auto& asset : docsAssets()) addHostRoute(site, {asset.path, HostRoute::Docs, true});
    }

    /// After the host's routes: what a plugin or the host answers no page does.
    void addPages(Site& site, const PageSettings& settings)
    try
    {
        const auto& web = site.service.manifest->web;
        if (!web || !site.service.pages) return;
        for (const auto& route : web->allRoutes()) requireFree(site, route);
        site.pages = std::make_unique<const ServicePages>(*site.service.manifest, *site.service.pages,
                                                          pagePolicy(*web, authOrigin(), settings), authOrigin());
        // The service may already have a route there.
        if (!web->home.empty() && site.routes.find(PathPattern::parse("/"), Method::Get) == nullptr) addPage(site, "/", HostRoute::Home);
        for (const auto& route : web->allRoutes())
        {
            if (route.ends_with("/**")) addPage(site, route.substr(0, route.size() - 3), HostRoute::Page);
            addPage(site, route, HostRoute::Page);
        }
        for (const auto& path : site.pages->paths()) addPage(site, path, HostRoute::PageFile);
    }
    catch (const std::system_error& error)
    {
        _faults.push_back(site.id() + ": " + error.what());
    }

    void requireFree(const Site& site, const std::string& route)
    {
        const auto page = PathPattern::parse(route);
        for (const auto& info : *site.service.routes)
        {
            const auto own = PathPattern::parse(info.pattern);
            if (info.kind == RouteKind::Handler && info.method == Method::Get && page.overlaps(own) && !own.yieldsTo(page))
                _faults.push_back(site.id() + ": " + routeName(info) + " and the page " + route +
                                  " (web.routes of the manifest) take the same paths; give one of them another");
        }
    }

    /// All pages of a service count as one route: names of files come and go with each build.
    void addPage(Site& site, const std::string& path, HostRoute host)
    {
        auto& info = _table->_hostRoutes.emplace_back();
        info.pattern = path;
        info.access = access::open();
        if (auto* entry = addRoute(site, site, info, path, host)) entry->name = "GET pages";
    }

    /// The origin at which people sign in; empty: none.
    std::string authOrigin() const
    {
        const auto home = std::ranges::find_if(_table->_sites, &Site::providesGateway);
        return home == _table->_sites.end() ? std::string() : home->origin;
    }

    /// Under the name that the daemon has in its log.
    void addEverywhere(Site& site)
    {
        auto manifest = std::make_shared<plugins::Manifest>();
        manifest->serviceId = "host";
        site.service.manifest = std::move(manifest);
        site.all = &_table->_sites;
        for (const auto& route : hostRoutes)
            if (route.everywhere) addHostRoute(site, route);
        addHostRoute(site, {stylePath, HostRoute::Docs, true});
    }

    /// Adds the page for browsers that name no service.
    void addFrontDoor(const PageSettings& settings)
    {
        if (settings.frontDoor == "off") return;
        Site& site = _table->_frontDoor;
        addEverywhere(site);
        site.routesKnown = true;
        site.frontDoor.note = settings.frontDoorNote;
        for (const auto& each : _table->_sites)
        {
            if (each.service.status != plugins::ServiceStatus::Serving || each.origin.empty()) continue;
            if (each.id() == settings.frontDoor) site.frontDoorTarget = each.origin + "/";
            site.frontDoor.services.push_back(
                {each.service.manifest->name, each.service.manifest->description, each.origin, each.pages != nullptr});
        }
        addHostRoute(site, {"/", HostRoute::FrontDoor, true});
    }

    void addHostRoute(Site& site, const HostRouteDeclaration& declaration)
    {
        const bool declared = site.routes.find(PathPattern::parse(declaration.pattern), Method::Get) != nullptr;
        if (declared && declaration.route != HostRoute::Health)
            _faults.push_back(site.id() + ": GET " + std::string(declaration.pattern) +
                              " is served by the host on every origin; remove the route");
        if (declared) return;
        auto& info = _table->_hostRoutes.emplace_back();
        info.pattern = declaration.pattern;
        info.access = access::open();
        if (declaration.onLoop) info.execution = Execution::EventLoop;
        addRoute(site, site, info, info.pattern, declaration.route);
    }

    /// A path that the provider declares below /api/auth/ takes precedence over a mapped path (its alias).
    void addGatewayRoutes(Site& site, const Site& provider)
    {
        for (const bool mapped : {false, true})
            for (const auto& info : *provider.service.routes)
            {
                const auto path = gatewayPath(info.pattern);
                const bool here = info.onEveryOrigin || std::ranges::find(info.alsoOn, site.id()) != info.alsoOn.end();
                if (!here || (path != info.pattern) != mapped) continue;
                if (!mapped && &site == &provider) continue;
                const auto* known = site.routes.find(PathPattern::parse(path), info.method);
                if (mapped && known != nullptr && known->provider == &provider && gatewayPath(known->info->pattern) == known->info->pattern)
                    continue;
                addRoute(site, provider, info, path);
            }
    }

    void addForwardedRoutes(Site& site, const Site& provider)
    {
        if (!site.service.routes || &site == &provider) return;
        for (const auto& forward : *site.service.routes)
        {
            if (forward.kind != RouteKind::Forward) continue;
            for (const auto& info : *provider.service.routes)
            {
                const bool here = info.onEveryOrigin || std::ranges::find(info.alsoOn, site.id()) != info.alsoOn.end();
                const auto path = here ? forwardedPath(forward.pattern, gatewayPath(info.pattern)) : std::string();
                // A route and its alias below /api/auth/ lead to the same.
                if (path.empty() || isForwarded(site, provider, path, info.method)) continue;
                if (auto* entry = addRoute(site, provider, info, path))
                {
                    entry->forward = &forward;
                    site.forwarded.push_back({path, &info});
                }
            }
        }
    }

    static bool isForwarded(const Site& site, const Site& provider, const std::string& path, Method method)
    {
        const auto* known = site.routes.find(PathPattern::parse(path), method);
        return known != nullptr && known->provider == &provider && known->forward != nullptr;
    }

    /// Null where it cannot be added.
    RouteEntry* addRoute(Site& site, const Site& provider, const plugins::RouteInfo& info, const std::string& pattern,
                         HostRoute host = HostRoute::None)
    try
    {
        const auto parsed = PathPattern::parse(pattern);
        const bool throughGateway = &site != &provider;
        auto& entry = _table->_entries.emplace_back(
            RouteEntry{.provider = &provider, .info = &info, .host = host, .throughGateway = throughGateway, .name = routeName(info)});
        if (site.routes.add(parsed, info.method, entry)) return &entry;

        const RouteEntry& other = *site.routes.find(parsed, info.method);
        std::string fault = site.id() + ": " + other.name + " and " + routeName(info);
        if (pattern != info.pattern) fault += " (through the gateway " + pattern + ")";
        if (throughGateway) fault += " of " + provider.id();
        _faults.push_back(fault + " take the same paths; remove one of them");
        _table->_entries.pop_back();
        return nullptr;
    }
    catch (const std::invalid_argument& error)
    {
        _faults.push_back(provider.id() + ": " + error.what());
        return nullptr;
    }

    std::shared_ptr<RouteTable> _table = std::make_shared<RouteTable>();
    std::vector<std::string> _faults;
};

const Site* RouteTable::frontDoor(std::string_view host) const noexcept
{
    if (!_frontDoor.service.manifest) return nullptr;
    if (const auto colon = host.rfind(':'); colon != std::string_view::npos && !host.ends_with(']')) host = host.substr(0, colon);
    return host == "localhost" || host == "127.0.0.1" || host == "[::1]" ? &_frontDoor : nullptr;
}

std::function<void()> RouteTablePublisher::prepare(std::vector<plugins::PublishedService> services)
{
    RouteTableBuilder builder(std::move(services), _pages);
    if (!builder.faults().empty()) throw std::invalid_argument(joined("the services cannot be published together:", builder.faults()));
    return [this, table = std::move(builder).finish(_meters)] { _current.swap(table); };
}

} // namespace portico::host::routing
