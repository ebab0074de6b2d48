#include "trends/Trends.h"

namespace portico::social
{

Trends::Trends(const ContentTools& tools)
    : _service(tools.context,
               TrendReader(tools.context.http(), tools.context.clock(), tools.context.config().url("social.bluesky.resolverUrl"))),
      _seeds(tools.context),
      _trendRoutes(tools.context, _service),
      _seedRoutes(tools.context, _seeds),
      _suggestionRoutes(tools)
{
}

void Trends::start() { _service.start(); }

void Trends::declare(Routes& routes)
{
    _trendRoutes.declare(routes);
    _seedRoutes.declare(routes);
    _suggestionRoutes.declare(routes);
}

} // namespace portico::social
