#pragma once

#include "external/RemoteCalls.h"
#include "external/Xml.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace portico::calendar
{

/// Calendars of a CalDAV server (RFC 4791).
///
/// What is busy is asked by `free-busy-query` where the server offers it and its answer says enough: it names no events, so not of the
/// collection that bookings are written to (they would count twice, and where they were), nor where dates are to be passed over. Else by
/// `calendar-query`, with our own recurrences.
class CalDavSource final : public CalendarSource
{
public:
    CalDavSource(RemoteCalls calls, const TimeZones& zones, CalendarChoice choice)
        : _calls(std::move(calls)), _zones(zones), _choice(std::move(choice))
    {
    }

    /// From the account's URL by current-user-principal and calendar-home-set, by way of /.well-known/caldav where the URL leads nowhere
    /// itself (RFC 6764). The URL of a calendar gives this one alone.
    std::vector<RemoteCalendar> discover() override;
    /// The marker has each collection's sync-token, or its ctag, or all its ETags, whatever the server gives first. It is empty where the
    /// server gives none of them: then every call reads.
    BusyAnswer busy(const icalendar::BusyOptions& options, const BusyMarker& known) override;
    RemoteEvent put(const icalendar::Invitation& event, const std::optional<RemoteEvent>& known) override;
    void remove(const RemoteEvent& event) override;

private:
    /// What a multistatus says of one resource: the properties that were found.
    struct Resource
    {
        std::string url;
        XmlElement properties;
        /// The status of the whole resource, if the server sends one: `HTTP/1.1 507 Insufficient Storage`.
        std::string status;
    };

    HttpClient::Response dav(const RemoteStep& step, std::string_view method, const std::string& url, std::string_view depth,
                             std::string body);
    std::vector<Resource> multistatus(const RemoteStep& step, const HttpClient::Response& response) const;
    std::vector<Resource> propfind(const RemoteStep& step, const std::string& url, std::string_view depth, std::string_view properties);
    /// Where a property of a resource leads; empty if it has none.
    std::string linkOf(const Resource& resource, std::string_view property) const;
    std::string findPrincipal();

    std::string markerOf(const std::string& collection, bool& offersFreeBusy);
    bool readFreeBusy(const std::string& collection, const icalendar::BusyOptions& options, icalendar::BusyReader& reader);
    std::vector<std::string> ownAddresses();
    /// @param objects receives the names and texts
    void readEvents(const std::string& collection, const icalendar::BusyOptions& options, icalendar::BusyReader& reader,
                    std::vector<std::pair<std::string, std::string>>& objects);
    std::string etagOf(const std::string& href);

    RemoteCalls _calls;
    const TimeZones& _zones;
    const CalendarChoice _choice;
};

} // namespace portico::calendar
