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

/// What a guest tells to make a booking of a hold.
struct ConfirmRequest
{
    HoldId holdId;
    std::string holdToken;
    Guest guest;
    std::vector<Answer> answers;
    std::string notes;
    std::vector<AdditionalGuest> additionalGuests;
    /// Where the host asks for it.
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
    /// Outside of hours, notice and limits as well; never at a time that is taken.
    bool overrideRules = false;
};

constexpr auto schemaOf(const HostBooking*)
{
    return describe(field<&HostBooking::eventTypeId>().required(), field<&HostBooking::start>().required(),
                    field<&HostBooking::durationMinutes>(), field<&HostBooking::guest>().required(),
                    field<&HostBooking::answers>().maxItems(20), field<&HostBooking::notes>().maxLength(2000),
                    field<&HostBooking::overrideRules>("override")
                        .description("Outside of hours, notice and limits as well; never at a time that is taken"));
}

/// By which door, and from which page of another origin.
struct Door
{
    Source source = Source::Api;
    std::string embedOrigin;
};

/// What was made, and the token of the guest's link, which is told this once.
struct Confirmation
{
    BookingCase made;
    std::string manageToken;
    /// The same request came before.
    bool existed = false;
};

/// A hold that a booking is to move to.
struct HoldKey
{
    HoldId holdId;
    std::string holdToken;
};

/// Who moves a booking, and why.
struct MovedBy
{
    Party party = Party::Host;
    std::string reason;
};

/// Everything that changes bookings. Each change runs in the queue of its host, is checked once more in its transaction, where the host's
/// row is locked against other processes, and is on disk before it is answered. Thread-safe.
class BookingService
{
public:
    /// @param listeners are told of everything that happens, in this order; they outlive this
    BookingService(const BookingTools& tools, ExternalSync& calendars, std::vector<const BookingListener*> listeners)
        : _tools(tools), _calendars(calendars), _listeners(std::move(listeners))
    {
    }

    /// What a hold has become already, for who has its token. @param before the booking of the hold, if there is one
    /// @throws Problem 403 `hold_token_invalid`
    std::optional<Confirmation> confirmedBefore(Session& session, Tenant tenant, const std::optional<Booking>& before,
                                                std::string_view token) const;
    /// @throws Problem 400 for guest and answers; 404 for no such hold; 403 `hold_token_invalid`; 410 `hold_expired`; 409
    /// `slot_unavailable` where the host's rules or calendars took the time meanwhile; 503 `calendar_unavailable` for a strict host whose
    /// other calendars cannot be asked
    /// @param calendars the host's other calendars, where the caller has just read them
    Confirmation confirm(const Offer& offer, const ConfirmRequest& request, const Door& door,
                         std::optional<std::vector<ExternalCalendar>> calendars = {}) const;
    /// @throws Problem 400; 409 `slot_unavailable`
    BookingCase book(const Offer& asked, const HostBooking& request) const;

    // All throw Problem 404 for no such booking, 412 for another version of it than is meant, and 409 `booking_closed` for a move that its
    // state does not have.

    BookingCase cancel(Tenant tenant, const BookingId& id, Party by, std::string_view reason, const IfMatch& ifMatch = IfMatch("")) const;
    /// @throws Problem 403, 404, 409 `slot_unavailable`, 410 as confirm
    BookingCase moveToHold(Tenant tenant, const BookingId& id, const HoldKey& hold, const MovedBy& by,
                           const IfMatch& ifMatch = IfMatch("")) const;
    /// @throws Problem 409 `slot_unavailable`; 400
    BookingCase moveTo(Tenant tenant, const BookingId& id, Instant start, std::optional<int> duration, const MovedBy& by,
                       const IfMatch& ifMatch = IfMatch("")) const;
    /// @throws Problem 409 `slot_unavailable` where a calendar elsewhere has taken the time since
    BookingCase approve(Tenant tenant, const BookingId& id, std::string_view userId, const IfMatch& ifMatch = IfMatch("")) const;
    BookingCase decline(Tenant tenant, const BookingId& id, std::string_view userId, std::string_view reason,
                        const IfMatch& ifMatch = IfMatch("")) const;
    BookingCase markNoShow(Tenant tenant, const BookingId& id, const NoShow& absent, const IfMatch& ifMatch = IfMatch("")) const;
    /// For the host alone, whatever the state; nobody is told.
    BookingCase note(Tenant tenant, const BookingId& id, std::string_view text, const IfMatch& ifMatch = IfMatch("")) const;

    /// Does what time alone does: ends requests that nobody decided, and completes what is over. @return how many changed
    std::size_t letTimePass() const;

    /// The booking with its host and type. @throws Problem 404
    BookingCase find(Session& session, Tenant tenant, const BookingId& id) const;
    /// The token of the guest's link, as `openManageToken`.
    std::string manageToken(const Booking& booking) const;

private:
    /// Makes a booking of a hold, in the queue of the host. @throws Problem as confirm
    Confirmation confirmHeld(Transaction& transaction, const Offer& offer, const ConfirmRequest& request, const Door& door) const;
    /// @throws Problem 409 where the time of a hold was taken
    void requireOpen(Transaction& transaction, const Offer& offer, const Hold& hold, const Taken& taken) const;
    std::optional<Hold> liveHold(const HostId& host, const HoldId& id) const;
    Booking heldBooking(const Offer& offer, const Hold& hold, const ConfirmRequest& request, const Door& door, std::string& token) const;
    void tell(Transaction& transaction, std::string_view what, BookingCase& subject) const;
    void readCalendars(const Offer& offer, std::optional<std::vector<ExternalCalendar>> known) const;
    using Edit = std::function<void(Transaction&, BookingCase&)>;
    BookingCase change(Tenant tenant, const BookingId& id, std::string_view event, const IfMatch& ifMatch, const Edit& edit) const;
    BookingCase changed(Transaction& transaction, Tenant tenant, const Booking& before, const IfMatch& ifMatch, const Edit& edit) const;
    /// What is offered now that nobody changes it: hours may have been changed while other calendars were asked. @throws Problem 404
    Offer currentOffer(Transaction& transaction, const Offer& before, const Host& locked) const;
    Offer offerOf(Session& session, const BookingCase& subject, std::chrono::minutes duration) const;
    /// Other bookings keep away from a request as from a booking, so that only another calendar can have come between. What the host's
    /// rules say now is not asked. @throws Problem 409 `slot_unavailable`
    void requireStillFree(Transaction& transaction, const BookingCase& subject) const;
    void move(Transaction& transaction, BookingCase& subject, const Offer& offer, Instant start, const Asking& asking,
              const MovedBy& by) const;

    const BookingTools& _tools;
    ExternalSync& _calendars;
    std::vector<const BookingListener*> _listeners;
};

} // namespace portico::calendar
