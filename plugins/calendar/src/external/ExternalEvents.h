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

/// Which booking is to be written to the host's calendars elsewhere.
struct WriteJob
{
    std::string organizationId;
    HostId hostId;
    BookingId bookingId;
};

constexpr auto schemaOf(const WriteJob*) { return describe(members<&WriteJob::organizationId, &WriteJob::hostId, &WriteJob::bookingId>()); }

/// Keeps bookings in the calendars elsewhere that their host has chosen for it: there while they are pending or confirmed, as events of the
/// same UID; gone when they are cancelled. Jobs do it, with growing waits while a server is away. Thread-safe.
class ExternalEvents final : public BookingListener
{
public:
    ExternalEvents(const BookingTools& tools, WordsOf words) : _tools(tools), _words(std::move(words)) {}
    /// Called once, at the start.
    void start();
    /// Does nothing for hosts that have no such calendar.
    void happened(Transaction& transaction, std::string_view what, const BookingCase& subject) const override;

private:
    void run(const WriteJob& job);
    void writeTo(const WriteJob& job, const ExternalCalendar& calendar);
    /// @return the SEQUENCE that stands there now
    int write(const WriteJob& job, const ExternalCalendar& calendar);

    const BookingTools& _tools;
    const WordsOf _words;
    /// A slow server holds no jobs of others.
    Places _writing{1};
};

} // namespace portico::calendar
