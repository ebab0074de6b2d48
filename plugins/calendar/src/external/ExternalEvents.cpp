#include "external/ExternalEvents.h"

#include "external/ExternalSources.h"
#include "external/OAuthProvider.h"
#include "invitations/BookingInvitation.h"
#include "records/Booking.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace portico::calendar
{

namespace
{
using namespace std::chrono_literals;
constexpr std::string_view writeJob = "calendar.external.write";
constexpr std::chrono::milliseconds writeTimeout{30'000};

/// A booking to write, and its copy in the external calendar, if there is one.
struct WriteCase
{
    BookingContext subject;
    std::optional<RemoteEvent> known;
};

std::optional<WriteCase> findCase(const BookingTools& tools, const WriteJob& job, const CalendarId& calendar)
{
    const auto tenant = Tenant::fromStored(job.organizationId);
    auto session = tools.database().session();
    auto booking = bookingTable.find(session, tenant, job.bookingId);
    auto host = hostTable.find(session, tenant, job.hostId);
    if (!booking || !host) return std::nullopt;
    auto type = eventTypeTable.select(tenant).where(&EventType::eventTypeId, booking->eventTypeId).first(session);
    WriteCase found{{job.organizationId, *std::move(host), std::move(type), *std::move(booking)}, {}};
    auto rows = session.query("SELECT href, etag FROM external_event WHERE organization_id = $1 AND booking_id = $2 AND calendar_id = $3",
                              tenant, job.bookingId, calendar);
    if (const auto row = rows.next()) found.known = RemoteEvent{row->get<std::string>(0), row->get<std::string>(1)};
    return found;
}

void keepEvent(const BookingTools& tools, const WriteJob& job, const CalendarId& calendar, const RemoteEvent& event)
{
    const auto tenant = Tenant::fromStored(job.organizationId);
    tools.database().transact(
        [&](Transaction& transaction)
        {
            transaction.execute(
                "INSERT INTO external_event (organization_id, booking_id, calendar_id, href, etag, status) VALUES ($1, $2, $3, "
                "$4, $5, 'written') ON CONFLICT (organization_id, booking_id, calendar_id) DO UPDATE SET href = $4, etag = $5",
                tenant, job.bookingId, calendar, event.href, event.etag);
        });
}

void dropEvent(const BookingTools& tools, const WriteJob& job, const CalendarId& calendar)
{
    const auto tenant = Tenant::fromStored(job.organizationId);
    tools.database().transact(
        [&](Transaction& transaction)
        {
            transaction.execute("DELETE FROM external_event WHERE organization_id = $1 AND booking_id = $2 AND calendar_id = $3", tenant,
                                job.bookingId, calendar);
        });
}

/// It was there, or is to come.
bool belongsThere(BookingStatus status) { return isOpen(status) || status == BookingStatus::Completed || status == BookingStatus::NoShow; }
} // namespace

void ExternalEvents::start()
{
    auto& jobs = _tools.context.jobs();
    jobs.handle(writeJob, &ExternalEvents::run, this);
    jobs.backOff(writeJob, {10s, 1min, 5min, 30min, 2h, 5h, 12h});
}

void ExternalEvents::happened(Transaction& transaction, std::string_view, const BookingContext& subject) const
{
    const auto& host = subject.host.hostId;
    const auto look = [&]
    {
        return externalCalendarTable.select(subject.tenant())
                   .where(&ExternalCalendar::hostId, host)
                   .where(&ExternalCalendar::direction, SyncDirection::BusyAndWrite)
                   .exists(transaction) ||
               transaction.value<std::int64_t>("SELECT COUNT(*) FROM external_event WHERE organization_id = $1 AND booking_id = $2",
                                               subject.tenant(), subject.booking.bookingId) > 0;
    };
    const bool any = subject.writesElsewhere ? *subject.writesElsewhere : look();
    if (any) _tools.context.jobs().enqueue(transaction, writeJob, WriteJob{subject.organizationId, host, subject.booking.bookingId});
}

void ExternalEvents::run(const WriteJob& job)
{
    const auto place = _writing.take();
    if (!place) throw JobRetry::after(2s, "other bookings are being written").uncounted();
    const auto tenant = Tenant::fromStored(job.organizationId);
    std::vector<ExternalCalendar> calendars;
    {
        auto session = _tools.database().session();
        calendars = externalCalendarTable.select(tenant).where(&ExternalCalendar::hostId, job.hostId).all(session);
    }
    // If one calendar fails, the others are still written.
    std::optional<CalendarFailure> first;
    for (const auto& calendar : calendars)
    {
        try
        {
            if (!isClosed(calendar)) writeTo(job, calendar);
        }
        catch (const CalendarFailure& failure)
        {
            if (!first) first = failure;
        }
    }
    if (!first) return;
    if (first->retryAfter() <= 0s) throw *first;
    throw JobRetry::after(std::min<std::chrono::seconds>(first->retryAfter(), longestPatience), first->what());
}

/// Writes the booking. Two jobs may run concurrently: a job that finds the booking changed in between writes again.
void ExternalEvents::writeTo(const WriteJob& job, const ExternalCalendar& calendar)
{
    for (int written = write(job, calendar); written >= 0;)
    {
        const auto now = findCase(_tools, job, calendar.calendarId);
        if (!now || (now->subject.booking.iCalSequence == written && belongsThere(now->subject.booking.status))) break;
        written = write(job, calendar);
    }
}

int ExternalEvents::write(const WriteJob& job, const ExternalCalendar& calendar)
{
    const auto found = findCase(_tools, job, calendar.calendarId);
    // Once writing is switched off, only events that were written before are changed.
    if (!found || (!found->known && calendar.direction == SyncDirection::BusyOnly)) return -1;
    const auto& booking = found->subject.booking;
    const auto source = openSource(_tools, found->subject.tenant(), calendar, writeTimeout);
    if (!belongsThere(booking.status))
    {
        if (found->known) source->remove(*found->known);
        dropEvent(_tools, job, calendar.calendarId);
        return -1;
    }
    const auto& subject = found->subject;
    const auto link = _tools.context.host().origin + "/app/bookings/" + booking.bookingId.text();
    const auto event = invitationOf(_tools, subject, hostAddress(_tools, subject), link, _words(subject.host.locale));
    keepEvent(_tools, job, calendar.calendarId, source->put(event, found->known));
    return booking.iCalSequence;
}

} // namespace portico::calendar
