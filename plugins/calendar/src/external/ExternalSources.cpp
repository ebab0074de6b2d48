#include "external/ExternalSources.h"

#include "external/CalDavSource.h"
#include "external/IcsFeedSource.h"

namespace portico::calendar
{

std::unique_ptr<CalendarSource> makeSource(const BookingTools& tools, const ExternalCalendar& calendar, const std::string& password,
                                           std::chrono::milliseconds timeout)
{
    RemoteCalls calls(tools.context.http(), tools.context.clock(), {calendar.url, calendar.username, password}, timeout);
    switch (calendar.kind)
    {
    case CalendarKind::CalDav:
        return std::make_unique<CalDavSource>(std::move(calls), tools.zones,
                                              CalDavChoice{calendar.selectedCollections, calendar.writeTarget.value_or("")});
    case CalendarKind::IcsFeed:
        return std::make_unique<IcsFeedSource>(std::move(calls), tools.zones);
    default:
        throw CalendarFailure(CalendarFailure::Kind::Unreachable, "This kind of calendar is not set up on this server.");
    }
}

} // namespace portico::calendar
