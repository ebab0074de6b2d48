#pragma once

#include "bookings/HumanCheck.h"
#include "external/ExternalSync.h"
#include "holds/HoldService.h"
#include "hosttime/BookingTools.h"
#include "hosttime/HostTime.h"
#include "records/Booking.h"
#include "records/BookingListener.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

/// Input with which a guest turns a hold into a booking.
struct ConfirmRequest
{
    HoldId holdId;
    std::string holdToken;
    Guest guest;
    std::vector<Answer> answers;
    std::string notes;
    std::vector<AdditionalGuest> additionalGuests;
    /// Required if the host has enabled the human check.
    std::optional<HumanAnswer> humanCheck;
};

constexpr auto schemaOf(const ConfirmRequest*)
{
    return describe(field<&ConfirmRequest::holdId>().required(), field<&ConfirmRequest::holdToken>().required().maxLength(200),
                    field<&ConfirmRequest::guest>().required(), field<&ConfirmRequest::answers>().maxItems(20),
                    field<&ConfirmRequest::notes>().maxLength(2000), field<&ConfirmRequest::additionalGuests>().maxItems(10),
                    field<&ConfirmRequest::humanCheck>());
}

/// A booking that a host makes for a guest.
struct HostBooking
{
    EventTypeId eventTypeId;
    Instant start{};
    std::optional<int> durationMinutes;
    Guest guest;
    std::vector<Answer> answers;
    std::string notes;
    /// Allows times outside of hours, notice and limits, but never taken ones.
    bool overrideRules = false;
};

constexpr auto schemaOf(const HostBooking*)
{
    return describe(field<&HostBooking::eventTypeId>().required(), field<&HostBooking::start>().required(),
                    field<&HostBooking::durationMinutes>(), field<&HostBooking::guest>().required(),
                    field<&HostBooking::answers>().maxItems(20), field<&HostBooking::notes>().maxLength(2000),
                    field<&HostBooking::overrideRules>("override")
                        .description("Ignores opening hours, notice and limits; booked times remain unavailable"));
}

/// By which channel, and from which page of another origin.
struct BookingChannel
{
    Source source = Source::Api;
    std::string embedOrigin;
};

/// The new booking, and the token of the guest's link. No later call returns the token.
struct Confirmation
{
    BookingContext context;
    std::string manageToken;
    /// True if an earlier request with the same hold made the booking.
    bool existed = false;
};

/// A hold that a booking is to move to.
struct HoldKey
{
    HoldId holdId;
    std::string holdToken;
};

/// Party that moves a booking, and its reason.
struct MovedBy
{
    Party party = Party::Host;
    std::string reason;
};

/// Changes bookings. Each change runs in the queue of its host, and is checked again in its transaction, which locks the host's row against
/// other processes. It is committed durably before the answer. Thread-safe.
class BookingService
{
public:
    /// @param listeners are notified of every change, in this order. They must outlive this object.
    BookingService(const BookingTools& tools, ExternalSync& calendars, std::vector<const BookingListener*> listeners)
        : _tools(tools), _calendars(calendars), _listeners(std::move(listeners))
    {
    }

    /// Returns the booking that a hold has become, if any.
    /// @param before the booking of the hold, if there is one.
    /// @throws Problem 403 `hold_token_invalid`
    std::optional<Confirmation> confirmedBefore(Session& session, Tenant tenant, const std::optional<Booking>& before,
                                                std::string_view token) const;
    /// @throws Problem 400 for invalid guest data or answers; 404 for an unknown hold; 403 `hold_token_invalid`; 410 `hold_expired`; 409
    /// `slot_unavailable` if the host's rules or calendars have taken the time since; 503 `calendar_unavailable` if the host's policy is
    /// strict and an external calendar does not answer
    /// @param calendars the host's external calendars, if the caller has just read them
    Confirmation confirm(const Offer& offer, const ConfirmRequest& request, const BookingChannel& channel,
                         std::optional<std::vector<ExternalCalendar>> calendars = {}) const;
    /// @throws Problem 400; 409 `slot_unavailable`
    BookingContext book(const Offer& asked, const HostBooking& request) const;

