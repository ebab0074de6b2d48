#include "external/CalDavSource.h"

#include "external/GoneCalendars.h"
#include "icalendar/Values.h"

#include "portico/Crypto.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::calendar
{

namespace
{
constexpr std::uint64_t largestAnswer = 16 * 1024 * 1024;
constexpr std::string_view calendarElement = "urn:ietf:params:xml:ns:caldavcalendar",
                           dataElement = "urn:ietf:params:xml:ns:caldavcalendar-data";
constexpr std::string_view homeElement = "urn:ietf:params:xml:ns:caldavcalendar-home-set",
                           addressElement = "urn:ietf:params:xml:ns:caldavcalendar-user-address-set",
                           zoneElement = "urn:ietf:params:xml:ns:caldavcalendar-timezone",
                           ctagElement = "http://calendarserver.org/ns/getctag";
constexpr std::string_view freeBusyElement = "urn:ietf:params:xml:ns:caldavfree-busy-query",
                           principalElement = "DAV:current-user-principal";
constexpr std::string_view namespaces = R"( xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:S="http://calendarserver.org/ns/")";

std::string xmlBody(const std::string& content) { return R"(<?xml version="1.0" encoding="utf-8"?>)" + content; }

/// `20261123T090000Z`.
std::string utcStamp(Instant instant)
{
    const auto text = toString(instant);
    return text.substr(0, 4) + text.substr(5, 2) + text.substr(8, 2) + "T" + text.substr(11, 2) + text.substr(14, 2) + text.substr(17, 2) +
           "Z";
}

std::string timeRange(const icalendar::BusyOptions& options)
{
    return R"(<C:time-range start=")" + utcStamp(options.from) + R"(" end=")" + utcStamp(options.to) + R"("/>)";
}

bool isSuccess(const HttpClient::Response& response) { return response.status / 100 == 2; }

/// A collection's URL ends with a slash, so that names beside it are in it.
std::string asFolder(std::string url) { return url.ends_with('/') ? url : url + "/"; }

/// Parses an answer. Objects are independent: one with characters that XML does not allow may not hide the others, so these become blanks.
XmlElement parseAnswer(const std::string& body)
{
    try
    {
        return parseXml(body);
    }
    catch (const XmlError&)
    {
        return parseXml(xmlCharacters(body));
    }
}

/// Returns true if a `calendar-timezone` (RFC 4791, 5.2.2) is the zone.
bool isZone(std::string_view definition, const TimeZone& zone)
{
    try
    {
        for (const auto& calendar : icalendar::parseComponents(definition))
            for (const auto& component : calendar.components)
                if (component.name == "VTIMEZONE") return component.value("TZID") == zone.name();
    }
    catch (const icalendar::ICalendarError&)
    {
    }
    return false;
}

/// Returns a file name that needs no escaping in a URL path.
std::string fileNameOf(std::string_view uid)
{
    std::string name;
    for (const char c : uid)
        name += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' ? c : '-';
    return name + ".ics";
}
} // namespace

HttpClient::Response CalDavSource::dav(const RemoteStep& step, std::string_view method, const std::string& url, std::string_view depth,
                                       std::string body)
{
    HttpClient::Request request;
    request.method = method;
    request.url = url;
    request.maxResponseBytes = largestAnswer;
    // To another origin the password does not go along: a request there is refused, and says where to.
    request.maxRedirects = 5;
    request.headers = {{"Depth", std::string(depth)}, {"Content-Type", "application/xml; charset=utf-8"}};
    request.body = std::move(body);
    return _calls.send(step, std::move(request));
}

std::vector<CalDavSource::Resource> CalDavSource::multistatus(const RemoteStep& step, const HttpClient::Response& response) const
{
    if (response.status != 207)
    {
        const auto status = std::to_string(response.status);
        RemoteCalls::fail(step, response.url,
                          {"no_caldav", "the server answered " + status + " where 207 is expected: it is no CalDAV server", status});
    }
    try
    {
        const auto document = parseAnswer(response.body);
        if (document.name != "DAV:multistatus") throw XmlError("it is no multistatus");
        std::vector<Resource> resources;
        for (const auto& entry : document.children)
        {
            if (entry.name != "DAV:response") continue;
            auto& resource = resources.emplace_back(
                Resource{resolveUrl(response.url, entry.textOf("DAV:href")), {}, std::string(entry.textOf("DAV:status"))});
            for (const auto& group : entry.children)
            {
                const auto* properties = group.name == "DAV:propstat" ? group.child("DAV:prop") : nullptr;
                if (!properties || group.textOf("DAV:status").find(" 200") == std::string_view::npos) continue;
                resource.properties.children.insert(resource.properties.children.end(), properties->children.begin(),
                                                    properties->children.end());
            }
        }
        return resources;
    }
    catch (const XmlError& error)
    {
        RemoteCalls::fail(step, response.url,
                          {"unreadable", "the answer cannot be read as XML: " + std::string(error.what()), error.what()});
    }
}

std::vector<CalDavSource::Resource> CalDavSource::propfind(const RemoteStep& step, const std::string& url, std::string_view depth,
                                                           std::string_view properties)
{
    const auto body = xmlBody("<propfind" + std::string(namespaces) + "><prop>" + std::string(properties) + "</prop></propfind>");
    return multistatus(step, dav(step, "PROPFIND", url, depth, body));
}

std::string CalDavSource::linkOf(const Resource& resource, std::string_view property) const
{
    const auto* element = resource.properties.child(property);
    const auto link = element ? element->textOf("DAV:href") : std::string_view();
    return link.empty() ? std::string() : resolveUrl(resource.url, link);
}

/// Tries the account's URL, then the server's well-known CalDAV address, then its root.
std::string CalDavSource::findPrincipal()
{
    const auto& start = _calls.account().url;
    std::optional<CalendarFailure> first;
    for (const auto& url : {start, originOf(start) + "/.well-known/caldav", originOf(start) + "/"})
    {
        try
        {
            for (const auto& resource : propfind(steps::findAccount, url, "0", "<current-user-principal/>"))
                if (auto principal = linkOf(resource, principalElement); !principal.empty()) return principal;
        }
        catch (const CalendarFailure& failure)
        {
            if (failure.kind() == CalendarFailure::Kind::Refused) throw;
            if (!first) first = failure;
        }
    }
    if (first) throw *first;
    RemoteCalls::fail(steps::findAccount, start, {"no_account", "the server does not say whose account it is (current-user-principal)"});
}

std::vector<RemoteCalendar> CalDavSource::discover()
{
    constexpr std::string_view kinds = "<resourcetype/><displayname/><C:supported-calendar-component-set/>";
    const auto isCalendar = [](const Resource& resource)
    {
        const auto* type = resource.properties.child("DAV:resourcetype");
        return type && type->child(calendarElement);
    };
    const auto named = [](const Resource& resource)
    {
        const auto name = cleanText(resource.properties.textOf("DAV:displayname"), 120);
        return RemoteCalendar{name.empty() ? "Calendar" : name, resource.url};
    };
    try
    {
        for (const auto& resource : propfind(steps::lookAtAddress, _calls.account().url, "0", kinds))
            if (isCalendar(resource)) return {named(resource)};
    }
    catch (const CalendarFailure& failure)
    {
        if (failure.kind() == CalendarFailure::Kind::Refused) throw;
    }
    const auto principal = findPrincipal();
    std::string home;
    for (const auto& resource : propfind(steps::findPlace, principal, "0", "<C:calendar-home-set/>"))
        if (home.empty()) home = linkOf(resource, homeElement);
    if (home.empty())
        RemoteCalls::fail(steps::findPlace, principal, {"no_place", "the server names no place of calendars (calendar-home-set)"});
    std::vector<RemoteCalendar> calendars;
    for (const auto& resource : propfind(steps::listCalendars, asFolder(home), "1", kinds))
        if (isCalendar(resource)) calendars.push_back(named(resource));
    return calendars;
}

std::string CalDavSource::markerOf(const std::string& collection, const TimeZone& zone, bool& offersFreeBusy)
{
    constexpr auto step = steps::lookForChanges;
    const auto resources =
        propfind(step, collection, "0", "<sync-token/><S:getctag/><supported-report-set/><resourcetype/><C:calendar-timezone/>");
    if (resources.empty()) RemoteCalls::fail(step, collection, {"unreadable", "the answer says nothing of the calendar"});
    const auto& properties = resources.front().properties;
    const auto* reports = properties.child("DAV:supported-report-set");
    offersFreeBusy = reports && reports->find(freeBusyElement) && isZone(properties.textOf(zoneElement), zone);
    for (const std::string_view name : {std::string_view("DAV:sync-token"), ctagElement})
        if (const auto token = properties.textOf(name); !token.empty()) return std::string(token);
    std::string etags;
    for (const auto& resource : propfind(step, collection, "1", "<getetag/>"))
    {
        const auto etag = resource.properties.textOf("DAV:getetag");
        if (etag.empty() && !resource.url.ends_with('/') && asFolder(resource.url) != asFolder(collection)) return {};
        etags += resource.url + " " + std::string(etag) + "\n";
    }
    return sha256(etags).hex();
}

BusyAnswer CalDavSource::busy(const icalendar::BusyOptions& options, const BusyMarker& known)
{
    auto ownOptions = options;
    icalendar::BusyReader reader(_zones, ownOptions);
    GoneCalendars gone(_choice.collections);
    BusyMarker marker;
    std::vector<std::pair<std::string, bool>> found;
    bool isComparable = true;
    for (const auto& collection : _choice.collections)
    {
        std::string state = "gone";
        const auto look = [&]
        {
            bool offersFreeBusy = false;
            state = markerOf(collection, options.zone, offersFreeBusy);
            found.emplace_back(collection, offersFreeBusy);
        };
        gone.read(collection, reader, look);
        isComparable = isComparable && !state.empty();
        marker.text += collection + " " + state + "\n";
    }
    // A server that says nothing of changes is read each time.
    if (!isComparable) marker.text.clear();
    if (isComparable && marker.text == known.text) return {marker, {}};
    std::vector<std::pair<std::string, std::string>> objects;
    for (const auto& entry : found)
    {
        const auto& collection = entry.first;
        const bool asksFreeBusy = entry.second && options.allDay && !_choice.holdsBookings(collection, asFolder(collection));
        const auto read = [&]
        {
            if (!asksFreeBusy || !readFreeBusy(collection, options, reader)) readEvents(collection, options, reader, objects);
        };
        gone.read(collection, reader, read);
    }
    const auto hasAnswers = [](const auto& object) { return icalendar::upperCase(object.second).find("PARTSTAT") != std::string::npos; };
    if (std::ranges::any_of(objects, hasAnswers))
        for (auto& address : ownAddresses()) ownOptions.ownAddresses.push_back(std::move(address));
    for (const auto& [name, text] : objects) reader.addObject(name, text);
    return {marker, reader.take()};
}

/// Returns the owner's calendar user addresses (RFC 6638, 2.4.1). Returns none if the server does not support it, because they are
/// optional.
std::vector<std::string> CalDavSource::ownAddresses()
{
    std::vector<std::string> addresses;
    try
    {
        for (const auto& resource : propfind(steps::findAccount, findPrincipal(), "0", "<C:calendar-user-address-set/>"))
            if (const auto* all = resource.properties.child(addressElement))
                for (const auto& entry : all->children)
                {
                    auto address = icalendar::lowerCase(trim(entry.text));
                    if (address.starts_with("mailto:")) address.erase(0, 7);
                    if (entry.name == "DAV:href" && !address.empty()) addresses.push_back(std::move(address));
                }
    }
    catch (const CalendarFailure&)
    {
    }
    return addresses;
}

/// False for an answer that is none, so that the events are asked for instead.
bool CalDavSource::readFreeBusy(const std::string& collection, const icalendar::BusyOptions& options, icalendar::BusyReader& reader)
{
    const auto body = xmlBody("<C:free-busy-query" + std::string(namespaces) + ">" + timeRange(options) + "</C:free-busy-query>");
    const auto response = dav(steps::askBusy, "REPORT", collection, "1", body);
    if (response.status != 200) return false;
    try
    {
        reader.add(response.body);
        return true;
    }
    catch (const icalendar::ICalendarError&)
    {
        return false;
    }
}

/// Objects are independent (RFC 4791, 4.1): one that is missing in the answer is named.
void CalDavSource::readEvents(const std::string& collection, const icalendar::BusyOptions& options, icalendar::BusyReader& reader,
                              std::vector<std::pair<std::string, std::string>>& objects)
{
    constexpr auto step = steps::readCalendar;
    const auto body = xmlBody("<C:calendar-query" + std::string(namespaces) +
                              R"(><prop><C:calendar-data/></prop><C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT">)" +
                              timeRange(options) + "</C:comp-filter></C:comp-filter></C:filter></C:calendar-query>");
    for (const auto& resource : multistatus(step, dav(step, "REPORT", collection, "1", body)))
    {
        const auto name = resource.url.substr(originOf(resource.url).size());
        if (const auto* data = resource.properties.child(dataElement))
            objects.emplace_back(name, data->text);
        else if (!name.ends_with('/'))
            reader.note(name, "unreadable_object", {}, "the server does not give it.");
        else if (!resource.status.empty() && resource.status.find(" 200") == std::string::npos)
            reader.note(name, "incomplete_answer", resource.status, "the server did not give all of its events.");
    }
}

