#pragma once

#include "eventtypes/EventTypeRoutes.h"
#include "hosts/HostRoutes.h"
#include "schedules/ScheduleRoutes.h"
#include "time/TimeZones.h"

#include "portico/Plugin.h"

namespace portico::calendar
{

/// The calendar service: ties its resources together.
class CalendarPlugin final : public Plugin
{
public:
    explicit CalendarPlugin(PluginContext& context);

    void declare(Routes& routes) override;

private:
    PluginContext& _context;
    TimeZones _zones;
    HostRoutes _hostRoutes;
    ScheduleRoutes _scheduleRoutes;
    EventTypeRoutes _eventTypeRoutes;
};

} // namespace portico::calendar
