#include "bookings/PublicOffer.h"

#include "portico/Problem.h"

namespace portico::calendar
{

PublicHost publicHost(Session& session, std::string_view handle, Instant now)
{
    static const auto sql = "SELECT o.organization_id, o.kept_until, " + columns<Host>("h.") +
                            " FROM host_handle o JOIN host h ON h.organization_id = o.organization_id AND h.id = o.host_id "
                            "WHERE o.handle = $1 AND (o.kept_until IS NULL OR o.kept_until > $2)";
    auto rows = session.query(sql, handle, now);
    const auto row = rows.next();
    if (!row) throw Problem::notFound("Nobody can be booked here.");
    PublicHost found{row->get<std::string>(0), row->as<Host>(), !row->isNull(1)};
    found.host.organizationId = found.organizationId;
    return found;
}

Offer publicOffer(Session& session, const BookingTools& tools, std::string_view handle, std::string_view slug, std::optional<int> duration)
{
    return publicOffer(session, tools, publicHost(session, handle, tools.now()), slug, duration);
}

Offer publicOffer(Session& session, const BookingTools& tools, PublicHost found, std::string_view slug, std::optional<int> duration)
{
    auto type = eventTypeTable.select(Tenant::fromStored(found.organizationId))
                    .where(&EventType::hostId, found.host.hostId)
                    .where(&EventType::slug, std::string(slug))
                    .first(session);
    if (!type) throw Problem::notFound("The host offers nothing of this name.");
    if (type->visibility == Visibility::Disabled) throw Problem::gone("event_type_disabled", "This cannot be booked any more.");
    return makeOffer(session, tools.zones, Tenant::fromStored(found.organizationId), std::move(found.host), *std::move(type), duration);
}

} // namespace portico::calendar
