#pragma once

#include "icalendar/BusyReader.h"
#include "records/ExternalCalendar.h"
#include "slots/Taken.h"

#include "portico/Flight.h"

#include <vector>

namespace portico::calendar
{

/// Busy times of a host in external calendars.
struct BusyTimes
{
    std::vector<Span> times;
    /// All-day events, in the host's time zone.
    std::vector<DateSpan> dates;
    /// True if one of the calendars was read more than five minutes ago.
    bool stale = false;
    /// True if one of them was never read, or more than thirty minutes ago, so that its state is unknown.
    bool unknown = false;
    /// True if bookings are written to one of them.
    bool written = false;
};

/// `busyOf` in a flight.
class BusyReads
{
public:
    BusyReads(Flight& flight, Tenant tenant, const HostId& host, Instant from, Instant to, Instant now);
    /// To be called once.
    BusyTimes get();

private:
    InFlight<BusyTimes> _calendars;
    InFlight<BusyTimes> _times;
};

/// Returns the busy times of a range as last read, without network access. Uses the caller's session, so it can run in the caller's
/// transaction.
BusyTimes busyOf(Session& session, Tenant tenant, const HostId& host, Instant from, Instant to, Instant now);

/// Replaces the stored busy times of a calendar. Writes nothing if they are unchanged.
void storeBusy(Transaction& transaction, Tenant tenant, const ExternalCalendar& calendar, const icalendar::BusyCalendar& busy);

/// Deletes the stored busy times of a calendar that is about to be deleted.
void forgetBusy(Transaction& transaction, Tenant tenant, const ExternalCalendar& calendar);

} // namespace portico::calendar
