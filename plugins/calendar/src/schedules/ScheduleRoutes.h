#pragma once

#include "hosts/ActingHost.h"
#include "hosttime/BookingTools.h"
#include "records/Schedule.h"

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
    return describe(scheduleFields<ChangedSchedule>(), field<&ChangedSchedule::bookingsOutsideHours>());
}

/// /api/admin/schedules. Thread-safe.
class ScheduleRoutes
{
public:
    explicit ScheduleRoutes(const BookingTools& tools) : _tools(tools) {}
    void declare(Routes& routes);

    Page<Schedule> list(const Caller& caller, const Query<HostChoice>& choice, const Paging& paging) const;
    Created<Schedule> create(const Caller& caller, const Query<HostChoice>& choice, const Body<Schedule>& body);
    Schedule show(const Caller& caller, const Path<ScheduleId>& id, const Query<HostChoice>& choice) const;
    ChangedSchedule update(const Caller& caller, const Path<ScheduleId>& id, const Query<HostChoice>& choice,
                           const Body<Patch<Schedule>>& body, const IfMatch& ifMatch);
    Deleted<ScheduleId, "scheduleId"> remove(const Caller& caller, const Path<ScheduleId>& id, const Query<HostChoice>& choice,
                                             const IfMatch& ifMatch);

private:
    /// Runs a change of the host's hours in the host's queue: nobody books by those that it replaces. Tells open pages.
    template <class F>
    auto changeHours(const Caller& caller, const HostChoice& choice, const F& change) const;

    const BookingTools& _tools;
};

} // namespace portico::calendar
