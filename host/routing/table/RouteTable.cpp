#include "host/routing/table/RouteTable.h"

namespace portico::host::routing
{

const RouteTable::Host* RouteTable::host(std::string_view name) const noexcept
{
    const auto found = _hosts.find(name);
    return found == _hosts.end() ? nullptr : &found->second;
}

const Site* RouteTable::site(std::string_view serviceId) const noexcept
{
    const auto found = _byService.find(serviceId);
    return found == _byService.end() ? nullptr : found->second;
}

const Site* RouteTable::everywhere(std::string_view path) const noexcept
{
    return _everywhere.routes.match(Method::Get, path).entry != nullptr ? &_everywhere : nullptr;
}

} // namespace portico::host::routing
