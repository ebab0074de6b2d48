#pragma once

#include "external/RemoteCalls.h"
#include "external/Xml.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace portico::calendar
{

/// Reads and writes calendars of a CalDAV server (RFC 4791).
/// Busy times are read by `free-busy-query` if the server offers it and its answer is sufficient. The query does not name events. It is
/// therefore not used for collections that bookings are or were written to, where moved bookings would count twice. It is not used either
/// if all-day events are to be ignored, or if the collection's `calendar-timezone`, in which its server places all-day and floating events,
/// is not the host's. Otherwise `calendar-query` is used, and recurrences are expanded here.
class CalDavSource final : public CalendarSource
{
public:
    CalDavSource(RemoteCalls calls, const TimeZones& zones, CalendarChoice choice)
        : _calls(std::move(calls)), _zones(zones), _choice(std::move(choice))
    {
    }

    /// Finds calendars from the account's URL by current-user-principal and calendar-home-set. If the URL does not lead there, tries
    /// /.well-known/caldav (RFC 6764). The URL of a calendar returns only this calendar.
    std::vector<RemoteCalendar> discover() override;
    /// Builds the marker from each collection's sync-token, its ctag or all its ETags, whichever the server offers first. If it offers
    /// none, the marker is empty and every call reads everything.
    BusyAnswer busy(const icalendar::BusyOptions& options, const BusyMarker& known) override;
    RemoteEvent put(const icalendar::Invitation& event, const std::optional<RemoteEvent>& known) override;
    void remove(const RemoteEvent& event) override;

private:
    /// The properties found for one resource of a multistatus.
    struct Resource
    {
        std::string url;
        XmlElement properties;
        /// Status of the whole resource if the server sends one, for example `HTTP/1.1 507 Insufficient Storage`.
        std::string status;
    };

    HttpClient::Response dav(const RemoteStep& step, std::string_view method, const std::string& url, std::string_view depth,
                             std::string body);
    std::vector<Resource> multistatus(const RemoteStep& step, const HttpClient::Response& response) const;
    std::vector<Resource> propfind(const RemoteStep& step, const std::string& url, std::string_view depth, std::string_view properties);
    /// Returns the URL in a property of a resource; empty if it has none.
    std::string linkOf(const Resource& resource, std::string_view property) const;
    std::string findPrincipal();

    /// @param offersFreeBusy becomes true if the server offers `free-busy-query` in the time zone of the host
    std::string markerOf(const std::string& collection, const TimeZone& zone, bool& offersFreeBusy);
    bool readFreeBusy(const std::string& collection, const icalendar::BusyOptions& options, icalendar::BusyReader& reader);
    std::vector<std::string> ownAddresses();
    /// @param objects receives names and contents of the calendar objects
    void readEvents(const std::string& collection, const icalendar::BusyOptions& options, icalendar::BusyReader& reader,
                    std::vector<std::pair<std::string, std::string>>& objects);
    std::string etagOf(const std::string& href);

    RemoteCalls _calls;
    const TimeZones& _zones;
    const CalendarChoice _choice;
};

} // namespace portico::calendar