std::string CalDavSource::etagOf(const std::string& href)
{
    HttpClient::Request request;
    request.url = href;
    const auto response = _calls.send(steps::lookAtEvent, std::move(request));
    const auto* etag = response.header("ETag");
    return response.status == 200 && etag ? *etag : std::string();
}

RemoteEvent CalDavSource::put(const icalendar::Invitation& event, const std::optional<RemoteEvent>& known)
{
    constexpr auto step = steps::writeEvent;
    auto target = known.value_or(RemoteEvent{asFolder(_choice.writeTarget) + fileNameOf(event.uid), {}});
    auto stored = event;
    stored.method = icalendar::Method::None;
    // Servers would also invite the attendees (RFC 6638).
    stored.attendees.clear();
    const auto text = icalendar::write(stored);
    // An earlier write found it deleted, or the server named no ETag.
    if (known && target.etag.empty() && _choice.writeTarget.empty())
    {
        target.etag = etagOf(target.href);
        if (target.etag.empty()) return target;
    }
    // Writes with the known ETag; if it has changed, once more with the current one.
    for (int attempt = 1;; ++attempt)
    {
        HttpClient::Request request;
        request.method = "PUT";
        request.url = target.href;
        request.body = text;
        request.headers.emplace_back("Content-Type", "text/calendar; charset=utf-8");
        if (target.etag.empty())
            request.headers.emplace_back("If-None-Match", "*");
        else
            request.headers.emplace_back("If-Match", target.etag);
        const auto response = _calls.send(step, std::move(request));
        if (isSuccess(response))
        {
            const auto* etag = response.header("ETag");
            return {target.href, etag ? *etag : etagOf(target.href)};
        }
        const bool hasChanged = response.status == 412 || (response.status == 404 && !target.etag.empty());
        if (!hasChanged || attempt == 2) RemoteCalls::fail(step, target.href, answered(response.status));
        target.etag = etagOf(target.href);
        if (target.etag.empty() && _choice.writeTarget.empty()) return target;
    }
}

void CalDavSource::remove(const RemoteEvent& event)
{
    constexpr auto step = steps::deleteEvent;
    auto etag = event.etag;
    for (int attempt = 1;; ++attempt)
    {
        HttpClient::Request request;
        request.method = "DELETE";
        request.url = event.href;
        if (!etag.empty()) request.headers.emplace_back("If-Match", etag);
        const auto response = _calls.send(step, std::move(request));
        if (isSuccess(response) || response.status == 404 || response.status == 410) return;
        if (response.status != 412 || attempt == 2) RemoteCalls::fail(step, event.href, answered(response.status));
        etag = etagOf(event.href);
    }
}

} // namespace portico::calendar
