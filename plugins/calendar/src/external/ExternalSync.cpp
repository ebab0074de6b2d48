#include "external/ExternalSync.h"

#include "external/ExternalSources.h"
#include "hosttime/ExternalBusy.h"
#include "icalendar/Values.h"
#include "records/Host.h"
#include "service/Live.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>

namespace portico::calendar
{

namespace
{
using namespace std::chrono_literals;

constexpr std::string_view sweepJob = "calendar.external.sweep", syncJob = "calendar.external.sync";
constexpr auto sweepInterval = 30s;
constexpr std::chrono::milliseconds askAgain = 2s;
constexpr std::chrono::milliseconds syncTimeout = 40s, confirmTimeout = 2s;
/// Range that is read ahead: bookings are possible this far. Recurrences move into it over time, hence the full reads.
constexpr std::chrono::days readAhead{732};
constexpr auto readWholeEvery = 12h;

/// Returns the wait before the next read: four to five minutes after success; 5, 10, 20, 40, 60 minutes ± 10 % after failures.
std::chrono::milliseconds waitAfter(int failures)
{
    const auto jitter = static_cast<unsigned char>(randomBytes(1).front());
    if (failures == 0) return 4min + jitter * 60'000ms / 255;
    const auto wait = std::min<std::chrono::milliseconds>(5min * (1 << std::min(failures - 1, 5)), 60min);
    return wait * 9 / 10 + wait / 5 * jitter / 255;
}

/// Result of reading a calendar.
struct SyncOutcome
{
    SyncState state = SyncState::Ok;
    std::optional<std::string> error;
    std::vector<CalendarFault> faults;
    BusyAnswer answer;
    /// How long the server wants to be left alone.
    std::chrono::seconds retryAfter{0};
};

icalendar::BusyOptions optionsOf(const BookingTools& tools, const Host& host, const ExternalCalendar& calendar,
                                 const std::string& hostEmail, Instant now)
{
    icalendar::BusyOptions options;
    options.from = now - std::chrono::days(1);
    options.to = now + readAhead;
    options.zone = tools.zones.find(host.timeZone).value_or(TimeZone());
    options.tentative = calendar.busyKinds.tentative;
    options.allDay = calendar.busyKinds.allDay;
    options.budget.occurrences = 30'000;
    for (const auto& address : {hostEmail, calendar.username})
        if (address.find('@') != std::string::npos) options.ownAddresses.push_back(icalendar::lowerCase(address));
    return options;
}

std::set<std::string, std::less<>> ownUids(Session& session, Tenant tenant, const HostId& host, Instant from)
{
    const auto uids = session.values<std::string>(
        "SELECT i_cal_uid FROM booking WHERE organization_id = $1 AND host_id = $2 AND end_at > $3", tenant, host, from);
    return {uids.begin(), uids.end()};
}

/// Returns true for the UID of a booking of the host. UIDs begin with the booking's id.
bool isBooking(const BookingTools& tools, Tenant tenant, const HostId& host, std::string_view uid)
{
    const auto id = BookingId::parse(uid.substr(0, uid.find('@')));
    if (!id) return false;
    auto session = tools.database().session();
    return session.value<std::string>("SELECT i_cal_uid FROM booking WHERE organization_id = $1 AND host_id = $2 AND id = $3", tenant, host,
                                      *id) == uid;
}

/// Hrefs of the events that were written to the calendar for bookings that end later.
std::vector<std::string> writtenTo(Session& session, Tenant tenant, const ExternalCalendar& calendar, Instant from)
{
    return session.values<std::string>(
        "SELECT e.href FROM booking b JOIN external_event e ON e.organization_id = b.organization_id AND e.booking_id = b.id WHERE "
        "b.organization_id = $1 AND b.host_id = $2 AND b.end_at > $3 AND e.calendar_id = $4",
        tenant, calendar.hostId, from, calendar.calendarId);
}

SyncOutcome ask(const std::function<std::unique_ptr<CalendarSource>()>& source, const icalendar::BusyOptions& options,
                const std::string& marker)
{
    SyncOutcome outcome;
    try
    {
        outcome.answer = source()->busy(options, {marker});
        if (outcome.answer.busy && !outcome.answer.busy->notes.empty())
        {
            outcome.error.emplace();
            for (const auto& note : outcome.answer.busy->notes)
            {
                *outcome.error += (outcome.error->empty() ? "" : " ") + note.sentence;
                outcome.faults.push_back({note.code, {}, note.event, note.detail});
            }
        }
    }
    catch (const CalendarFailure& failure)
    {
        outcome.state = failure.kind() == CalendarFailure::Kind::Refused ? SyncState::AuthFailed : SyncState::Unreachable;
        outcome.error = failure.what();
        outcome.faults = {failure.fault()};
        outcome.retryAfter = std::min<std::chrono::seconds>(failure.retryAfter(), longestPatience);
    }
    return outcome;
}
} // namespace

ExternalSync::ExternalSync(const BookingTools& tools)
    : _tools(tools), _reading(static_cast<int>(tools.context.config().integer("calendar.externalReads")))
{
}

void ExternalSync::start()
{
    auto& jobs = _tools.context.jobs();
    jobs.handle(sweepJob, [this](const Job&) { sweep(); });
    jobs.handle(syncJob, &ExternalSync::run, this);
    jobs.every(sweepJob, sweepInterval);
}

void ExternalSync::request(Transaction& transaction, Tenant tenant, const ExternalCalendar& calendar) const
{
    // Kept beside the job: while the calendar is being read there is one already, which does not see what changed since it began.
    transaction.execute("UPDATE external_calendar SET next_sync_at = $4 WHERE organization_id = $1 AND host_id = $2 AND id = $3", tenant,
                        calendar.hostId, calendar.calendarId, _tools.now());
    _tools.context.jobs().enqueue(transaction, syncJob, SyncJob{std::string(tenant.text()), calendar.hostId, calendar.calendarId},
                                  {.maxAttempts = 1, .dedupeKey = "external:" + calendar.calendarId.text()});
}

/// Enqueues jobs for the due calendars of all organizations.
void ExternalSync::sweep()
{
    std::vector<SyncJob> due;
    {
        auto session = _tools.database().session();
        for (Row row :
             session.query("SELECT organization_id, host_id, id FROM external_calendar WHERE next_sync_at <= $1 ORDER BY next_sync_at "
                           "LIMIT 500",
                           _tools.now()))
            due.push_back({row.get<std::string>(0), row.get<HostId>(1), row.get<CalendarId>(2)});
    }
    if (due.empty()) return;
    _tools.database().transact(
        [&](Transaction& transaction)
        {
            for (const auto& job : due)
                _tools.context.jobs().enqueue(transaction, syncJob, job,
                                              {.maxAttempts = 1, .dedupeKey = "external:" + job.calendarId.text()});
        });
}

void ExternalSync::run(const SyncJob& job)
{
    const auto place = _reading.take();
    if (!place) throw JobRetry::after(askAgain, "other calendars are being read").uncounted();
    const auto tenant = Tenant::fromStored(job.organizationId);
    std::optional<ExternalCalendar> calendar;
    {
        auto session = _tools.database().session();
        calendar = externalCalendarTable.find(session, tenant, job.hostId, job.calendarId);
    }
    if (calendar) read(tenant, *calendar, syncTimeout);
}

void ExternalSync::refresh(Tenant tenant, const HostId& host, std::optional<std::vector<ExternalCalendar>> known)
{
    const auto place = _refreshing.take();
    if (!place) return;
    const auto now = _tools.now();
    if (!known)
    {
        auto session = _tools.database().session();
        known = externalCalendarTable.select(tenant).where(&ExternalCalendar::hostId, host).all(session, maxRefreshed);
    }
    const auto deadline = _tools.context.clock().steady() + confirmTimeout;
    for (const auto& calendar : *known)
    {
        // Without `readAt` a full read was requested since.
        const bool fresh = calendar.readAt && calendar.lastSyncAt && now - *calendar.lastSyncAt <= 5min;
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - _tools.context.clock().steady());
        if (!fresh && calendar.failures == 0 && left > 0ms) read(tenant, calendar, left);
    }
}

