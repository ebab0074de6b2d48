#pragma once

#include "external/CalendarSource.h"
#include "external/OAuthCalls.h"

namespace portico::calendar
{

/// Calendars of a Google account (Calendar API v3), by their ids: `primary`, or what Google calls the calendar's id.
///
/// When somebody is busy is asked by `freeBusy`, which names no events: so not of the calendar that bookings are written to, nor where
/// dates or what is not certain are to be passed over. Of these the events are read, with our own told apart by what we have put into them.
class GoogleSource final : public CalendarSource
{
public:
    GoogleSource(OAuthCalls calls, CalendarChoice choice) : _calls(std::move(calls)), _choice(std::move(choice)) {}

    /// The first of the account's alone, named as its owner: which others there are is more than we are allowed to ask.
    std::vector<RemoteCalendar> discover() override;
    /// There is no marker: all of it is read each time.
    BusyAnswer busy(const icalendar::BusyOptions& options, const BusyMarker& known) override;
    RemoteEvent put(const icalendar::Invitation& event, const std::optional<RemoteEvent>& known) override;
    void remove(const RemoteEvent& event) override;

private:
    void askFreeBusy(const std::vector<std::string>& calendars, const icalendar::BusyOptions& options, icalendar::BusyCollector& busy);
    void readEvents(const std::string& calendar, const icalendar::BusyOptions& options, icalendar::BusyCollector& busy);

    OAuthCalls _calls;
    const CalendarChoice _choice;
};

} // namespace portico::calendar
