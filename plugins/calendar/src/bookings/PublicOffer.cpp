#include "bookings/PublicOffer.h"

#include "portico/Problem.h"

namespace portico::calendar
{

namespace
{
/// $1 is the handle and $2 now.
constexpr std::string_view handleOfHost = "host_handle o JOIN host h ON h.organization_id = o.organization_id AND h.id = o.host_id";
constexpr std::string_view handleLeads = "o.handle = $1 AND (o.kept_until IS NULL OR o.kept_until > $2)";
Problem noSuchHost() { return Problem::notFound("There is no host at this address."); }

constexpr std::string_view typeOfHost = " JOIN event_type t ON t.organization_id = h.organization_id AND t.host_id = h.id";

InFlight<std::optional<PublicHost>> publicHostIn(Flight& flight, std::string_view handle, Instant now)
{
    static const auto sql = "SELECT o.organization_id, o.kept_until, " + columns<Host>("h.") + " FROM " + std::string(handleOfHost) +
                            " WHERE " + std::string(handleLeads);
    return flight.read(
        [](Rows& rows) -> std::optional<PublicHost>
        {
            const auto row = rows.next();
            if (!row) return std::nullopt;
            PublicHost found{row->get<std::string>(0), row->as<Host>(), !row->isNull(1)};
            found.host.organizationId = found.organizationId;
            return found;
        },
        sql, handle, now);
}

InFlight<std::optional<EventType>> typeIn(Flight& flight, std::string_view handle, std::string_view slug, Instant now)
{
    static const auto sql = "SELECT " + columns<EventType>("t.") + " FROM " + std::string(handleOfHost) + std::string(typeOfHost) +
                            " WHERE " + std::string(handleLeads) + " AND t.slug = $3";
    return flight.one<EventType>(sql, handle, now, slug);
}

InFlight<std::optional<Schedule>> scheduleIn(Flight& flight, std::string_view handle, std::string_view slug, Instant now)
{
    static const auto sql = "SELECT " + columns<Schedule>("s.") + " FROM " + std::string(handleOfHost) + std::string(typeOfHost) +
                            " JOIN schedule s ON s.organization_id = h.organization_id AND s.host_id = h.id AND s.id = "
                            "coalesce(t.schedule_id, h.default_schedule_id) WHERE " +
                            std::string(handleLeads) + " AND t.slug = $3";
    return flight.one<Schedule>(sql, handle, now, slug);
}
} // namespace

InFlight<std::optional<Booking>> publicBookingOfHold(Flight& flight, std::string_view handle, const HoldId& hold, Instant now)
{
    static const auto sql = "SELECT " + columns<Booking>("b.") + " FROM " + std::string(handleOfHost) +
                            " JOIN booking b ON b.organization_id = h.organization_id AND b.host_id = h.id WHERE " +
                            std::string(handleLeads) + " AND b.hold_id = $3";
    return flight.one<Booking>(sql, handle, now, hold);
}

InFlight<std::vector<ExternalCalendar>> publicCalendars(Flight& flight, std::string_view handle, std::int64_t most, Instant now)
{
    static const auto sql = "SELECT " + columns<ExternalCalendar>("c.") + " FROM " + std::string(handleOfHost) +
                            " JOIN external_calendar c ON c.organization_id = h.organization_id AND c.host_id = h.id WHERE " +
                            std::string(handleLeads) + " ORDER BY c.id LIMIT $3";
    return flight.all<ExternalCalendar>(sql, handle, now, most);
}

PublicHost publicHost(Session& session, std::string_view handle, Instant now)
{
    Flight flight(session);
    auto found = publicHostIn(flight, handle, now);
    if (!*found) throw noSuchHost();
    return *std::move(*found);
}

Offer publicOffer(Session& session, const BookingTools& tools, std::string_view handle, std::string_view slug, std::optional<int> duration)
{
    Flight flight(session);
    return PublicOfferReads(flight, handle, slug, tools.now()).offer(tools, duration);
}

PublicOfferReads::PublicOfferReads(Flight& flight, std::string_view handle, std::string_view slug, Instant now)
    : _host(publicHostIn(flight, handle, now)), _type(typeIn(flight, handle, slug, now)), _schedule(scheduleIn(flight, handle, slug, now))
{
}

const PublicHost& PublicOfferReads::host()
{
    if (!*_host) throw noSuchHost();
    return **_host;
}

Offer PublicOfferReads::offer(const BookingTools& tools, std::optional<int> duration)
{
    const auto tenant = Tenant::fromStored(host().organizationId);
    if (!*_type) throw Problem::notFound("The host offers nothing of this name.");
    if ((*_type)->visibility == Visibility::Disabled) throw Problem::gone("event_type_disabled", "This event type is no longer bookable.");
    if (!*_schedule) throw Problem::notFound();
    return makeOffer(tools.zones, tenant, std::move((*_host)->host), *std::move(*_type), **_schedule, duration);
}

} // namespace portico::calendar
