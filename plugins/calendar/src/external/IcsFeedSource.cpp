#include "external/IcsFeedSource.h"

namespace portico::calendar
{

namespace
{
constexpr std::uint64_t largestFeed = 5 * 1024 * 1024;
} // namespace

HttpClient::Response IcsFeedSource::get(const std::string& etag)
{
    HttpClient::Request request;
    request.url = _calls.account().url;
    request.maxResponseBytes = largestFeed;
    request.maxRedirects = 3;
    // Rejects feeds that were stored before https was required. Their address is a secret.
    if (!keepsSecrets(request.url)) RemoteCalls::fail(steps::readFeed, request.url, {"https_only", "feeds are read by https only"});
    request.headers.emplace_back("Accept", "text/calendar, */*;q=0.1");
    if (!etag.empty()) request.headers.emplace_back("If-None-Match", etag);
    auto response = _calls.send(steps::readFeed, request);
    if (response.status != 200 && (response.status != 304 || etag.empty()))
        RemoteCalls::fail(steps::readFeed, request.url, answered(response.status));
    return response;
}

std::vector<RemoteCalendar> IcsFeedSource::discover()
{
    try
    {
        icalendar::parseComponents(get({}).body);
    }
    catch (const icalendar::ICalendarError& error)
    {
        RemoteCalls::fail(steps::readFeed, _calls.account().url, {error.code(), error.what()});
    }
    return {{"Feed", _calls.account().url}};
}

BusyAnswer IcsFeedSource::busy(const icalendar::BusyOptions& options, const BusyMarker& known)
{
    const auto response = get(known.text);
    if (response.status == 304) return {known, {}};
    try
    {
        icalendar::BusyReader reader(_zones, options);
        reader.add(response.body);
        const auto* etag = response.header("ETag");
        return {{etag ? *etag : std::string()}, reader.take()};
    }
    catch (const icalendar::ICalendarError& error)
    {
        RemoteCalls::fail(steps::readFeed, _calls.account().url, {error.code(), error.what()});
    }
}

RemoteEvent IcsFeedSource::put(const icalendar::Invitation&, const std::optional<RemoteEvent>&)
{
    RemoteCalls::fail(steps::writeEvent, _calls.account().url, {"read_only", "a feed can only be read"});
}

void IcsFeedSource::remove(const RemoteEvent&)
{
    RemoteCalls::fail(steps::deleteEvent, _calls.account().url, {"read_only", "a feed can only be read"});
}

} // namespace portico::calendar
