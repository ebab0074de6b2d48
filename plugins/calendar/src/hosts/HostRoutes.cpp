#include "hosts/HostRoutes.h"

#include "hosts/Handles.h"
#include "portico/TimeZones.h"
#include "records/ExternalCalendar.h"
#include "service/AdminRoutes.h"
#include "service/Live.h"

namespace portico::calendar
{

namespace
{
std::vector<WeeklyRule> officeHours()
{
    std::vector<WeeklyRule> rules;
    for (int weekday = 1; weekday <= 5; ++weekday) rules.push_back({weekday, WallTime::ofMinutes(9 * 60), WallTime::ofMinutes(17 * 60)});
    return rules;
}

/// Only people have hosts. @throws Problem 403
void requirePerson(const Caller& caller)
{
    if (!caller.principalId.starts_with(UserId::prefix))
        throw Problem::forbidden("permission_denied", "A host is a person: use a token or a key of a user.");
}

/// Requests full reads of a host's external calendars: floating times were stored as instants of the old zone.
void readCalendarsAnew(Transaction& transaction, Tenant tenant, const HostId& host, const Stamp& stamp)
{
    for (auto& calendar : externalCalendarTable.select(tenant).where(&ExternalCalendar::hostId, host).forUpdate().all(transaction))
    {
        // A provider's calendar is never due before the consent.
        if (!calendar.nextSyncAt) continue;
        calendar.readAnew(stamp.now);
        // The new version discards the result of a read that has begun with the old zone.
        externalCalendarTable.update(transaction, tenant, calendar, stamp);
    }
}
} // namespace

void HostRoutes::declare(Routes& routes)
{
    routes.get("/api/admin/context", access::bearer("host:read"), &HostRoutes::context, this, {.summary = "Read the caller and their host"})
        .get("/api/admin/handles/{handle}", access::bearer("host:write"), &HostRoutes::handle, this,
             {.summary = "Check whether a handle is available"});
    AdminRoutes(routes, "host:read", "host.read").get("/host", &HostRoutes::show, this, {.summary = "Read the host"});
    AdminRoutes(routes, "host:write", "host.write")
        .post("/host", &HostRoutes::create, this, {.summary = "Create a host", .problems = {"409 handle_taken", "409 host_exists"}})
        .put("/host", &HostRoutes::update, this, {.summary = "Change the host", .problems = {"409 handle_taken"}});
}

AdminContext HostRoutes::context(const Caller& caller) const
{
    auto session = _context.database().session();
    AdminContext answer;
    answer.user = {caller.principalId, caller.displayName, caller.email};
    answer.host = ownHost(session, caller);
    answer.needsSetup = !answer.host;
    answer.organizationId = caller.organizationId;
    answer.effectivePermissions = caller.permissions;
    const auto& config = _context.config();
    answer.outside.chat = !config.url("calendar.chat.url").empty();
    answer.outside.notifications =
        !config.url("calendar.notification.url").empty() && !config.secret("calendar.notification.apiKeyFile").empty();
    return answer;
}

HandleAnswer HostRoutes::handle(const Caller& caller, const Path<std::string>& handle) const
{
    auto session = _context.database().session();
    const auto now = _context.clock().now();
    const auto own = ownHost(session, caller);
    const auto owner = ownerOf(session, *handle, now);
    HandleAnswer answer{*handle, isHandle(*handle) && (!owner || (own && own->hostId == owner->hostId)), {}};
    if (!answer.available) answer.suggestions = freeHandlesNear(session, *handle, now);
    return answer;
}

Created<Host> HostRoutes::create(const Caller& caller, const Body<NewHost>& body)
{
    requirePerson(caller);
    _zones.require(body->timeZone, "timeZone");
    const Stamp stamp{_context.clock().now()};
    const auto tenant = caller.tenant();
    Host host;
    host.handle = body->handle;
    host.displayName = body->displayName;
    host.timeZone = body->timeZone;
    host.userId = caller.principalId;
    host = hostTable.stamped(host, stamp);
    Schedule schedule;
    schedule.hostId = host.hostId;
    schedule.name = "Office hours";
    schedule.timeZone = host.timeZone;
    schedule.weeklyRules = body->weeklyRules.value_or(officeHours());
    schedule = scheduleTable.stamped(schedule, stamp);
    host.defaultScheduleId = schedule.scheduleId;
    transactLive(_context, tenant, "calendar.host",
                 [&](Transaction& transaction)
                 {
                     if (!hostTable.insertIfAbsent(transaction, tenant, host))
                         throw Problem::conflict("host_exists", "You have a host in this organization already.");
                     takeHandle(transaction, tenant, host.hostId, host.handle, stamp.now);
                     scheduleTable.insert(transaction, tenant, schedule);
                     return true;
                 });
    host.organizationId = caller.organizationId;
    return {host, pathFor(caller, "/host")};
}

Host HostRoutes::show(const Caller& caller, const Query<HostChoice>& choice) const
{
    auto session = _context.database().session();
    auto host = requireHost(session, caller, *choice);
    host.previousHandles = previousHandles(session, caller.tenant(), host.hostId, _context.clock().now());
    return host;
}

Host HostRoutes::update(const Caller& caller, const Query<HostChoice>& choice, const Body<Patch<Host>>& body, const IfMatch& ifMatch)
{
    const Stamp stamp{_context.clock().now()};
    const auto tenant = caller.tenant();
    return transactLive(_context, tenant, "calendar.host",
                        [&](Transaction& transaction)
                        {
                            const auto before = requireHost(transaction, caller, *choice);
                            Host host = hostTable.change(transaction, tenant, before.hostId, ifMatch, stamp, *body);
                            if (host.timeZone != before.timeZone)
                            {
                                _zones.require(host.timeZone, "timeZone");
                                readCalendarsAnew(transaction, tenant, host.hostId, stamp);
                            }
                            if (host.defaultScheduleId != before.defaultScheduleId &&
                                !scheduleTable.exists(transaction, tenant, host.hostId, host.defaultScheduleId))
                                throw Problem::invalid("defaultScheduleId", "not_found", "The host has no such schedule");
                            if (host.handle != before.handle) takeHandle(transaction, tenant, host.hostId, host.handle, stamp.now);
                            _pictures.dropUnused(transaction, tenant, host);
                            host.organizationId = caller.organizationId;
                            host.previousHandles = previousHandles(transaction, tenant, host.hostId, stamp.now);
                            return host;
                        });
}

} // namespace portico::calendar
