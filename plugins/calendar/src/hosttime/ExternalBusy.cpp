#include "hosttime/ExternalBusy.h"

#include <algorithm>
#include <chrono>

namespace portico::calendar
{

namespace
{
using namespace std::chrono_literals;
constexpr auto freshFor = 5min, usableFor = 30min;
/// How far from UTC a date of a zone can begin or end.
constexpr auto zoneReach = 26h;

struct BusyRow
{
    Instant start{};
    Instant end{};
    bool wholeDates = false;
    auto operator<=>(const BusyRow&) const = default;
};

std::vector<BusyRow> rowsOf(const icalendar::BusyCalendar& busy)
{
    std::vector<BusyRow> rows;
    for (const auto& span : busy.times) rows.push_back({span.start, span.end, false});
    for (const auto& span : busy.dates) rows.push_back({Instant(span.start.days()), Instant(span.end.days()), true});
    std::ranges::sort(rows);
    return rows;
}

LocalDate dateOfRow(Instant instant) { return LocalDate(std::chrono::floor<std::chrono::days>(instant)); }
} // namespace

BusyReads::BusyReads(Flight& flight, Tenant tenant, const HostId& host, Instant from, Instant to, Instant now)
    : _calendars(flight.read(
          [now](Rows& rows)
          {
              BusyTimes busy;
              for (const Row row : rows)
              {
                  const auto last = row.get<std::optional<Instant>>(0);
                  busy.stale = busy.stale || !last || now - *last > freshFor;
                  busy.unknown = busy.unknown || !last || now - *last > usableFor;
                  busy.written = busy.written || row.text(1) == toString(SyncDirection::BusyAndWrite);
              }
              return busy;
          },
          "SELECT last_sync_at, direction FROM external_calendar WHERE organization_id = $1 AND host_id = $2", tenant, host)),
      _times(flight.read(
          [](Rows& rows)
          {
              BusyTimes busy;
              for (const Row row : rows)
              {
                  const auto start = row.get<Instant>(0), end = row.get<Instant>(1);
                  if (row.get<std::int64_t>(2) != 0)
                      busy.dates.push_back({dateOfRow(start), dateOfRow(end)});
                  else
                      busy.times.push_back({start, end});
              }
              return busy;
          },
          "SELECT start_at, end_at, whole_dates FROM external_busy WHERE organization_id = $1 AND host_id = $2 AND end_at > $3 AND "
          "start_at < $4 ORDER BY start_at",
          tenant, host, from - zoneReach, to + zoneReach))
{
}

BusyTimes BusyReads::get()
{
    auto busy = std::move(*_times);
    const auto& calendars = *_calendars;
    busy.stale = calendars.stale;
    busy.unknown = calendars.unknown;
    busy.written = calendars.written;
    return busy;
}

BusyTimes busyOf(Session& session, Tenant tenant, const HostId& host, Instant from, Instant to, Instant now)
{
    Flight flight(session);
    return BusyReads(flight, tenant, host, from, to, now).get();
}

void storeBusy(Transaction& transaction, Tenant tenant, const ExternalCalendar& calendar, const icalendar::BusyCalendar& read)
{
    std::vector<BusyRow> known;
    for (Row row :
         transaction.query("SELECT start_at, end_at, whole_dates FROM external_busy WHERE organization_id = $1 AND host_id = $2 AND "
                           "calendar_id = $3",
                           tenant, calendar.hostId, calendar.calendarId))
        known.push_back({row.get<Instant>(0), row.get<Instant>(1), row.get<std::int64_t>(2) != 0});
    std::ranges::sort(known);
    const auto rows = rowsOf(read);
    const auto only = [](const auto& in, const auto& without)
    {
        std::vector<BusyRow> left;
        std::ranges::set_difference(in, without, std::back_inserter(left));
        return left;
    };
    for (const auto& row : only(known, rows))
        transaction.execute(
            "DELETE FROM external_busy WHERE organization_id = $1 AND host_id = $2 AND calendar_id = $3 AND whole_dates = $4 "
            "AND start_at = $5",
            tenant, calendar.hostId, calendar.calendarId, row.wholeDates ? 1 : 0, row.start);
    for (const auto& row : only(rows, known))
        transaction.execute(
            "INSERT INTO external_busy (organization_id, host_id, calendar_id, start_at, end_at, whole_dates) VALUES ($1, $2, "
            "$3, $4, $5, $6)",
            tenant, calendar.hostId, calendar.calendarId, row.start, row.end, row.wholeDates ? 1 : 0);
}

void forgetBusy(Transaction& transaction, Tenant tenant, const ExternalCalendar& calendar)
{
    transaction.execute("DELETE FROM external_busy WHERE organization_id = $1 AND host_id = $2 AND calendar_id = $3", tenant,
                        calendar.hostId, calendar.calendarId);
    transaction.execute("DELETE FROM external_event WHERE organization_id = $1 AND calendar_id = $2", tenant, calendar.calendarId);
}

} // namespace portico::calendar
