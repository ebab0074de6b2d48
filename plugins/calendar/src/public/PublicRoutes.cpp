#include "public/PublicRoutes.h"

#include "bookings/PublicOffer.h"
#include "invitations/BookingInvitation.h"
#include "public/GuestAccess.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

namespace portico::calendar
{

namespace
{
/// Hashes the free times, not the time of the query. Dates follow from the times and the zone.
std::string etagOf(const Availability& answer)
{
    std::string facts = answer.handle + ' ' + answer.eventType + ' ' + answer.timeZone;
    const auto add = [&](std::int64_t number) { facts.append(reinterpret_cast<const char*>(&number), sizeof number); };
    const auto addTime = [&](Instant time) { add(toMillis(time)); };
    addTime(answer.from);
    addTime(answer.to);
    addTime(answer.nextAvailable.value_or(Instant()));
    add(answer.durationMinutes);
    add(answer.busyStale ? 1 : 0);
    for (const auto& slot : answer.slots)
    {
        addTime(slot.start);
        add(slot.seatsLeft.value_or(0));
    }
    return '"' + sha256(facts).hex().substr(0, 32) + '"';
}
} // namespace

void PublicRoutes::declare(Routes& routes)
{
    constexpr std::string_view host = "/api/public/{handle}", type = "/api/public/{handle}/{eventType}";
    const auto below = [&](std::string_view tail) { return std::string(type) + std::string(tail); };
    const auto everywhere = CrossOrigin::anyone();
    routes.get(host, access::open(), &PublicRoutes::host, this, {.summary = "Read a host's public page", .crossOrigin = everywhere})
        .get(type, access::open(), &PublicRoutes::eventType, this,
             {.summary = "Read a public event type", .crossOrigin = everywhere, .problems = {"410 event_type_disabled"}})
        .get(below("/availability"), access::open(), &PublicRoutes::availability, this,
             {.summary = "List free times", .crossOrigin = everywhere, .problems = {"410 event_type_disabled"}})
        .get(below("/explain"), access::open(), &PublicRoutes::explainSlot, this,
             {.summary = "Explain why a time is not free", .crossOrigin = everywhere, .problems = {"410 event_type_disabled"}})
        .post(below("/hold"), access::open(), &PublicRoutes::hold, this,
              {.summary = "Hold a time for a few minutes",
               .problems = {"403 origin_not_allowed", "409 slot_held", "409 slot_unavailable", "410 event_type_disabled",
                            "429 rate_limited"}})
        .del("/api/public/holds/{holdId}", access::open(), &PublicRoutes::release, this,
             {.summary = "Release a held time", .problems = {"403 hold_token_invalid", "403 origin_not_allowed"}})
        .post(below("/confirm"), access::open(), &PublicRoutes::confirm, this,
              {.summary = "Book a held time",
               .problems = {"403 hold_token_invalid", "403 origin_not_allowed", "409 slot_unavailable", "410 hold_expired",
                            "410 event_type_disabled", "503 calendar_unavailable"},
               .statuses = {201, 200}})
        .get("/api/public/bookings/{bookingId}", access::open(), &PublicRoutes::booking, this,
             {.summary = "Read a booking by its guest's link", .crossOrigin = everywhere})
        .get("/api/public/bookings/{bookingId}/calendar.ics", access::open(), &PublicRoutes::calendarFile, this,
             {.summary = "Read a booking as an iCalendar file by its guest's link",
              .crossOrigin = everywhere,
              .produces = {"text/calendar"}})
        .post(
            "/api/public/bookings/{bookingId}/cancel", access::open(), &PublicRoutes::cancel, this,
            {.summary = "Cancel a booking by its guest's link", .problems = {"403 origin_not_allowed", "409 booking_closed", "409 policy"}})
        .post("/api/public/bookings/{bookingId}/reschedule", access::open(), &PublicRoutes::reschedule, this,
              {.summary = "Move a booking to a held time by its guest's link",
               .problems = {"403 hold_token_invalid", "403 origin_not_allowed", "409 booking_closed", "409 policy", "409 slot_unavailable",
                            "410 hold_expired"}});
}

HostPage PublicRoutes::host(const Path<std::string>& handle) const
{
    auto session = _tools.database().session();
    const auto found = publicHost(session, *handle, _tools.now());
    const auto& host = found.host;
    HostPage page{host.handle, host.displayName, host.headline, host.bio, host.avatarUrl, host.timeZone, {}};
    for (auto& type : eventTypeTable.select(Tenant::fromStored(found.organizationId))
                          .where(&EventType::hostId, host.hostId)
                          .where(&EventType::visibility, Visibility::Public)
                          .orderBy(&EventType::createdAt)
                          .all(session))
        page.eventTypes.push_back({type.slug, type.title, type.durationMinutes, type.durationOptions, type.description});
    return page;
}

PublicEventType PublicRoutes::eventType(const Path<std::string>& handle, const Path<std::string>& slug) const
{
    auto session = _tools.database().session();
    const auto offer = publicOffer(session, _tools, *handle, *slug);
    const auto& type = offer.type;
    std::optional<PublicHumanCheck> check;
    if (offer.host.humanVerification)
    {
        const auto asked = askHuman(_tools, offer.host.hostId);
        check = {std::to_string(asked.first) + " + " + std::to_string(asked.second), asked.token};
    }
    return {offer.host.handle,
            offer.host.displayName,
            type.slug,
            type.title,
            type.description,
            type.durationMinutes,
            type.durationOptions,
            type.seatsPerSlot,
            type.meetingKind,
            type.requiresApproval,
            type.questions,
            type.allowAdditionalGuests,
            type.cancelPolicy,
            type.reschedulePolicy,
            offer.host.timeZone,
            check};
}

Offer PublicRoutes::offerFor(std::string_view handle, std::string_view slug, std::optional<int> duration) const
{
    auto session = _tools.database().session();
    auto offer = publicOffer(session, _tools, handle, slug);
    if (duration) setDuration(offer, offeredDuration(offer.type, duration, "duration"));
    return offer;
}

Reply<Availability> PublicRoutes::availability(const Path<std::string>& handle, const Path<std::string>& slug,
                                               const Query<AvailabilityQuery>& query) const
{
    const auto offer = offerFor(*handle, *slug, query->duration);
    Reply<Availability> reply{_availability.list(offer, *query)};
    reply.etag = etagOf(reply.record);
    return reply;
}

Explanation PublicRoutes::explainSlot(const Path<std::string>& handle, const Path<std::string>& slug,
                                      const Query<ExplainQuery>& query) const
{
    const auto offer = offerFor(*handle, *slug, query->duration);
    return _availability.why(offer, query->start);
}

Created<HoldAnswer> PublicRoutes::hold(const Request& request, const Path<std::string>& handle, const Path<std::string>& slug,
                                       const Body<HoldRequest>& body) const
{
    const auto channel = requireChannel(_tools, _embedders, request);
    _tools.zones.require(body->timeZone, "timeZone");
    HoldAsker asker{request.clientAddress, channel.source};
    const auto offer = [&]
    {
        auto session = _tools.database().session();
        if (body->moves) asker.moving = requireGuest(session, _bookings, body->moves->bookingId, body->moves->token).booking.bookingId;
        return publicOffer(session, _tools, *handle, *slug, body->durationMinutes);
    }();
    return {_holds.take(offer, *body, asker)};
}

NoContent PublicRoutes::release(const Request& request, const Path<HoldId>& hold, const Header<"X-Hold-Token", std::string>& token) const
{
    requireChannel(_tools, _embedders, request);
    _holds.release(*hold, *token);
    return {};
}

Confirmation PublicRoutes::confirmed(const std::string& handle, const std::string& slug, const ConfirmRequest& request,
                                     const BookingChannel& channel) const
{
    std::optional<Offer> offer;
    std::vector<ExternalCalendar> calendars;
    {
        const auto now = _tools.now();
        auto session = _tools.database().session();
        Flight flight(session);
        PublicOfferReads reads(flight, handle, slug, now);
        auto booking = publicBookingOfHold(flight, handle, request.holdId, now);
        auto elsewhere = publicCalendars(flight, handle, ExternalSync::maxRefreshed, now);
        const auto tenant = Tenant::fromStored(reads.host().organizationId);
        // Repeats the answer of an earlier confirmation, even if the event type is no longer offered.
        if (auto before = _bookings.confirmedBefore(session, tenant, *booking, request.holdToken)) return *std::move(before);
        offer = reads.offer(_tools);
        calendars = std::move(*elsewhere);
    }
    return _bookings.confirm(*offer, request, channel, std::move(calendars));
}

Created<ConfirmAnswer> PublicRoutes::confirm(const Request& request, const Path<std::string>& handle, const Path<std::string>& slug,
                                             const Body<ConfirmRequest>& body) const
{
    const auto channel = requireChannel(_tools, _embedders, request);
    auto made = confirmed(*handle, *slug, *body, channel);
    _meetings.tryNow(made.context);
    return {confirmAnswer(made.context, _tools.now(), made.manageToken, _tools.context.host().origin), {}, made.existed};
}

GuestBooking PublicRoutes::booking(const Path<BookingId>& id, const Query<GuestLink>& link) const
{
    auto session = _tools.database().session();
    return guestView(requireGuest(session, _bookings, *id, link->token), _tools.now());
}

Response PublicRoutes::calendarFile(const Path<BookingId>& id, const Query<GuestLink>& link) const
{
    const auto subject = [&]
    {
        auto session = _tools.database().session();
        return guestsCase(requireGuest(session, _bookings, *id, link->token));
    }();
    const auto& language = subject.booking.guest.locale;
    const auto invitation =
        invitationOf(_tools, subject, hostAddress(_tools, subject), manageUrl(*id, link->token, _tools.context.host().origin),
                     _words(language.empty() ? subject.host.locale : language));
    Response answer;
    answer.contentType =
        std::string("text/calendar; charset=utf-8; method=") + (invitation.method == icalendar::Method::Cancel ? "CANCEL" : "REQUEST");
    answer.body = icalendar::write(invitation);
    answer.addHeader("Content-Disposition", attachmentDisposition("booking.ics"));
    return answer;
}

GuestBooking PublicRoutes::cancel(const Request& request, const Path<BookingId>& id, const Body<GuestCancel>& body,
                                  const IfMatch& ifMatch) const
{
    requireChannel(_tools, _embedders, request);
    const auto organization = [&]
    {
        auto session = _tools.database().session();
        return requireGuest(session, _bookings, *id, body->token).organizationId;
    }();
    return guestView(_bookings.cancel(Tenant::fromStored(organization), *id, Party::Guest, body->reason, ifMatch), _tools.now());
}

GuestBooking PublicRoutes::reschedule(const Request& request, const Path<BookingId>& id, const Body<GuestMove>& body,
                                      const IfMatch& ifMatch) const
{
    requireChannel(_tools, _embedders, request);
    const auto organization = [&]
    {
        auto session = _tools.database().session();
        return requireGuest(session, _bookings, *id, body->token).organizationId;
    }();
    return guestView(
        _bookings.moveToHold(Tenant::fromStored(organization), *id, {body->holdId, body->holdToken}, {Party::Guest, body->reason}, ifMatch),
        _tools.now());
}

} // namespace portico::calendar
