#pragma once

#include "icalendar/BusyReader.h"
#include "records/ExternalCalendar.h"
#include "slots/Taken.h"

#include "portico/Flight.h"

#include <vector>

namespace portico::calendar
{

/// When the calendars elsewhere keep a host busy.
struct BusyTimes
{
    std::vector<Span> times;
    /// In the host's zone.
    std::vector<DateSpan> dates;
    /// One of the calendars was read more than five minutes ago.
    bool stale = false;
    /// One of them was read more than thirty minutes ago, or never: nobody knows.
    bool unknown = false;
    /// Bookings are written to one of them.
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

/// From a range of time, by what was read last: no network. In the caller's session, so also in its transaction.
BusyTimes busyOf(Session& session, Tenant tenant, const HostId& host, Instant from, Instant to, Instant now);

/// Puts what was read in place of what was known of one calendar. Writes nothing where both are alike.
void storeBusy(Transaction& transaction, Tenant tenant, const ExternalCalendar& calendar, const icalendar::BusyCalendar& busy);

/// Forgets what is known of a calendar that is to go.
void forgetBusy(Transaction& transaction, Tenant tenant, const ExternalCalendar& calendar);

} // namespace portico::calendar
