#pragma once

#include "external/CalendarSource.h"
#include "external/OAuthCalls.h"

namespace portico::calendar
{

/// Reads and writes calendars of a Microsoft account (Graph v1.0). They are named by Microsoft's ids; `primary` is the default calendar.
/// Busy times are read from `calendarView`, which expands recurrences. `getSchedule` does not identify events of this application or
/// all-day events, and is not available for personal accounts.
class MicrosoftSource final : public CalendarSource
{
public:
    MicrosoftSource(OAuthCalls calls, CalendarChoice choice) : _calls(std::move(calls)), _choice(std::move(choice)) {}

    std::vector<RemoteCalendar> discover() override;
    /// Reads everything each time: there is no marker.
    BusyAnswer busy(const icalendar::BusyOptions& options, const BusyMarker& known) override;
    RemoteEvent put(const icalendar::Invitation& event, const std::optional<RemoteEvent>& known) override;
    void remove(const RemoteEvent& event) override;

private:
    void readEvents(const std::string& calendar, const icalendar::BusyOptions& options, icalendar::BusyCollector& busy);
    /// Finds the event that was written before, if it still exists.
    std::optional<RemoteEvent> find(const icalendar::Invitation& event);

    OAuthCalls _calls;
    const CalendarChoice _choice;
};

} // namespace portico::calendar
