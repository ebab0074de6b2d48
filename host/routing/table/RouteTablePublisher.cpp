#include "host/routing/table/RouteTablePublisher.h"

#include "host/routing/table/RouteTableBuilder.h"

#include <stdexcept>

namespace portico::host::routing
{

std::vector<std::string> RouteTablePublisher::check(const std::vector<plugins::PublishedService>& services) const
{
    return RouteTableBuilder(services).faults();
}

void RouteTablePublisher::publish(std::vector<plugins::PublishedService> services)
{
    RouteTableBuilder builder(std::move(services));
    if (!builder.faults().empty()) throw std::invalid_argument("the services cannot be published together: " + builder.faults().front());
    _current.swap(std::move(builder).finish(_meters));
}

} // namespace portico::host::routing
