#pragma once

#include "bookings/BookingTools.h"
#include "external/CalendarSource.h"
#include "external/ExternalCalendar.h"
#include "external/ExternalSync.h"
#include "hosts/ActingHost.h"

#include "portico/Routes.h"

#include <atomic>

namespace portico::calendar
{

/// What to look for calendars with.
struct DiscoverRequest
{
    CalendarKind kind = CalendarKind::CalDav;
    std::string url;
    std::string username;
    std::string password;
};

constexpr auto schemaOf(const DiscoverRequest*)
{
    return describe(field("kind", &DiscoverRequest::kind), field("url", &DiscoverRequest::url).trimmed().maxLength(2000),
                    field("username", &DiscoverRequest::username).maxLength(320),
                    field("password", &DiscoverRequest::password).writeOnly().maxLength(2000));
}

struct DiscoveredCalendars
{
    std::vector<RemoteCalendar> calendars;
};

constexpr auto schemaOf(const RemoteCalendar*)
{
    return describe(field("name", &RemoteCalendar::name), field("url", &RemoteCalendar::url));
}

constexpr auto schemaOf(const DiscoveredCalendars*) { return describe(field("calendars", &DiscoveredCalendars::calendars)); }

/// /api/admin/external-calendars. Thread-safe.
class ExternalRoutes
{
public:
    ExternalRoutes(const BookingTools& tools, const ExternalSync& sync) : _tools(tools), _sync(sync) {}
    void declare(Routes& routes);

    Page<ExternalCalendar> list(const Caller& caller, const Query<HostChoice>& choice, const Paging& paging) const;
    Created<ExternalCalendar> create(const Caller& caller, const Query<HostChoice>& choice, const Body<ExternalCalendar>& body);
    ExternalCalendar show(const Caller& caller, const Path<CalendarId>& id, const Query<HostChoice>& choice) const;
    ExternalCalendar update(const Caller& caller, const Path<CalendarId>& id, const Query<HostChoice>& choice,
                            const Body<Patch<ExternalCalendar>>& body, const IfMatch& ifMatch);
    Deleted<CalendarId, "calendarId"> remove(const Caller& caller, const Path<CalendarId>& id, const Query<HostChoice>& choice,
                                             const IfMatch& ifMatch);
    Reply<ExternalCalendar> sync(const Caller& caller, const Path<CalendarId>& id, const Query<HostChoice>& choice);
    DiscoveredCalendars discover(const Caller& caller, const Query<HostChoice>& choice, const Body<DiscoverRequest>& body);

private:
    std::vector<RemoteCalendar> look(const ExternalCalendar& calendar, const std::string& password);

    const BookingTools& _tools;
    const ExternalSync& _sync;
    std::atomic<int> _looking{0};
};

} // namespace portico::calendar
