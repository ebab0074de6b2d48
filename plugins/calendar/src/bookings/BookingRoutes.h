#pragma once

#include "bookings/BookingRequests.h"
#include "bookings/BookingService.h"
#include "service/AdminRoutes.h"

#include "portico/Routes.h"

namespace portico::calendar
{

/// Routes for bookings, holds and free times of a host: /api/admin/bookings, /holds, /availability. Thread-safe.
class BookingRoutes
{
public:
    BookingRoutes(const BookingTools& tools, const AvailabilityService& availability, const BookingService& bookings)
        : _tools(tools), _availability(availability), _bookings(bookings)
    {
    }
    void declare(Routes& routes);

    Page<Booking, BookingListExtra> list(const Caller& caller, const Request& request, const Query<BookingFilter>& filter,
                                         const Paging& paging) const;
    BookingDetails show(const Caller& caller, const Path<BookingId>& id, const Query<BookingQuery>& query) const;
    Created<Booking> create(const Caller& caller, const Query<HostChoice>& choice, const Body<HostBooking>& body) const;
    Booking approve(const Caller& caller, const Path<BookingId>& id, const Query<HostChoice>& choice, const Body<NoMembers>& body,
                    const IfMatch& ifMatch) const;
    Booking decline(const Caller& caller, const Path<BookingId>& id, const Query<HostChoice>& choice, const Body<Reasoned>& body,
                    const IfMatch& ifMatch) const;
    Booking cancel(const Caller& caller, const Path<BookingId>& id, const Query<HostChoice>& choice, const Body<Reasoned>& body,
                   const IfMatch& ifMatch) const;
    Booking reschedule(const Caller& caller, const Path<BookingId>& id, const Query<HostChoice>& choice, const Body<HostMove>& body,
                       const IfMatch& ifMatch) const;
    Booking markNoShow(const Caller& caller, const Path<BookingId>& id, const Query<HostChoice>& choice, const Body<NoShow>& body,
                       const IfMatch& ifMatch) const;
    Booking note(const Caller& caller, const Path<BookingId>& id, const Query<HostChoice>& choice, const Body<HostNote>& body,
                 const IfMatch& ifMatch) const;
    Page<HoldRecord> holds(const Caller& caller, const Query<HoldFilter>& filter, const Paging& paging) const;
    HostAvailability availability(const Caller& caller, const Query<HostAvailabilityQuery>& query) const;

private:
    /// The answer to a change.
    Booking whole(const BookingContext& subject) const;
    void requireOwn(const Caller& caller, const HostChoice& choice, const BookingId& id) const;
    Offer offerOf(const Caller& caller, const HostChoice& choice, const EventTypeId& type, std::optional<int> duration) const;

    const BookingTools& _tools;
    const AvailabilityService& _availability;
    const BookingService& _bookings;
};

} // namespace portico::calendar
