#include "bookings/PublicOffer.h"

#include "portico/Problem.h"

namespace portico::calendar
{

PublicHost publicHost(Session& session, std::string_view handle, Instant now)
{
    const auto owner = ownerOf(session, handle, now);
    if (!owner) throw Problem::notFound("Nobody can be booked here.");
    auto host = hostTable.require(session, Tenant::fromStored(owner->organizationId), owner->hostId);
    host.organizationId = owner->organizationId;
    return {owner->organizationId, std::move(host), owner->previous};
}

Offer publicOffer(Session& session, const BookingTools& tools, std::string_view handle, std::string_view slug, std::optional<int> duration)
{
    auto found = publicHost(session, handle, tools.now());
    auto type = eventTypeTable.select(Tenant::fromStored(found.organizationId))
                    .where(&EventType::hostId, found.host.hostId)
                    .where(&EventType::slug, std::string(slug))
                    .first(session);
    if (!type) throw Problem::notFound("The host offers nothing of this name.");
    if (type->visibility == Visibility::Disabled) throw Problem::gone("event_type_disabled", "This cannot be booked any more.");
    return makeOffer(session, tools.zones, Tenant::fromStored(found.organizationId), std::move(found.host), *std::move(type), duration);
}

} // namespace portico::calendar
