#pragma once

#include "hosts/ActingHost.h"
#include "hosttime/BookingTools.h"
#include "records/Schedule.h"

#include "portico/Routes.h"

namespace portico::calendar
{

/// Answer to a change of a schedule.
struct ChangedSchedule : Schedule
{
    /// Future bookings that the hours no longer cover. They stay unchanged.
    std::vector<BookingId> bookingsOutsideHours;
};

constexpr auto schemaOf(const ChangedSchedule*) { return describe(inherited<Schedule>(), field<&ChangedSchedule::bookingsOutsideHours>()); }

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
    /// Changes the host's hours in the host's queue, so that no concurrent booking uses the old ones. Notifies open pages.
    template <class F>
    auto changeHours(const Caller& caller, const HostChoice& choice, const F& change) const;

    const BookingTools& _tools;
};

} // namespace portico::calendar
