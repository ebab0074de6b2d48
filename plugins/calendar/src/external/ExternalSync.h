#pragma once

#include "external/Places.h"
#include "hosttime/BookingTools.h"
#include "records/ExternalCalendar.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace portico::calendar
{

/// Payload of a job that reads a calendar.
struct SyncJob
{
    std::string organizationId;
    HostId hostId;
    CalendarId calendarId;
};

constexpr auto schemaOf(const SyncJob*) { return describe(members<&SyncJob::organizationId, &SyncJob::hostId, &SyncJob::calendarId>()); }

/// Reads external calendars every five minutes; after failures less often, up to an hour apart. Jobs do the work, so that a slow server
/// delays no request. At most `calendar.externalReads` run concurrently, so that other jobs are not delayed either. The last read busy
/// times stay valid after a failure. Thread-safe.
class ExternalSync
{
public:
    explicit ExternalSync(const BookingTools& tools);
    /// Called once, at the start.
    void start();

    /// Requests an early read of a calendar.
    void request(Transaction& transaction, Tenant tenant, const ExternalCalendar& calendar) const;
    /// Reads those of a host's calendars that were not read lately, or not since a change, for at most two seconds. Called before a booking
    /// is confirmed. Blocks: do not call it in a transaction or in the host's queue. Skips calendars that have just failed. Does nothing if
    /// too many refreshes run.
    /// @param known the calendars, if the caller has just read them
    void refresh(Tenant tenant, const HostId& host, std::optional<std::vector<ExternalCalendar>> known = {});
    /// Maximum number of a host's calendars that are examined.
    static constexpr std::int64_t maxRefreshed = 50;

private:
    void sweep();
    void run(const SyncJob& job);
    void read(Tenant tenant, const ExternalCalendar& calendar, std::chrono::milliseconds timeout);

    const BookingTools& _tools;
    Places _reading;
    Places _refreshing{4};
};

} // namespace portico::calendar