    // All throw Problem 404 for an unknown booking, 412 for another version than the given one, and 409 `booking_closed` for a change that
    // its state does not allow.

    BookingContext cancel(Tenant tenant, const BookingId& id, Party by, std::string_view reason,
                          const IfMatch& ifMatch = IfMatch("")) const;
    /// Reads external calendars first, as confirm does, and uses what is known if one does not answer. Blocks on the network.
    /// @throws Problem 403, 404, 409 `slot_unavailable`, 410 as confirm
    BookingContext moveToHold(Tenant tenant, const BookingId& id, const HoldKey& hold, const MovedBy& by,
                              const IfMatch& ifMatch = IfMatch("")) const;
    /// @throws Problem 409 `slot_unavailable`; 400
    BookingContext moveTo(Tenant tenant, const BookingId& id, Instant start, std::optional<int> duration, const MovedBy& by,
                          const IfMatch& ifMatch = IfMatch("")) const;
    /// @throws Problem 409 `slot_unavailable` if an external calendar has taken the time since
    BookingContext approve(Tenant tenant, const BookingId& id, std::string_view userId, const IfMatch& ifMatch = IfMatch("")) const;
    BookingContext decline(Tenant tenant, const BookingId& id, std::string_view userId, std::string_view reason,
                           const IfMatch& ifMatch = IfMatch("")) const;
    BookingContext markNoShow(Tenant tenant, const BookingId& id, const NoShow& absent, const IfMatch& ifMatch = IfMatch("")) const;
    /// Sets the host's private note in any state. Notifies no listener.
    BookingContext note(Tenant tenant, const BookingId& id, std::string_view text, const IfMatch& ifMatch = IfMatch("")) const;

    /// Expires undecided requests, and completes bookings that have ended. @return the number of changed bookings
    std::size_t expireAndComplete() const;

    /// Returns the offer for another time of the booking, whose duration stays. @throws Problem 409 `booking_closed` without its event type
    Offer offerOf(const BookingContext& subject) const;
    /// The booking with its host and type. @throws Problem 404
    BookingContext find(Session& session, Tenant tenant, const BookingId& id) const;
    /// Returns the token of the guest's link (`openManageToken`).
    std::string manageToken(const Booking& booking) const;

private:
    /// Makes a booking of a hold, in the queue of the host. @throws Problem as confirm
    Confirmation confirmHeld(Transaction& transaction, const Offer& offer, const ConfirmRequest& request,
                             const BookingChannel& channel) const;
    /// @throws Problem 409 where the time of a hold was taken
    void requireOpen(Transaction& transaction, const Offer& offer, const Hold& hold, const Taken& taken) const;
    std::optional<Hold> liveHold(const HostId& host, const HoldId& id) const;
    Booking heldBooking(const Offer& offer, const Hold& hold, const ConfirmRequest& request, const BookingChannel& channel,
                        std::string& token) const;
    void tell(Transaction& transaction, std::string_view what, BookingContext& subject) const;
    void readCalendars(const Offer& offer, std::optional<std::vector<ExternalCalendar>> known) const;
    using Edit = std::function<void(Transaction&, BookingContext&)>;
    BookingContext change(Tenant tenant, const BookingId& id, std::string_view event, const IfMatch& ifMatch, const Edit& edit) const;
    BookingContext changed(Transaction& transaction, Tenant tenant, const Booking& before, const IfMatch& ifMatch, const Edit& edit) const;
    /// Reads the offer again under the lock, because the hours may have changed while external calendars were read. @throws Problem 404
    Offer currentOffer(Transaction& transaction, const Offer& before, const Host& locked) const;
    Offer offerOf(Session& session, const BookingContext& subject, std::chrono::minutes duration) const;
    /// Checks the external calendars only. Other bookings already keep away from a request, and the host's current rules do not apply to
    /// it.
    /// @throws Problem 409 `slot_unavailable`
    void requireStillFree(Transaction& transaction, const BookingContext& subject) const;
    void move(Transaction& transaction, BookingContext& subject, const Offer& offer, Instant start, const Asking& asking,
              const MovedBy& by) const;

    const BookingTools& _tools;
    ExternalSync& _calendars;
    std::vector<const BookingListener*> _listeners;
};

} // namespace portico::calendar
