#pragma once

#include "host/plugins/runtime/Contracts.h"
#include "host/routing/table/RouteTable.h"

#include <functional>
#include <vector>

namespace portico::host::routing
{

/// Turns the lifecycle thread's services into the table that requests use. Used by one thread at a time.
class RouteTablePublisher : public plugins::Publisher
{
public:
    RouteTablePublisher(CurrentTable& current, RouteMeters& meters, PageSettings pages = {})
        : _current(current), _meters(meters), _pages(std::move(pages))
    {
    }
    std::function<void()> prepare(std::vector<plugins::PublishedService> services) override;

private:
    CurrentTable& _current;
    RouteMeters& _meters;
    const PageSettings _pages;
};

} // namespace portico::host::routing
