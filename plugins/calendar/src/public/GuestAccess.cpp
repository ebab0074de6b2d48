#include "public/GuestAccess.h"

#include "portico/CrossOrigin.h"
#include "portico/Crypto.h"

#include <algorithm>

namespace portico::calendar
{

BookingCase requireGuest(Session& session, const BookingService& bookings, const BookingId& id, std::string_view token)
{
    const auto organization =
        session.value<std::string>("SELECT organization_id FROM booking WHERE id = $1 AND manage_token_hash = $2", id, sha256(token).hex());
    if (!organization) throw Problem::notFound("There is no such booking, or the link is not whole.");
    return bookings.find(session, Tenant::fromStored(*organization), id);
}

Door requireDoor(const BookingTools& tools, const EmbedOrigins& embedders, const Request& request)
{
    const auto named = request.header("Origin");
    if (named.empty()) return {Source::Api, {}};
    const auto origin = normalOrigin(named);
    const auto& host = tools.context.host();
    // Our page says in its address that another page shows it.
    if (origin == request.origin || origin == host.origin)
        return {request.header("Referer").find("embed=") == std::string_view::npos ? Source::Page : Source::Embed, {}};
    const auto allowed = embedders.allowed();
    if (std::ranges::find(allowed, origin) != allowed.end()) return {Source::Embed, origin};
    throw Problem::forbidden("origin_not_allowed", "Pages of this origin may not book here.");
}

} // namespace portico::calendar
