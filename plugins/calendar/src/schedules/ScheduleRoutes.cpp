#include "schedules/ScheduleRoutes.h"

#include "portico/TimeZones.h"
#include "records/EventType.h"
#include "service/AdminRoutes.h"
#include "service/Live.h"
#include "slots/Starts.h"

namespace portico::calendar
{

namespace
{
constexpr std::int64_t maxSchedules = 100;

/// The open bookings ahead of the schedule's event types that its hours do not cover.
std::vector<BookingId> outsideHours(Session& session, Tenant tenant, const Host& host, const Schedule& schedule, const TimeZones& zones,
                                    Instant now)
{
    SlotRules rules;
    rules.zone = zones.require(schedule.timeZone, "timeZone");
    rules.weeklyRules = schedule.weeklyRules;
    rules.dateOverrides = schedule.dateOverrides;
    std::vector<BookingId> outside;
    for (Row row :
         session.query("SELECT b.id, b.start_at, b.end_at FROM booking b JOIN event_type t ON t.organization_id = b.organization_id AND "
                       "t.host_id = b.host_id AND t.id = b.event_type_id WHERE b.organization_id = $1 AND b.host_id = $2 AND "
                       "b.start_at > $3 AND b.status IN ('pending', 'confirmed') AND coalesce(t.schedule_id, $4) = $5 ORDER BY "
                       "b.start_at, b.id",
                       tenant, host.hostId, now, host.defaultScheduleId, schedule.scheduleId))
        if (!isWithinHours(rules, {row.get<Instant>(1), row.get<Instant>(2)})) outside.push_back(row.get<BookingId>(0));
    return outside;
}
} // namespace

void ScheduleRoutes::declare(Routes& routes)
{
    constexpr std::string_view schedules = "/schedules", schedule = "/schedules/{scheduleId}";
    AdminRoutes(routes, "availability:read", "availability.read")
        .get(schedules, &ScheduleRoutes::list, this, {.summary = "List the schedules of a host"})
        .get(schedule, &ScheduleRoutes::show, this, {.summary = "Read a schedule"});
    AdminRoutes(routes, "availability:write", "availability.write")
        .post(schedules, &ScheduleRoutes::create, this, {.summary = "Create a schedule"})
        .put(schedule, &ScheduleRoutes::update, this, {.summary = "Change a schedule"})
        .del(schedule, &ScheduleRoutes::remove, this, {.summary = "Delete a schedule", .problems = {"409 schedule_in_use"}});
}

template <class F>
auto ScheduleRoutes::changeHours(const Caller& caller, const HostChoice& choice, const F& change) const
{
    const auto host = [&]
    {
        auto session = _tools.database().session();
        return requireHost(session, caller, choice).hostId;
    }();
    // Locks the host: no other request may use a schedule that is being deleted, or book by hours that are being replaced.
    const auto write = [&](Transaction& transaction) { return change(transaction, requireHostForUpdate(transaction, caller, choice)); };
    return _tools.holds.inQueue(host, [&] { return transactLive(_tools.context, caller.tenant(), "calendar.schedules", write); });
}

Page<Schedule> ScheduleRoutes::list(const Caller& caller, const Query<HostChoice>& choice, const Paging& paging) const
{
    auto session = _tools.database().session();
    const auto host = requireHost(session, caller, *choice);
    return scheduleTable.select(caller.tenant()).where(&Schedule::hostId, host.hostId).orderBy(&Schedule::name).page(session, paging);
}

Created<Schedule> ScheduleRoutes::create(const Caller& caller, const Query<HostChoice>& choice, const Body<Schedule>& body)
{
    const auto tenant = caller.tenant();
    Schedule made = *body;
    if (!made.timeZone.empty()) _tools.zones.require(made.timeZone, "timeZone");
    return changeHours(caller, *choice,
                       [&](Transaction& transaction, const Host& host) -> Created<Schedule>
                       {
                           if (scheduleTable.select(tenant).where(&Schedule::hostId, host.hostId).count(transaction) >= maxSchedules)
                               throw Problem::invalid("", "limit_reached",
                                                      "A host has at most " + std::to_string(maxSchedules) + " schedules");
                           made.hostId = host.hostId;
                           if (made.timeZone.empty()) made.timeZone = host.timeZone;
                           auto schedule = scheduleTable.create(transaction, tenant, made, {_tools.now()});
                           return {schedule, pathFor(caller, "/schedules/" + schedule.scheduleId.text())};
                       });
}

Schedule ScheduleRoutes::show(const Caller& caller, const Path<ScheduleId>& id, const Query<HostChoice>& choice) const
{
    auto session = _tools.database().session();
    const auto host = requireHost(session, caller, *choice);
    return scheduleTable.require(session, caller.tenant(), host.hostId, *id);
}

ChangedSchedule ScheduleRoutes::update(const Caller& caller, const Path<ScheduleId>& id, const Query<HostChoice>& choice,
                                       const Body<Patch<Schedule>>& body, const IfMatch& ifMatch)
{
    return changeHours(
        caller, *choice,
        [&](Transaction& transaction, const Host& host)
        {
            const auto edit = [&](Schedule& schedule)
            {
                body->applyTo(schedule);
                if (schedule.timeZone.empty()) schedule.timeZone = host.timeZone;
                _tools.zones.require(schedule.timeZone, "timeZone");
            };
            const auto now = _tools.now();
            ChangedSchedule changed{scheduleTable.change(transaction, caller.tenant(), host.hostId, *id, ifMatch, {now}, edit), {}};
            changed.bookingsOutsideHours = outsideHours(transaction, caller.tenant(), host, changed, _tools.zones, now);
            return changed;
        });
}

Deleted<ScheduleId, "scheduleId"> ScheduleRoutes::remove(const Caller& caller, const Path<ScheduleId>& id, const Query<HostChoice>& choice,
                                                         const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    return changeHours(
        caller, *choice, [&](Transaction & transaction, const Host& host) -> Deleted<ScheduleId, "scheduleId"> {
            scheduleTable.remove(transaction, tenant, host.hostId, *id, ifMatch);
            const bool named =
                eventTypeTable.select(tenant).where(&EventType::hostId, host.hostId).where(&EventType::scheduleId, *id).exists(transaction);
            if (named || host.defaultScheduleId == *id)
                throw Problem::conflict("schedule_in_use", named ? "An event type is offered by this schedule."
                                                                 : "This is the host's default schedule: choose another one first.");
            return {*id};
        });
}

} // namespace portico::calendar
