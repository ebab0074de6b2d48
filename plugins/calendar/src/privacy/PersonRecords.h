#pragma once

#include "bookings/BookingService.h"
#include "external/ExternalEvents.h"
#include "hosttime/BookingTools.h"
#include "pictures/Pictures.h"

#include "portico/interfaces/PersonalData.h"

#include <functional>

namespace portico::calendar
{

/// Personal data in the calendar: the person's host, bookings that they made as a guest with their e-mail address, and bookings with them
/// as an additional guest. Thread-safe.
class PersonRecords final : public interfaces::PersonalData
{
public:
    PersonRecords(const BookingTools& tools, const BookingService& bookings, const ExternalEvents& events, const Pictures& pictures)
        : _tools(tools), _bookings(bookings), _events(events), _pictures(pictures)
    {
    }

    void give(const interfaces::Person& person, const Receiver& receive) override;
    /// Cancels future bookings of the person's host, and notifies the guests. Erases the host's page and pictures, and removes its handles.
    /// Bookings stay with the organization. Where the person was a guest, their data is erased, also in external calendars.
    void forget(const interfaces::Person& person) override;

private:
    void forgetHost(Tenant tenant, std::string_view userId) const;
    /// Cancels the host's future bookings.
    void cancelAhead(Tenant tenant, const HostId& host) const;
    void forgetGuest(std::string_view address) const;
    /// Rewrites the booking, and its copies in external calendars.
    void rewrite(Transaction& transaction, Tenant tenant, const BookingId& id, const std::function<void(Booking&)>& edit) const;
    /// Processes the results of `read` for an address in batches.
    template <class Read, class Use>
    void inPieces(const Read& read, std::string_view address, const Use& use) const;

    const BookingTools& _tools;
    const BookingService& _bookings;
    const ExternalEvents& _events;
    const Pictures& _pictures;
};

} // namespace portico::calendar
