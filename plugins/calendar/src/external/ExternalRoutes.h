#pragma once

#include "external/CalendarSource.h"
#include "external/ExternalSync.h"
#include "external/Places.h"
#include "hosts/ActingHost.h"
#include "hosttime/BookingTools.h"
#include "records/ExternalCalendar.h"
#include "service/AdminRoutes.h"

#include "portico/Routes.h"

#include <functional>
#include <memory>

namespace portico::calendar
{

/// Address and credentials for the discovery of calendars.
struct DiscoverRequest
{
    CalendarKind kind = CalendarKind::CalDav;
    std::string url;
    std::string username;
    std::string password;
    /// One that is connected, in place of all of these.
    std::optional<CalendarId> calendarId;
};

constexpr auto schemaOf(const DiscoverRequest*)
{
    return describe(field<&DiscoverRequest::calendarId>().description(
                        "Connected calendar whose stored credentials are used instead of the other members"),
                    field<&DiscoverRequest::kind>(), field<&DiscoverRequest::url>().trimmed().maxLength(2000),
                    field<&DiscoverRequest::username>().maxLength(320), field<&DiscoverRequest::password>().writeOnly().maxLength(2000));
}

struct DiscoveredCalendars
{
    std::vector<RemoteCalendar> calendars;
};

constexpr auto schemaOf(const RemoteCalendar*) { return describe(members<&RemoteCalendar::name, &RemoteCalendar::url>()); }

constexpr auto schemaOf(const DiscoveredCalendars*) { return describe(field<&DiscoveredCalendars::calendars>()); }

/// Members of the list's answer beside the calendars.
struct CalendarListExtra
{
    /// Kinds that can be connected. Providers are included only if the operator has configured them.
    std::vector<CalendarKind> connectableKinds;
};

constexpr auto schemaOf(const CalendarListExtra*)
{
    return describe(field<&CalendarListExtra::connectableKinds>().description("Kinds of calendars that this installation can connect"));
}

/// /api/admin/external-calendars. Thread-safe.
class ExternalRoutes
{
public:
    ExternalRoutes(const BookingTools& tools, const ExternalSync& sync) : _tools(tools), _sync(sync) {}
    void declare(Routes& routes);

    Page<ExternalCalendar, CalendarListExtra> list(const Caller& caller, const Query<HostChoice>& choice, const Paging& paging) const;
    Created<ExternalCalendar> create(const Caller& caller, const Query<HostChoice>& choice, const Body<ExternalCalendar>& body);
    ExternalCalendar show(const Caller& caller, const Path<CalendarId>& id, const Query<HostChoice>& choice) const;
    ExternalCalendar update(const Caller& caller, const Path<CalendarId>& id, const Query<HostChoice>& choice,
                            const Body<Patch<ExternalCalendar>>& body, const IfMatch& ifMatch);
    Deleted<CalendarId, "calendarId"> remove(const Caller& caller, const Path<CalendarId>& id, const Query<HostChoice>& choice,
                                             const IfMatch& ifMatch);
    Reply<ExternalCalendar> sync(const Caller& caller, const Path<CalendarId>& id, const Query<HostChoice>& choice,
                                 const Body<NoMembers>& body);
    DiscoveredCalendars discover(const Caller& caller, const Query<HostChoice>& choice, const Body<DiscoverRequest>& body);

private:
    void fillAccount(ExternalCalendar& made);
    void fillProvider(ExternalCalendar& made);
    std::vector<RemoteCalendar> look(const std::function<std::unique_ptr<CalendarSource>()>& source);

    const BookingTools& _tools;
    const ExternalSync& _sync;
    Places _looking{4};
};

} // namespace portico::calendar
