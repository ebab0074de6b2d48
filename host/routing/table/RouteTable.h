#pragma once

#include "host/plugins/runtime/Contracts.h"
#include "host/routing/docs/ApiDocument.h"
#include "host/routing/pages/HostPages.h"
#include "host/routing/pages/ServicePages.h"
#include "host/routing/table/Origins.h"
#include "host/routing/table/PathTrie.h"
#include "host/routing/table/RouteMeter.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::routing
{

struct Site;

/// The routes that the host itself serves on every origin.
enum class HostRoute : std::uint8_t
{
    None,
    Liveness,
    Readiness,
    Health,
    ApiDocument,
    Docs,
    /// Page routes of a service: those that index.html answers, `/`, and the files.
    Page,
    Home,
    PageFile,
    FrontDoor
};

/// One route on one origin: host data only, nothing in it points into a plugin.
struct RouteEntry
{
    /// The service that answers; on a gateway route not the one whose origin was called.
    const Site* provider = nullptr;
    const plugins::RouteInfo* info = nullptr;
    HostRoute host = HostRoute::None;
    /// Served on the origin of a service for the one that provides it.
    bool throughGateway = false;
    /// `GET /api/contacts/{id}`, as its provider declared it.
    std::string name = {};
    std::shared_ptr<RouteMeter> meter = {};
    /// The declaration that forwards a path of the origin's service to this route; null: none. Its access is checked as well.
    const plugins::RouteInfo* forward = nullptr;
    /// For a retired path: any of these query parameters makes it retired; empty: always.
    std::vector<std::string> goneWith = {};
};

/// A service and everything that its origins answer.
struct Site
{
    plugins::PublishedService service;
    /// The canonical origin.
    std::string origin;
    PathTrie routes;
    /// Retired paths of earlier versions on this origin (`retired` of the manifests).
    PathTrie retired;
    /// False for a service that never ran: what its paths are is not known.
    bool routesKnown = false;
    /// Declares gateway routes: the credentials' own home.
    bool providesGateway = false;
    /// Gateway routes under paths of this service.
    std::vector<ForwardedRoute> forwarded;
    /// Runs before a page is served; null: none.
    const plugins::RouteInfo* pageGuard = nullptr;
    ApiDocument document{service, origin, forwarded};
    /// Null where the service has none.
    std::unique_ptr<const ServicePages> pages;
    /// Set for the front door: the contents of its page, or the address that it redirects to.
    FrontDoor frontDoor;
    std::string frontDoorTarget;
    /// Set for the host's own site: the sites of the services.
    const std::deque<Site>* all = nullptr;
    /// Counts requests without a route.
    std::shared_ptr<RouteMeter> unmatched;

    const std::string& id() const noexcept { return service.manifest->serviceId; }
};

/// Every origin and route of the host at one moment. Immutable; shared by all requests that began while it was current.
class RouteTable
{
public:
    struct Host
    {
        const Site* site = nullptr;
        std::string origin;
    };

    /// Finds a site by Host header (lower-case, without default port); null for an unknown host.
    const Host* host(std::string_view name) const noexcept
    {
        const auto found = _hosts.find(name);
        return found == _hosts.end() ? nullptr : &found->second;
    }
    const Site* site(std::string_view serviceId) const noexcept
    {
        const auto found = _byService.find(serviceId);
        return found == _byService.end() ? nullptr : found->second;
    }
    /// Returns the site of host routes that are served on any origin; null if the path is none of them. Health checks name no origin.
    const Site* everywhere(std::string_view path) const noexcept
    {
        return _everywhere.routes.match(Method::Get, path).entry != nullptr ? &_everywhere : nullptr;
    }
    /// Returns the front door for a host that no service has and that is this machine (`localhost`, `127.0.0.1`, `[::1]`, at any port);
    /// null for others, or without a front door.
    const Site* frontDoor(std::string_view host) const noexcept;
    const AllowedOrigins& allowedOrigins() const noexcept { return _allowedOrigins; }
    /// True when some service that is known provides gateway routes.
    bool hasGateway() const noexcept { return _hasGateway; }
    const std::deque<Site>& sites() const noexcept { return _sites; }

private:
    friend class RouteTableBuilder;
    // Deques, because entries and sites are pointed to while more are added.
    std::deque<Site> _sites;
    Site _everywhere;
    Site _frontDoor;
    std::deque<RouteEntry> _entries;
    std::deque<RouteEntry> _retired;
    std::deque<plugins::RouteInfo> _hostRoutes;
    std::map<std::string, Host, std::less<>> _hosts;
    std::map<std::string, const Site*, std::less<>> _byService;
    AllowedOrigins _allowedOrigins;
    bool _hasGateway = false;
};

/// The table that new requests see. A short mutex, because libstdc++ 12's atomic<shared_ptr> is a spin lock that sanitizers cannot follow.
class CurrentTable
{
public:
    CurrentTable() : _table(std::make_shared<const RouteTable>()) {}
    std::shared_ptr<const RouteTable> copy() const
    {
        const std::lock_guard lock(_mutex);
        return _table;
    }
    /// Returns the old table, so that it is destroyed outside the lock.
    std::shared_ptr<const RouteTable> swap(std::shared_ptr<const RouteTable> table)
    {
        const std::lock_guard lock(_mutex);
        _table.swap(table);
        return table;
    }

private:
    mutable std::mutex _mutex;
    std::shared_ptr<const RouteTable> _table;
};

} // namespace portico::host::routing
