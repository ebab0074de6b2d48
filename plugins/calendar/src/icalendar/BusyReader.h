#pragma once

#include "icalendar/BusyCalendar.h"
#include "icalendar/Component.h"
#include "icalendar/EventZone.h"
#include "portico/TimeZones.h"

#include "portico/Instant.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar::icalendar
{

struct BusyOptions
{
    /// What is busy between these is asked for.
    Instant from{};
    Instant to{};
    /// Of the host: that of times without a zone.
    TimeZone zone;
    /// Whether events that are not certain, and those of whole dates, keep the host busy.
    bool tentative = true;
    bool allDay = true;
    /// E-mail addresses of the host in lower case: what they declined does not keep them busy.
    std::vector<std::string> ownAddresses{};
    /// Whether an event of that UID is a booking of ours, which counts already. May be empty.
    std::function<bool(std::string_view uid)> isOurs{};
    ComponentLimits limits{};
    /// For all events together, and the part of it that one of them may use.
    RecurrenceBudget budget{};
    RecurrenceBudget budgetOfEvent{1'000'000, 20'000};
};

/// Reads calendars of others (RFC 5545): their events and free-busy answers become times at which the host is busy. Events come again by
/// RRULE, RDATE, EXDATE and RECURRENCE-ID, with THISANDFUTURE too. Not busy: transparent and cancelled events, and those that the host
/// declined. An event that cannot be read leaves a note; its first time counts where that much is known. What an event means is its zone's
/// business: a wall time that a clock change leaves out is the instant of the change (R2). For one thread; takes memory and time in
/// proportion to the text and the budget, whatever the text says.
class BusyReader
{
public:
    /// Both outlive this.
    BusyReader(const TimeZones& zones, const BusyOptions& options);

    /// One answer or file: may hold several calendars. @throws ICalendarError for a text that is none, or is too large
    void add(std::string_view text);
    /// What all of them came to; afterwards this is done with.
    BusyCalendar take() { return _busy.take(); }

private:
    const TimeZones& _zones;
    const BusyOptions& _options;
    RecurrenceBudget _budget;
    BusyCollector _busy;
};

} // namespace portico::calendar::icalendar