void ExternalSync::read(Tenant tenant, const ExternalCalendar& calendar, std::chrono::milliseconds timeout)
{
    const auto now = _tools.now();
    icalendar::BusyOptions options;
    std::set<std::string, std::less<>> ours;
    std::vector<std::string> written;
    std::optional<Host> host;
    {
        auto session = _tools.database().session();
        host = hostTable.find(session, tenant, calendar.hostId);
    }
    if (!host) return;
    options = optionsOf(_tools, *host, calendar, _tools.emailOf(tenant, *host), now);
    {
        auto session = _tools.database().session();
        ours = ownUids(session, tenant, calendar.hostId, options.from);
        written = writtenTo(session, tenant, calendar, options.from);
    }
    // A booking may have been made, and written there, since the list was read.
    options.isOurs = [&](std::string_view uid) { return ours.contains(uid) || isBooking(_tools, tenant, calendar.hostId, uid); };
    // Reads everything after a failure too, because its faults were reported and must be found again.
    const bool whole = !calendar.readAt || now - *calendar.readAt > readWholeEvery || calendar.failures > 0;
    const auto outcome =
        ask([&] { return openSource(_tools, tenant, calendar, timeout, written); }, options, whole ? std::string() : calendar.syncMarker);
    const auto keep = [&](Transaction& transaction)
    {
        auto known = externalCalendarTable.findForUpdate(transaction, tenant, calendar.hostId, calendar.calendarId);
        // Discards the result if the settings have changed since the request.
        if (!known || known->version != calendar.version) return false;
        const auto done = _tools.now();
        const int failures = outcome.state == SyncState::Ok ? 0 : known->failures + 1;
        if (outcome.answer.busy) storeBusy(transaction, tenant, calendar, *outcome.answer.busy);
        const bool wasRead = outcome.answer.busy.has_value(), ok = failures == 0, wantedSince = known->nextSyncAt != calendar.nextSyncAt;
        const auto next = done + std::max<std::chrono::milliseconds>(waitAfter(failures), outcome.retryAfter);
        // Without a version: nothing that people set has changed.
        transaction.execute("UPDATE external_calendar SET sync_state = $4, last_sync_at = $5, last_error = $6, next_sync_at = $7, "
                            "event_count = $8, sync_marker = $9, read_at = $10, failures = $11, last_faults = $12 WHERE organization_id = "
                            "$1 AND host_id = $2 "
                            "AND id = $3",
                            tenant, calendar.hostId, calendar.calendarId, toString(outcome.state),
                            ok ? std::optional(done) : known->lastSyncAt, ok && !wasRead ? known->lastError : outcome.error,
                            wantedSince ? known->nextSyncAt : next, wasRead ? outcome.answer.busy->eventCount : known->eventCount,
                            ok ? outcome.answer.marker.text : known->syncMarker, wasRead ? std::optional(now) : known->readAt, failures,
                            toJson(ok && !wasRead ? known->lastFaults : outcome.faults));
        return true;
    };
    _tools.holds.inQueue(calendar.hostId, [&] { return transactLive(_tools.context, tenant, "calendar.external_calendars", keep); });
}

} // namespace portico::calendar
