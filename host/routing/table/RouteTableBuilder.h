#pragma once

#include "host/routing/table/RouteTable.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::routing
{

/// Builds a table from the set of services, and tells what is wrong with the set. Used once, by one thread.
class RouteTableBuilder
{
public:
    explicit RouteTableBuilder(std::vector<plugins::PublishedService> services);
    /// Clashes of routes, origins and gateway paths, in words; empty: the table is whole.
    const std::vector<std::string>& faults() const noexcept { return _faults; }
    /// Resolves the meters of all routes and gives the table away.
    std::shared_ptr<const RouteTable> finish(RouteMeters& meters) &&;

private:
    void addSite(plugins::PublishedService service);
    void addHosts(const Site& site);
    void addOwnRoutes(Site& site);
    void addHostRoutes(Site& site);
    void addEverywhere();
    void addHostRoute(Site& site, std::string_view pattern, HostRoute route, bool onLoop);
    void addGatewayRoutes(Site& site, const Site& provider);
    void addRoute(Site& site, const Site& provider, const plugins::RouteInfo& info, const std::string& pattern,
                  HostRoute host = HostRoute::None);

    std::shared_ptr<RouteTable> _table = std::make_shared<RouteTable>();
    std::vector<std::string> _faults;
};

} // namespace portico::host::routing
