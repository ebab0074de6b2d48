#include "host/telemetry/RequestScope.h"

namespace portico::host::plugins
{

namespace
{

thread_local std::string_view current;
thread_local const std::string_view* currentRouteText = nullptr;

} // namespace

RequestScope::RequestScope(std::string_view requestId, const std::string_view* route) noexcept
    : _outer(current), _outerRoute(currentRouteText)
{
    current = requestId;
    currentRouteText = route;
}

RequestScope::~RequestScope()
{
    current = _outer;
    currentRouteText = _outerRoute;
}

std::string_view RequestScope::currentRoute() noexcept { return currentRouteText ? *currentRouteText : std::string_view(); }

std::string_view RequestScope::currentId() noexcept { return current; }

} // namespace portico::host::plugins
