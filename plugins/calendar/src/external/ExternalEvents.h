#pragma once

#include "external/Places.h"
#include "hosttime/BookingTools.h"
#include "records/BookingListener.h"
#include "records/ExternalCalendar.h"
#include "texts/Words.h"

#include <string>
#include <utility>

namespace portico::calendar
{

/// Payload of a job that writes a booking to the host's external calendars.
struct WriteJob
{
    std::string organizationId;
    HostId hostId;
    BookingId bookingId;
};

constexpr auto schemaOf(const WriteJob*) { return describe(members<&WriteJob::organizationId, &WriteJob::hostId, &WriteJob::bookingId>()); }

/// Copies bookings to the external calendars that their host has chosen. An event with the booking's UID exists while the booking is
/// pending or confirmed, and is deleted on cancellation, also after writing was switched off. Jobs do the work and retry with backoff.
/// Thread-safe.
class ExternalEvents final : public BookingListener
{
public:
    ExternalEvents(const BookingTools& tools, WordsOf words) : _tools(tools), _words(std::move(words)) {}
    /// Called once, at the start.
    void start();
    /// Does nothing for hosts without such a calendar, unless the booking was written to one before.
    void happened(Transaction& transaction, std::string_view what, const BookingContext& subject) const override;

private:
    void run(const WriteJob& job);
    void writeTo(const WriteJob& job, const ExternalCalendar& calendar);
    /// @return the SEQUENCE that was written; -1 if nothing was
    int write(const WriteJob& job, const ExternalCalendar& calendar);

    const BookingTools& _tools;
    const WordsOf _words;
    /// Limits concurrent writes, so that a slow server does not block other jobs.
    Places _writing{1};
};

} // namespace portico::calendar
