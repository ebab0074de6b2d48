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

/// Which calendar a job is about.
struct SyncJob
{
    std::string organizationId;
    HostId hostId;
    CalendarId calendarId;
};

constexpr auto schemaOf(const SyncJob*) { return describe(members<&SyncJob::organizationId, &SyncJob::hostId, &SyncJob::calendarId>()); }

/// Reads calendars elsewhere: each every five minutes, and after failures ever more seldom, up to an hour apart. Jobs do it, so that a slow
/// server holds nobody who waits for an answer; `calendar.externalReads` of them at once, so that it holds no other jobs either. What is
/// known keeps to the last that was read. Thread-safe.
class ExternalSync
{
public:
    explicit ExternalSync(const BookingTools& tools);
    /// Called once, at the start.
    void start();

    /// Has a calendar read soon.
    void request(Transaction& transaction, Tenant tenant, const ExternalCalendar& calendar) const;
    /// Tries, before a time is confirmed, for at most two seconds to read those of a host's calendars that were not read lately. Blocks:
    /// not in a transaction, nor while others of the host wait. Does nothing for one that has just failed, or while many others do the
    /// same.
    /// @param known the calendars, where the caller has just read them
    void refresh(Tenant tenant, const HostId& host, std::optional<std::vector<ExternalCalendar>> known = {});
    /// More of a host's calendars are not looked at.
    static constexpr std::int64_t mostRefreshed = 50;

private:
    void sweep();
    void run(const SyncJob& job);
    void read(Tenant tenant, const ExternalCalendar& calendar, std::chrono::milliseconds timeout);

    const BookingTools& _tools;
    Places _reading;
    Places _refreshing{4};
};

} // namespace portico::calendar
