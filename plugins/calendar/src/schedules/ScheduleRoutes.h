#pragma once

#include "hosts/ActingHost.h"
#include "schedules/Schedule.h"
#include "time/TimeZones.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

namespace portico::calendar
{

/// /api/admin/schedules. Thread-safe.
class ScheduleRoutes
{
public:
    ScheduleRoutes(PluginContext& context, const TimeZones& zones) : _context(context), _zones(zones) {}
    void declare(Routes& routes);

    Page<Schedule> list(const Caller& caller, const Query<HostChoice>& choice, const Paging& paging) const;
    Created<Schedule> create(const Caller& caller, const Query<HostChoice>& choice, const Body<Schedule>& body);
    Schedule show(const Caller& caller, const Path<ScheduleId>& id, const Query<HostChoice>& choice) const;
    Schedule update(const Caller& caller, const Path<ScheduleId>& id, const Query<HostChoice>& choice, const Body<Patch<Schedule>>& body,
                    const IfMatch& ifMatch);
    Deleted<ScheduleId, "scheduleId"> remove(const Caller& caller, const Path<ScheduleId>& id, const Query<HostChoice>& choice,
                                             const IfMatch& ifMatch);

private:
    PluginContext& _context;
    const TimeZones& _zones;
};

} // namespace portico::calendar
