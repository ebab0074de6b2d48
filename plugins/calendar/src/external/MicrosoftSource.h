#pragma once

#include "external/CalendarSource.h"
#include "external/OAuthCalls.h"

namespace portico::calendar
{

/// Calendars of a Microsoft account (Graph v1.0), by their ids, of which `primary` stands for the first.
///
/// What is busy is read from `calendarView`, which repeats what comes again by itself. `getSchedule` would say less (neither which events
/// are ours nor which last whole dates) and nothing at all of personal accounts.
class MicrosoftSource final : public CalendarSource
{
public:
    MicrosoftSource(OAuthCalls calls, CalendarChoice choice) : _calls(std::move(calls)), _choice(std::move(choice)) {}

    std::vector<RemoteCalendar> discover() override;
    /// There is no marker: all of it is read each time.
    BusyAnswer busy(const icalendar::BusyOptions& options, const BusyMarker& known) override;
    RemoteEvent put(const icalendar::Invitation& event, const std::optional<RemoteEvent>& known) override;
    void remove(const RemoteEvent& event) override;

private:
    void readEvents(const std::string& calendar, const icalendar::BusyOptions& options, icalendar::BusyCollector& busy);
    /// The event that was written before, if it is there.
    std::optional<RemoteEvent> find(const icalendar::Invitation& event);

    OAuthCalls _calls;
    const CalendarChoice _choice;
};

} // namespace portico::calendar
