#pragma once

#include "bookings/BookingService.h"
#include "external/ExternalEvents.h"
#include "hosttime/BookingTools.h"
#include "pictures/Pictures.h"

#include "portico/interfaces/PersonalData.h"

#include <functional>

namespace portico::calendar
{

/// What the calendar keeps of people: the host that they are, the bookings that they made as guests with the same address, and those to
/// which others brought them along. Thread-safe.
class PersonRecords final : public interfaces::PersonalData
{
public:
    PersonRecords(const BookingTools& tools, const BookingService& bookings, const ExternalEvents& events, const Pictures& pictures)
        : _tools(tools), _bookings(bookings), _events(events), _pictures(pictures)
    {
    }

    void give(const interfaces::Person& person, const Receiver& receive) override;
    /// What guests have booked for times to come is cancelled, which they are told. The page is closed and bare, the pictures are gone, and
    /// the handles lead nowhere; bookings stay with the organization. As a guest they become nobody, in calendars elsewhere as well.
    void forget(const interfaces::Person& person) override;

private:
    void forgetHost(Tenant tenant, std::string_view userId) const;
    /// Nobody comes to them any more.
    void cancelAhead(Tenant tenant, const HostId& host) const;
    void forgetGuest(std::string_view address) const;
    /// Here, and in the calendars elsewhere in which it stands.
    void rewrite(Transaction& transaction, Tenant tenant, const BookingId& id, const std::function<void(Booking&)>& edit) const;
    /// What `read` finds of an address, a piece at a time.
    template <class Read, class Use>
    void inPieces(const Read& read, std::string_view address, const Use& use) const;

    const BookingTools& _tools;
    const BookingService& _bookings;
    const ExternalEvents& _events;
    const Pictures& _pictures;
};

} // namespace portico::calendar
