#pragma once

#include "external/CalendarSource.h"
#include "external/GoneCalendars.h"
#include "external/OAuthCalls.h"

namespace portico::calendar
{

/// Reads and writes calendars of a Google account (Calendar API v3). They are named by Google's ids, or by `primary`.
/// Busy times are read by `freeBusy`, which does not name events. For calendars that bookings are or were written to, and if all-day or
/// tentative events are to be ignored, the events are read instead. Events of this application are recognized by an extended property.
class GoogleSource final : public CalendarSource
{
public:
    GoogleSource(OAuthCalls calls, CalendarChoice choice) : _calls(std::move(calls)), _choice(std::move(choice)) {}

    /// Returns only the primary calendar, named after its owner. The granted scopes do not allow listing others.
    std::vector<RemoteCalendar> discover() override;
    /// Reads everything each time: Google offers no marker for this.
    BusyAnswer busy(const icalendar::BusyOptions& options, const BusyMarker& known) override;
    RemoteEvent put(const icalendar::Invitation& event, const std::optional<RemoteEvent>& known) override;
    void remove(const RemoteEvent& event) override;

private:
    void askFreeBusy(const std::vector<std::string>& calendars, const icalendar::BusyOptions& options, icalendar::BusyCollector& busy,
                     GoneCalendars& gone);
    void readEvents(const std::string& calendar, const icalendar::BusyOptions& options, icalendar::BusyCollector& busy);

    OAuthCalls _calls;
    const CalendarChoice _choice;
};

} // namespace portico::calendar
