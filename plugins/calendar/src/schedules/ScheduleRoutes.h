#pragma once

#include "hosts/ActingHost.h"
#include "schedules/Schedule.h"
#include "time/TimeZones.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

namespace portico::calendar
{

/// What a change of a schedule answers.
struct ChangedSchedule : Schedule
{
    /// Open bookings ahead that its hours do not cover any more. They stay: nothing is moved by itself.
    std::vector<BookingId> bookingsOutsideHours;
};

constexpr auto schemaOf(const ChangedSchedule*)
{
    return describe(scheduleFields<ChangedSchedule>(), field("bookingsOutsideHours", &ChangedSchedule::bookingsOutsideHours));
}

/// /api/admin/schedules. Thread-safe.
class ScheduleRoutes
{
public:
    ScheduleRoutes(PluginContext& context, const TimeZones& zones) : _context(context), _zones(zones) {}
    void declare(Routes& routes);

    Page<Schedule> list(const Caller& caller, const Query<HostChoice>& choice, const Paging& paging) const;
    Created<Schedule> create(const Caller& caller, const Query<HostChoice>& choice, const Body<Schedule>& body);
    Schedule show(const Caller& caller, const Path<ScheduleId>& id, const Query<HostChoice>& choice) const;
    ChangedSchedule update(const Caller& caller, const Path<ScheduleId>& id, const Query<HostChoice>& choice,
                           const Body<Patch<Schedule>>& body, const IfMatch& ifMatch);
    Deleted<ScheduleId, "scheduleId"> remove(const Caller& caller, const Path<ScheduleId>& id, const Query<HostChoice>& choice,
                                             const IfMatch& ifMatch);

private:
    PluginContext& _context;
    const TimeZones& _zones;
};

} // namespace portico::calendar
