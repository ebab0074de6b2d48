#pragma once

#include "external/RemoteCalls.h"

namespace portico::calendar
{

/// A calendar that is published as one file. Read only.
class IcsFeedSource final : public CalendarSource
{
public:
    /// Both outlive this.
    IcsFeedSource(RemoteCalls calls, const TimeZones& zones) : _calls(std::move(calls)), _zones(zones) {}

    std::vector<RemoteCalendar> discover() override;
    /// The marker is the file's ETag.
    BusyAnswer busy(const icalendar::BusyOptions& options, const BusyMarker& known) override;
    RemoteEvent put(const icalendar::Invitation& event, const std::optional<RemoteEvent>& known) override;
    void remove(const RemoteEvent& event) override;

private:
    HttpClient::Response get(const std::string& etag);

    RemoteCalls _calls;
    const TimeZones& _zones;
};

} // namespace portico::calendar
