#include "bookings/BookingService.h"

#include "bookings/GuestPolicy.h"
#include "bookings/NewBooking.h"
#include "bookings/Seats.h"
#include "hosttime/ExternalBusy.h"
#include "slots/Slots.h"

#include "portico/Crypto.h"

#include <algorithm>
#include <chrono>

namespace portico::calendar
{

namespace
{
constexpr std::chrono::days noShowBack{30};

std::int64_t newMark()
{
    std::int64_t mark = 0;
    for (const unsigned char byte : randomBytes(sizeof(mark))) mark = mark << 8 | byte;
    return mark;
}

/// Locks the host and marks its bookings as changed. Until the transaction ends, no other process changes the bookings or the offer.
InFlight<std::optional<Host>> lockHost(Flight& flight, Tenant tenant, const HostId& host)
{
    static const auto sql = "UPDATE host SET taken_mark = $3 WHERE organization_id = $1 AND id = $2 RETURNING " + columns<Host>();
    return flight.one<Host>(sql, tenant, host, newMark());
}

/// @throws Problem 404
Host lockHost(Transaction& transaction, Tenant tenant, const HostId& host)
{
    Flight flight(transaction);
    auto locked = lockHost(flight, tenant, host);
    if (!*locked) throw Problem::notFound();
    return *std::move(*locked);
}

/// Locks the host of an offer, and reports whether the offer is still current.
class OfferLock
{
public:
    OfferLock(Flight& flight, const Offer& offer)
        : _offer(offer),
          _host(lockHost(flight, offer.tenant(), offer.host.hostId)),
          _versions(flight.read(
              [](Rows& rows)
              {
                  const auto row = rows.next();
                  return row ? std::pair(row->get<std::int64_t>(0), row->get<std::int64_t>(1)) : std::pair<std::int64_t, std::int64_t>();
              },
              "SELECT t.version, s.version FROM event_type t JOIN schedule s ON s.organization_id = t.organization_id "
              "AND s.host_id = t.host_id AND s.id = $4 WHERE t.organization_id = $1 AND t.host_id = $2 AND t.id = $3",
              offer.tenant(), offer.host.hostId, offer.type.eventTypeId, offer.type.scheduleId.value_or(offer.host.defaultScheduleId)))
    {
    }
    /// @throws Problem 404
    bool isCurrent()
    {
        if (!*_host) throw Problem::notFound();
        return (*_host)->version == _offer.host.version && *_versions == std::pair(_offer.type.version, _offer.scheduleVersion);
    }
    const Host& host() { return **_host; }

private:
    const Offer& _offer;
    InFlight<std::optional<Host>> _host;
    InFlight<std::pair<std::int64_t, std::int64_t>> _versions;
};

/// The booking that a hold has become, if any.
InFlight<std::optional<Booking>> bookingOfHold(Flight& flight, Tenant tenant, const HostId& host, const HoldId& hold)
{
    static const auto sql = "SELECT " + columns<Booking>() + " FROM booking WHERE organization_id = $1 AND host_id = $2 AND hold_id = $3";
    return flight.one<Booking>(sql, tenant, host, hold);
}

/// The reasons that a host may set aside: not those by which the time is taken.
bool isRule(Reason reason) { return reason != Reason::Busy && reason != Reason::Booked && reason != Reason::Held; }

/// @throws Problem 400 for more guests than the event type allows, and for a missing phone number
void requireGuests(const EventType& type, const ConfirmRequest& request)
{
    if (distinct(request.additionalGuests, request.guest).size() > static_cast<std::size_t>(type.allowAdditionalGuests))
        throw Problem::invalid("additionalGuests", "too_many",
                               "Maximum number of additional guests: " + std::to_string(type.allowAdditionalGuests));
    if (type.meetingKind == MeetingKind::Phone && request.guest.phone.value_or("").empty())
        throw Problem::invalid("guest.phone", "required", "The host calls: a phone number is needed");
}

std::string_view eventOf(BookingStatus status) { return status == BookingStatus::Pending ? "requested" : "confirmed"; }
} // namespace

void BookingService::tell(Transaction& transaction, std::string_view what, BookingContext& subject) const
{
    subject.hostEmail = _tools.emailOf(subject.tenant(), subject.host);
    for (const auto* listener : _listeners) listener->happened(transaction, what, subject);
}

void BookingService::readCalendars(const Offer& offer, std::optional<std::vector<ExternalCalendar>> known) const
{
    _calendars.refresh(offer.tenant(), offer.host.hostId, std::move(known));
    if (offer.host.externalBusyPolicy == BusyPolicy::Lenient) return;
    const auto now = _tools.now();
    auto session = _tools.database().session();
    if (busyOf(session, offer.tenant(), offer.host.hostId, now, now, now).stale)
        throw Problem::unavailable("calendar_unavailable", "The host's calendar cannot be asked at the moment.", 60);
}

std::optional<Confirmation> BookingService::confirmedBefore(Session& session, Tenant tenant, const std::optional<Booking>& before,
                                                            std::string_view token) const
{
    if (!before) return std::nullopt;
    if (!sameSecret(before->holdTokenHash, sha256(token).hex()))
        throw Problem::forbidden("hold_token_invalid", "This is not the token of the hold.");
    return Confirmation{find(session, tenant, before->bookingId), manageToken(*before), true};
}

Confirmation BookingService::confirm(const Offer& offer, const ConfirmRequest& request, const BookingChannel& channel,
                                     std::optional<std::vector<ExternalCalendar>> calendars) const
{
    const auto tenant = offer.tenant();
    const auto& host = offer.host.hostId;
    requireGuests(offer.type, request);
    const bool asked = offer.host.humanVerification;
    if (asked) requireHuman(_tools, host, request.humanCheck);
    const auto write = [&]
    {
        try
        {
            return _tools.database().transact([&](Transaction& transaction) { return confirmHeld(transaction, offer, request, channel); });
        }
        catch (const DatabaseError& error)
        {
            if (isSeatTaken(error)) throw noSeatsLeft();
            throw;
        }
    };
    const auto confirmInTurn = [&]
    {
        try
        {
            auto made = write();
            if (made.existed) return made;
            useHold(_tools, host, request.holdId);
            if (asked) useAnswer(_tools, *request.humanCheck);
            return made;
        }
        catch (const Problem& problem)
        {
            if (problem.code() == slotUnavailable) loseHold(_tools, tenant, host, request.holdId);
            throw;
        }
    };
    readCalendars(offer, std::move(calendars));
    return _tools.holds.inQueue(host, confirmInTurn);
}

std::optional<Hold> BookingService::liveHold(const HostId& host, const HoldId& id) const
{
    const auto holds = _tools.holds.of(host, _tools.now());
    const auto found = std::ranges::find(holds, id, &Hold::holdId);
    return found == holds.end() ? std::nullopt : std::optional(*found);
}

Confirmation BookingService::confirmHeld(Transaction& transaction, const Offer& offer, const ConfirmRequest& request,
                                         const BookingChannel& channel) const
{
    const auto tenant = offer.tenant();
    const auto& host = offer.host.hostId;
    auto held = offer;
    // Reads after the lock, so that every read sees what was committed before.
    Flight flight(transaction);
    OfferLock lock(flight, offer);
    auto before = bookingOfHold(flight, tenant, host, request.holdId);
    std::optional<TakenReads> reads;
    if (const auto live = liveHold(host, request.holdId))
    {
        setDuration(held, std::chrono::duration_cast<std::chrono::minutes>(live->end - live->start));
        reads.emplace(flight, _tools.holds, held, live->start, live->start, _tools.now());
    }
    const bool current = lock.isCurrent();
    if (auto made = confirmedBefore(transaction, tenant, *before, request.holdToken)) return *std::move(made);
    if (offer.host.humanVerification) requireUnused(_tools, *request.humanCheck);
    const auto hold = requireHold(transaction, _tools, tenant, host, request.holdId, request.holdToken);
    if (hold.eventTypeId != offer.type.eventTypeId) throw Problem::notFound("There is no such hold.");
    if (!current || !reads)
    {
        if (!current) held = currentOffer(transaction, offer, lock.host());
        setDuration(held, std::chrono::duration_cast<std::chrono::minutes>(hold.end - hold.start));
        reads.emplace(flight, _tools.holds, held, hold.start, hold.start, _tools.now());
    }
    requireOpen(transaction, held, hold, reads->get());

    Confirmation made{{held.organizationId, held.host, held.type, {}, reads->written()}, {}, false};
    made.context.booking = heldBooking(held, hold, request, channel, made.manageToken);
    const auto& booking = made.context.booking;
    flight.insert("booking", booking, {"organization_id"}, tenant);
    if (held.type.seatsPerSlot == 1)
        takeOnlySeat(flight, tenant, booking);
    else
        takeSeats(transaction, tenant, booking, held.type.seatsPerSlot);
    closeHold(transaction, tenant, hold.holdId, HoldStatus::Confirmed, HoldEnd::Confirm, _tools.now(), booking.bookingId);
    tell(transaction, eventOf(booking.status), made.context);
    return made;
}

void BookingService::requireOpen(Transaction& transaction, const Offer& offer, const Hold& hold, const Taken& taken) const
{
    // The guest was in time when the hold was given out.
    const Asking asking{hold.createdAt, hold.seats, hold.holdId, {}};
    if (!openSlotAt(offer.rules, taken, asking, hold.start))
        throw slotProblem(transaction, _tools, offer, asking, hold.start, "The time is no longer available. Choose another one.");
}

Booking BookingService::heldBooking(const Offer& offer, const Hold& hold, const ConfirmRequest& request, const BookingChannel& channel,
                                    std::string& token) const
{
    Booking booking = newBooking(_tools, offer, hold.start, hold.end, token);
    fillGuest(booking, _tools.zones, offer.type, request.guest, request.answers, request.notes);
    booking.additionalGuests = distinct(request.additionalGuests, request.guest);
    booking.seats = hold.seats;
    booking.holdId = hold.holdId;
    booking.holdTokenHash = hold.tokenHash;
    booking.source = channel.source;
    booking.embedOrigin = channel.embedOrigin;
    if (offer.type.requiresApproval)
    {
        booking.status = BookingStatus::Pending;
        booking.decideBefore = std::min(booking.createdAt + std::chrono::hours(offer.type.approvalExpiryHours), booking.start);
    }
    return booking;
}

BookingContext BookingService::book(const Offer& asked, const HostBooking& request) const
{
    const auto tenant = asked.tenant();
    const auto& host = asked.host.hostId;
    const auto write = [&](Transaction& transaction)
    {
        Flight flight(transaction);
        OfferLock lock(flight, asked);
        const auto offer = lock.isCurrent() ? asked : currentOffer(transaction, asked, lock.host());
        const auto now = _tools.now();
        constexpr std::chrono::days furthest{BookingWindow::maxDays};
        if (request.start > now + furthest || request.start < now - furthest)
            throw Problem::invalid("start", "out_of_range", "Bookings lie within two years of now");
        const auto taken = takenOf(transaction, _tools.holds, offer, request.start, request.start, now);
        const Asking asking{now, 1, {}, {}};
        const auto why = explain(offer.rules, taken, asking, request.start);
        if (!why.available && !(request.overrideRules && std::ranges::all_of(why.reasons, isRule)))
            throw slotProblem(transaction, _tools, offer, asking, request.start, "This time is not free.");
        std::string token;
        BookingContext made{offer.organizationId, offer.host, offer.type, {}};
        made.booking = newBooking(_tools, offer, request.start, request.start + offer.rules.duration, token);
        fillGuest(made.booking, _tools.zones, offer.type, request.guest, request.answers, request.notes);
        made.booking.source = Source::Admin;
        bookingTable.insert(transaction, tenant, made.booking);
        takeSeats(transaction, tenant, made.booking, offer.type.seatsPerSlot);
        tell(transaction, "confirmed", made);
        return made;
    };
    return _tools.holds.inQueue(host, [&] { return _tools.database().transact(write); });
}

Offer BookingService::currentOffer(Transaction& transaction, const Offer& before, const Host& locked) const
{
    auto type = eventTypeTable.find(transaction, before.tenant(), locked.hostId, before.type.eventTypeId);
    if (!type) throw Problem::notFound("The host offers nothing of this name.");
    auto offer = makeOffer(transaction, _tools.zones, before.tenant(), locked, *std::move(type), std::nullopt);
    offer.host.organizationId = before.organizationId;
    setDuration(offer, before.rules.duration);
    return offer;
}

BookingContext BookingService::find(Session& session, Tenant tenant, const BookingId& id) const
{
    BookingContext found{std::string(tenant.text()), {}, {}, bookingTable.require(session, tenant, id)};
    found.host = hostTable.require(session, tenant, found.booking.hostId);
    found.type = eventTypeTable.find(session, tenant, found.booking.hostId, found.booking.eventTypeId);
    return found;
}

BookingContext BookingService::changed(Transaction& transaction, Tenant tenant, const Booking& before, const IfMatch& ifMatch,
                                       const Edit& edit) const
{
    const auto& id = before.bookingId;
    BookingContext subject{std::string(tenant.text()), lockHost(transaction, tenant, before.hostId), {}, {}};
    subject.type = eventTypeTable.find(transaction, tenant, before.hostId, before.eventTypeId);
    const auto rewrite = [&](Booking& booking)
    {
        subject.booking = booking;
        edit(transaction, subject);
        booking = subject.booking;
    };
    subject.booking = bookingTable.change(transaction, tenant, id, ifMatch, {_tools.now()}, rewrite);
    return subject;
}

BookingContext BookingService::change(Tenant tenant, const BookingId& id, std::string_view event, const IfMatch& ifMatch,
                                      const Edit& edit) const
{
    const auto before = [&]
    {
        auto session = _tools.database().session();
        return bookingTable.require(session, tenant, id);
    }();
    const auto write = [&](Transaction& transaction)
    {
        auto subject = changed(transaction, tenant, before, ifMatch, edit);
        if (subject.booking.version != before.version && !event.empty()) tell(transaction, event, subject);
        return subject;
    };
    return _tools.holds.inQueue(before.hostId, [&] { return _tools.database().transact(write); });
}

BookingContext BookingService::cancel(Tenant tenant, const BookingId& id, Party by, std::string_view reason, const IfMatch& ifMatch) const
{
    return change(tenant, id, "cancelled", ifMatch,
                  [&](Transaction& transaction, BookingContext& subject)
                  {
                      if (by == Party::Guest) requireCancellable(subject, _tools.now());
                      auto& booking = subject.booking;
                      if (!isOpen(booking.status)) throw bookingClosed("This booking is closed already.");
                      booking.status = BookingStatus::Cancelled;
                      booking.cancellation = Cancellation{by, std::string(reason), _tools.now()};
                      ++booking.iCalSequence;
                      freeSeats(transaction, tenant, id);
                  });
}

Offer BookingService::offerOf(Session& session, const BookingContext& subject, std::chrono::minutes duration) const
{
    if (!subject.type) throw bookingClosed("This event type is no longer offered.");
    auto offer = makeOffer(session, _tools.zones, Tenant::fromStored(subject.organizationId), subject.host, *subject.type, std::nullopt);
    setDuration(offer, duration);
    return offer;
}

Offer BookingService::offerOf(const BookingContext& subject) const
{
    auto session = _tools.database().session();
    return offerOf(session, subject, lengthOf(subject.booking));
}

void BookingService::requireStillFree(Transaction& transaction, const BookingContext& subject) const
{
    if (!subject.type) return;
    const auto& booking = subject.booking;
    auto offer = offerOf(transaction, subject, lengthOf(booking));
    offer.rules.bufferBefore = std::chrono::minutes(booking.bufferBeforeMinutes);
    offer.rules.bufferAfter = std::chrono::minutes(booking.bufferAfterMinutes);
    const auto now = _tools.now();
    const auto taken = takenOf(transaction, _tools.holds, offer, booking.start, booking.start, now, booking.bookingId);
    const Asking asking{now, booking.seats, {}, booking.bookingId};
    const auto reasons = explain(offer.rules, taken, asking, booking.start).reasons;
    if (std::ranges::find(reasons, Reason::Busy) != reasons.end())
        throw slotProblem(transaction, _tools, offer, asking, booking.start,
                          "Another calendar of the host has taken this time since it was asked for.");
}

void BookingService::move(Transaction& transaction, BookingContext& subject, const Offer& offer, Instant start, const Asking& asking,
                          const MovedBy& by) const
{
    auto& booking = subject.booking;
    const auto tenant = subject.tenant();
    const auto now = _tools.now();
    const auto end = start + offer.rules.duration;
    if (booking.start == start && booking.end == end) return;
    const auto taken = takenOf(transaction, _tools.holds, offer, start, start, now, asking.ownBooking);
    if (!openSlotAt(offer.rules, taken, asking, start))
        throw slotProblem(transaction, _tools, offer, asking, start, "This time is not free.");
    booking.previousStart.push_back({booking.start, booking.end, now, by.party, by.reason});
    booking.start = start;
    booking.end = end;
    ++booking.iCalSequence;
    freeSeats(transaction, tenant, booking.bookingId);
    takeSeats(transaction, tenant, booking, offer.type.seatsPerSlot);
}

BookingContext BookingService::moveToHold(Tenant tenant, const BookingId& id, const HoldKey& key, const MovedBy& by,
                                          const IfMatch& ifMatch) const
{
    const auto hostId = [&]
    {
        auto session = _tools.database().session();
        return bookingTable.require(session, tenant, id).hostId;
    }();
    // Unlike a confirmation, a move is not refused if a calendar cannot be read.
    _calendars.refresh(tenant, hostId);
    auto moved = change(tenant, id, "rescheduled", ifMatch,
                        [&](Transaction& transaction, BookingContext& subject)
                        {
                            // Policies are the guest's to keep.
                            if (by.party == Party::Guest)
                                requireMovable(subject, _tools.now());
                            else
                                requireConfirmed(subject);
                            const auto& host = subject.host.hostId;
                            const auto hold = requireHold(transaction, _tools, tenant, host, key.holdId, key.holdToken);
                            const auto offer =
                                offerOf(transaction, subject, std::chrono::duration_cast<std::chrono::minutes>(hold.end - hold.start));
                            if (hold.eventTypeId != offer.type.eventTypeId) throw Problem::notFound("There is no such hold.");
                            move(transaction, subject, offer, hold.start, {hold.createdAt, subject.booking.seats, hold.holdId, id}, by);
                            closeHold(transaction, tenant, hold.holdId, HoldStatus::Confirmed, HoldEnd::Confirm, _tools.now(), id);
                        });
    _tools.holds.inQueue(moved.host.hostId, [&] { useHold(_tools, moved.host.hostId, key.holdId); });
    return moved;
}

BookingContext BookingService::moveTo(Tenant tenant, const BookingId& id, Instant start, std::optional<int> duration, const MovedBy& by,
                                      const IfMatch& ifMatch) const
{
    return change(tenant, id, "rescheduled", ifMatch,
                  [&](Transaction& transaction, BookingContext& subject)
                  {
                      requireConfirmed(subject);
                      const auto length = lengthOf(subject.booking);
                      auto offer = offerOf(transaction, subject, length);
                      // A booking may keep its length, even if the event type no longer offers it.
                      if (duration && std::chrono::minutes(*duration) != length) setDuration(offer, offeredDuration(offer.type, duration));
                      move(transaction, subject, offer, start, {_tools.now(), subject.booking.seats, {}, id}, by);
                  });
}

BookingContext BookingService::approve(Tenant tenant, const BookingId& id, std::string_view userId, const IfMatch& ifMatch) const
{
    return change(tenant, id, "confirmed", ifMatch,
                  [&](Transaction& transaction, BookingContext& subject)
                  {
                      auto& booking = subject.booking;
                      if (booking.status != BookingStatus::Pending) throw bookingClosed("Only a request can be approved.");
                      if (booking.decideBefore && *booking.decideBefore <= _tools.now()) throw bookingClosed("This request has ended.");
                      requireStillFree(transaction, subject);
                      booking.status = BookingStatus::Confirmed;
                      booking.approval = Approval{std::string(userId), _tools.now(), {}};
                      booking.decideBefore.reset();
                      ++booking.iCalSequence;
                  });
}

BookingContext BookingService::decline(Tenant tenant, const BookingId& id, std::string_view userId, std::string_view reason,
                                       const IfMatch& ifMatch) const
{
    return change(tenant, id, "declined", ifMatch,
                  [&](Transaction& transaction, BookingContext& subject)
                  {
                      auto& booking = subject.booking;
                      if (booking.status != BookingStatus::Pending) throw bookingClosed("Only a request can be declined.");
                      booking.status = BookingStatus::Declined;
                      booking.approval = Approval{std::string(userId), _tools.now(), std::string(reason)};
                      booking.decideBefore.reset();
                      ++booking.iCalSequence;
                      freeSeats(transaction, tenant, id);
                  });
}

BookingContext BookingService::markNoShow(Tenant tenant, const BookingId& id, const NoShow& absent, const IfMatch& ifMatch) const
{
    const bool nobody = !absent.host && !absent.guest;
    return change(tenant, id, nobody ? std::string_view() : "no_show", ifMatch,
                  [&](Transaction&, BookingContext& subject)
                  {
                      auto& booking = subject.booking;
                      const auto now = _tools.now();
                      const bool marked = booking.status == BookingStatus::NoShow;
                      if (!marked && booking.status != BookingStatus::Confirmed && booking.status != BookingStatus::Completed)
                          throw bookingClosed("Only a booking that took place can be marked.");
                      if (booking.start > now) throw bookingClosed("The time of this booking has not come.");
                      if (nobody && marked && booking.end + noShowBack < now)
                          throw bookingClosed("A no-show can be withdrawn for 30 days.");
                      if (absent == booking.noShow) return;
                      booking.noShow = absent;
                      booking.noShowMarks.push_back({absent, now});
                      if (!nobody)
                          booking.status = BookingStatus::NoShow;
                      else if (marked)
                          booking.status = booking.end <= now ? BookingStatus::Completed : BookingStatus::Confirmed;
                  });
}

BookingContext BookingService::note(Tenant tenant, const BookingId& id, std::string_view text, const IfMatch& ifMatch) const
{
    return change(tenant, id, {}, ifMatch, [&](Transaction&, BookingContext& subject) { subject.booking.hostNote = text; });
}

std::size_t BookingService::expireAndComplete() const
{
    constexpr int most = 200;
    const auto now = _tools.now();
    std::vector<std::pair<std::string, BookingId>> due;
    {
        auto session = _tools.database().session();
        for (Row row :
             session.query("SELECT organization_id, id FROM booking WHERE (status = 'pending' AND decide_before <= $1) OR (status = "
                           "'confirmed' AND end_at <= $1) ORDER BY organization_id, id LIMIT $2",
                           now, most))
            due.emplace_back(row.get<std::string>(0), row.get<BookingId>(1));
    }
    for (const auto& [organization, id] : due)
    {
        const auto tenant = Tenant::fromStored(organization);
        const auto edit = [&](Transaction& transaction, BookingContext& subject)
        {
            auto& booking = subject.booking;
            if (booking.status == BookingStatus::Confirmed && booking.end <= now) booking.status = BookingStatus::Completed;
            if (booking.status != BookingStatus::Pending || !booking.decideBefore || *booking.decideBefore > now) return;
            booking.status = BookingStatus::Expired;
            ++booking.iCalSequence;
            freeSeats(transaction, tenant, booking.bookingId);
            tell(transaction, "expired", subject);
        };
        try
        {
            change(tenant, id, {}, IfMatch(""), edit);
        }
        catch (const DatabaseError&)
        {
            throw;
        }
        catch (const std::exception& error)
        {
            // Time passes for all the others.
            _tools.context.logger().error("Time cannot pass for a booking", {{"booking", id.text()}, {"error", error.what()}});
        }
    }
    return due.size();
}

std::string BookingService::manageToken(const Booking& booking) const { return openManageToken(_tools, booking); }

} // namespace portico::calendar
