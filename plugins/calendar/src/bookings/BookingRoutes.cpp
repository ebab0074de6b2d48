#include "bookings/BookingRoutes.h"

#include "slots/Spans.h"
#include "slots/Starts.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::calendar
{

namespace
{
constexpr int longPage = 200;

WeekRange weekOf(const BookingFilter& filter, const Host& host, const TimeZone& zone, Instant now)
{
    const auto today = zone.dateOf(now);
    const auto first = today.firstOfWeek(host.weekStart);
    const auto from = filter.from.value_or(zone.startOf(first));
    const auto after = filter.from ? zone.startOf(zone.dateOf(*filter.from).plusDays(7)) : zone.startOf(first.plusDays(7));
    return {from, filter.to.value_or(after), zone.name()};
}

/// For LIKE with `\` as the escape character.
std::string containing(std::string_view words)
{
    std::string pattern = "%";
    for (const char c : words)
    {
        if (c == '%' || c == '_' || c == '\\') pattern += '\\';
        pattern += c;
    }
    return pattern + "%";
}

/// Returns the external busy times that lie in the range.
std::vector<BusySpan> busyWithin(const Taken& taken, const TimeZone& zone, const Span& range)
{
    auto spans = taken.busy;
    for (const auto& dates : taken.busyDates) spans.push_back({zone.startOf(dates.start), zone.startOf(dates.end)});
    std::vector<BusySpan> within;
    for (const auto& span : Spans(std::move(spans)))
        if (span.start < range.end && range.start < span.end)
            within.push_back({std::max(span.start, range.start), std::min(span.end, range.end)});
    return within;
}

ExternalEvent eventOf(const Row& row)
{
    return {row.get<CalendarId>(1), row.get<std::string>(2), row.get<std::string>(3), row.get<std::string>(4)};
}

/// Reads the copies of a booking in external calendars.
void addEvents(Session& session, Tenant tenant, Booking& booking)
{
    for (Row row : session.query("SELECT booking_id, calendar_id, href, etag, status FROM external_event WHERE organization_id = $1 AND "
                                 "booking_id = $2 ORDER BY calendar_id",
                                 tenant, booking.bookingId))
        booking.externalEvents.push_back(eventOf(row));
}

/// Reads the copies of all bookings that begin in the range, with one statement for the whole page.
void addEvents(Session& session, Tenant tenant, const HostId& host, const WeekRange& range, std::vector<Booking>& bookings)
{
    for (Row row : session.query("SELECT booking_id, calendar_id, href, etag, status FROM external_event WHERE organization_id = $1 AND "
                                 "booking_id IN (SELECT id FROM booking WHERE organization_id = $1 AND host_id = $2 AND start_at >= $3 "
                                 "AND start_at < $4) ORDER BY calendar_id",
                                 tenant, host, range.from, range.to))
        if (const auto found = std::ranges::find(bookings, row.get<BookingId>(0), &Booking::bookingId); found != bookings.end())
            found->externalEvents.push_back(eventOf(row));
}

std::vector<BookingHistory> historyOf(const Booking& booking)
{
    const bool asked = booking.approval || booking.decideBefore || booking.status == BookingStatus::Expired;
    std::vector<BookingHistory> history{
        {asked ? "requested" : "confirmed", booking.createdAt, booking.source == Source::Admin ? Party::Host : Party::Guest, {}, {}}};
    if (booking.approval)
        history.push_back({booking.status == BookingStatus::Declined ? "declined" : "confirmed",
                           booking.approval->at,
                           Party::Host,
                           booking.approval->reason,
                           {}});
    for (const auto& before : booking.previousStart)
        history.push_back({"rescheduled", before.changedAt, before.by, before.reason, before.start});
    if (booking.status == BookingStatus::Expired && booking.decideBefore)
        history.push_back({"expired", *booking.decideBefore, Party::System, {}, {}});
    for (const auto& mark : booking.noShowMarks)
        history.push_back({mark.absent == NoShow() ? "no_show_taken_back" : "no_show", mark.at, Party::Host, {}, {}, mark.absent});
    if (booking.cancellation)
        history.push_back({"cancelled", booking.cancellation->at, booking.cancellation->by, booking.cancellation->reason, {}});
    return history;
}
} // namespace

void checkMove(const HostMove& move, Faults& faults, const std::string&)
{
    if (move.start.has_value() == move.holdId.has_value()) faults.add("start", "required", "Name a start, or a hold with its token.");
}

void BookingRoutes::declare(Routes& routes)
{
    constexpr std::string_view bookings = "/bookings", booking = "/bookings/{bookingId}";
    const auto step = [&](std::string_view name) { return std::string(booking) + "/" + std::string(name); };
    const auto moves = [](std::string_view summary) -> RouteOptions {
        return {.summary = summary, .problems = {"409 booking_closed", "409 slot_unavailable"}};
    };
    AdminRoutes(routes, "bookings:read", "bookings.read")
        .get(bookings, &BookingRoutes::list, this, {.summary = "List bookings of a host"})
        .get(booking, &BookingRoutes::show, this, {.summary = "Read a booking"})
        .get("/holds", &BookingRoutes::holds, this, {.summary = "List the holds of a host"});
    AdminRoutes(routes, "bookings:write", "bookings.write")
        .post(bookings, &BookingRoutes::create, this, {.summary = "Create a booking for a guest", .problems = {"409 slot_unavailable"}})
        .post(step("approve"), &BookingRoutes::approve, this, moves("Approve a booking request"))
        .post(step("decline"), &BookingRoutes::decline, this, moves("Decline a booking request"))
        .post(step("cancel"), &BookingRoutes::cancel, this, moves("Cancel a booking"))
        .post(step("reschedule"), &BookingRoutes::reschedule, this, moves("Reschedule a booking"))
        .post(step("no-show"), &BookingRoutes::markNoShow, this, moves("Set the no-shows of a booking"))
        .post(step("note"), &BookingRoutes::note, this, {.summary = "Update the note of a booking", .idempotencyKey = false});
    AdminRoutes(routes, "availability:read", "availability.read")
        .get("/availability", &BookingRoutes::availability, this, {.summary = "List free times and reasons for blocked times"});
}

Page<Booking, BookingListExtra> BookingRoutes::list(const Caller& caller, const Request& request, const Query<BookingFilter>& filter,
                                                    const Paging& paging) const
{
    auto session = _tools.database().session();
    const auto host = requireHost(session, caller, *filter);
    Page<Booking, BookingListExtra> answer;
    answer.extra.week = weekOf(*filter, host, _tools.zones.require(host.timeZone, "timeZone"), _tools.now());
    const auto& week = answer.extra.week;
    if (week.to <= week.from) throw Problem::invalid("to", "out_of_range", "The end comes after the start");
    auto bookings = bookingTable.select(caller.tenant());
    bookings.where(&Booking::hostId, host.hostId).where("start_at >= ? AND start_at < ?", week.from, week.to);
    if (!filter->status.empty()) bookings.whereIn(&Booking::status, filter->status);
    if (filter->eventTypeId) bookings.where(&Booking::eventTypeId, *filter->eventTypeId);
    if (!filter->guestEmail.empty()) bookings.where(&Booking::guestEmail, foldCase(filter->guestEmail));
    if (!filter->q.empty())
        bookings.where("(guest_name LIKE ? ESCAPE '\\' OR guest_email LIKE ? ESCAPE '\\')", containing(fold(filter->q)),
                       containing(foldCase(filter->q)));
    if (filter->wasRescheduled && *filter->wasRescheduled) bookings.where("previous_start <> '[]'");
    if (filter->wasRescheduled && !*filter->wasRescheduled) bookings.where("previous_start = '[]'");
    if (filter->sort == BookingSort::Start) bookings.orderBy(&Booking::start);
    if (filter->sort == BookingSort::StartDescending) bookings.orderBy(descending(&Booking::start));
    if (filter->sort == BookingSort::CreatedAt) bookings.orderBy(&Booking::createdAt);
    auto wide = paging;
    if (!request.queryParameter("limit")) wide.limit = longPage;
    static_cast<Page<Booking>&>(answer) = bookings.page(session, wide);
    addEvents(session, caller.tenant(), host.hostId, week, answer.items);
    return answer;
}

void BookingRoutes::requireOwn(const Caller& caller, const HostChoice& choice, const BookingId& id) const
{
    auto session = _tools.database().session();
    const auto host = requireHost(session, caller, choice);
    if (bookingTable.require(session, caller.tenant(), id).hostId != host.hostId) throw Problem::notFound();
}

BookingDetails BookingRoutes::show(const Caller& caller, const Path<BookingId>& id, const Query<BookingQuery>& query) const
{
    requireOwn(caller, *query, *id);
    auto session = _tools.database().session();
    BookingDetails details{bookingTable.require(session, caller.tenant(), *id), {}, {}};
    addEvents(session, caller.tenant(), details);
    const auto wants = [&](BookingInclude part) { return std::ranges::find(query->include, part) != query->include.end(); };
    if (wants(BookingInclude::History)) details.history = historyOf(details);
    if (wants(BookingInclude::Holds))
    {
        auto& holds = details.holds.emplace(holdTable.select(caller.tenant())
                                                .where(&HoldRecord::bookingId, std::optional(*id))
                                                .orderBy(&HoldRecord::createdAt)
                                                .all(session, 100));
        for (auto& hold : holds) hold = heldAt(std::move(hold), _tools.now());
    }
    return details;
}

Offer BookingRoutes::offerOf(const Caller& caller, const HostChoice& choice, const EventTypeId& id, std::optional<int> duration) const
{
    auto session = _tools.database().session();
    auto host = requireHost(session, caller, choice);
    auto type = eventTypeTable.find(session, caller.tenant(), host.hostId, id);
    if (!type) throw Problem::invalid("eventTypeId", "not_found", "The host has no such event type");
    return makeOffer(session, _tools.zones, caller.tenant(), std::move(host), *std::move(type), duration);
}

Created<Booking> BookingRoutes::create(const Caller& caller, const Query<HostChoice>& choice, const Body<HostBooking>& body) const
{
    const auto made = _bookings.book(offerOf(caller, *choice, body->eventTypeId, body->durationMinutes), *body);
    return {made.booking, pathFor(caller, "/bookings/" + made.booking.bookingId.text())};
}

Booking BookingRoutes::approve(const Caller& caller, const Path<BookingId>& id, const Query<HostChoice>& choice, const Body<NoMembers>&,
                               const IfMatch& ifMatch) const
{
    requireOwn(caller, *choice, *id);
    return whole(_bookings.approve(caller.tenant(), *id, caller.principalId, ifMatch));
}

Booking BookingRoutes::decline(const Caller& caller, const Path<BookingId>& id, const Query<HostChoice>& choice, const Body<Reasoned>& body,
                               const IfMatch& ifMatch) const
{
    requireOwn(caller, *choice, *id);
    return whole(_bookings.decline(caller.tenant(), *id, caller.principalId, body->reason, ifMatch));
}

Booking BookingRoutes::cancel(const Caller& caller, const Path<BookingId>& id, const Query<HostChoice>& choice, const Body<Reasoned>& body,
                              const IfMatch& ifMatch) const
{
    requireOwn(caller, *choice, *id);
    return whole(_bookings.cancel(caller.tenant(), *id, Party::Host, body->reason, ifMatch));
}

Booking BookingRoutes::reschedule(const Caller& caller, const Path<BookingId>& id, const Query<HostChoice>& choice,
                                  const Body<HostMove>& body, const IfMatch& ifMatch) const
{
    requireOwn(caller, *choice, *id);
    const MovedBy by{Party::Host, body->reason};
    if (body->holdId) return whole(_bookings.moveToHold(caller.tenant(), *id, {*body->holdId, body->holdToken}, by, ifMatch));
    return whole(_bookings.moveTo(caller.tenant(), *id, *body->start, body->durationMinutes, by, ifMatch));
}

Booking BookingRoutes::markNoShow(const Caller& caller, const Path<BookingId>& id, const Query<HostChoice>& choice,
                                  const Body<NoShow>& body, const IfMatch& ifMatch) const
{
    requireOwn(caller, *choice, *id);
    return whole(_bookings.markNoShow(caller.tenant(), *id, *body, ifMatch));
}

Booking BookingRoutes::note(const Caller& caller, const Path<BookingId>& id, const Query<HostChoice>& choice, const Body<HostNote>& body,
                            const IfMatch& ifMatch) const
{
    requireOwn(caller, *choice, *id);
    return whole(_bookings.note(caller.tenant(), *id, body->text, ifMatch));
}

Booking BookingRoutes::whole(const BookingContext& subject) const
{
    auto booking = subject.booking;
    auto session = _tools.database().session();
    addEvents(session, subject.tenant(), booking);
    return booking;
}

Page<HoldRecord> BookingRoutes::holds(const Caller& caller, const Query<HoldFilter>& filter, const Paging& paging) const
{
    auto session = _tools.database().session();
    const auto host = requireHost(session, caller, *filter);
    auto holds = holdTable.select(caller.tenant());
    holds.where(&HoldRecord::hostId, host.hostId);
    const auto now = _tools.now();
    if (!filter->status.empty())
    {
        const auto wanted = [&](HoldStatus status)
        {
            const bool isWanted = std::ranges::find(filter->status, status) != filter->status.end();
            return std::string(toString(isWanted ? status : filter->status.front()));
        };
        using enum HoldStatus;
        holds.where("(CASE WHEN status = 'reserved' AND expires_at <= ? THEN 'expired' ELSE status END) IN (?, ?, ?, ?)", now,
                    wanted(Reserved), wanted(Confirmed), wanted(Released), wanted(Expired));
    }
    if (filter->from) holds.where("created_at >= ?", *filter->from);
    if (filter->to) holds.where("created_at < ?", *filter->to);
    auto page = holds.orderBy(descending(&HoldRecord::createdAt)).page(session, paging);
    for (auto& hold : page.items) hold = heldAt(std::move(hold), now);
    return page;
}

HostAvailability BookingRoutes::availability(const Caller& caller, const Query<HostAvailabilityQuery>& query) const
{
    auto offer = offerOf(caller, *query, query->eventTypeId, std::nullopt);
    std::optional<Booking> moving;
    if (query->moves)
    {
        auto session = _tools.database().session();
        moving = bookingTable.find(session, caller.tenant(), *query->moves);
        if (!moving || moving->hostId != offer.host.hostId || moving->eventTypeId != offer.type.eventTypeId)
            throw Problem::invalid("moves", "not_found", "The event type has no such booking");
        setDuration(offer, lengthOf(*moving));
    }
    if (query->duration) setDuration(offer, offeredDuration(offer.type, query->duration, "duration"));
    AvailabilityQuery asked;
    asked.from = query->from;
    asked.to = query->to;
    HostAvailability answer{_availability.list(offer, asked, moving ? &*moving : nullptr), {}, {}};
    const auto taken = takenNow(_tools, offer, query->from, query->to, answer.generatedAt, query->moves.value_or(BookingId()));
    for (const auto start : startsOf(offer.rules, query->from, query->to))
        if (auto why = explainToGuests(offer, taken, answer.generatedAt, start); !why.available) answer.reasons.push_back(std::move(why));
    answer.busy = busyWithin(taken, offer.rules.hostZone, {query->from, query->to});
    return answer;
}

} // namespace portico::calendar
