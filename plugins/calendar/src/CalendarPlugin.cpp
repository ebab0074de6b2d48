#include "CalendarPlugin.h"

namespace portico::calendar
{

CalendarPlugin::CalendarPlugin(PluginContext& context)
    : _context(context), _hostRoutes(context, _zones), _scheduleRoutes(context, _zones), _eventTypeRoutes(context)
{
}

void CalendarPlugin::declare(Routes& routes)
{
    _hostRoutes.declare(routes);
    _scheduleRoutes.declare(routes);
    _eventTypeRoutes.declare(routes);
}

} // namespace portico::calendar
