#pragma once

#include "host/plugins/runtime/Contracts.h"
#include "host/routing/table/RouteTable.h"

#include <string>
#include <vector>

namespace portico::host::routing
{

/// Turns the services that the lifecycle thread wants to serve into the table that requests see. `check` may be called on any thread,
/// `publish` on one at a time.
class RouteTablePublisher : public plugins::Publisher
{
public:
    RouteTablePublisher(CurrentTable& current, RouteMeters& meters) : _current(current), _meters(meters) {}
    std::vector<std::string> check(const std::vector<plugins::PublishedService>& services) const override;
    /// @throws std::invalid_argument for a set with faults; what served before goes on.
    void publish(std::vector<plugins::PublishedService> services) override;

private:
    CurrentTable& _current;
    RouteMeters& _meters;
};

} // namespace portico::host::routing
