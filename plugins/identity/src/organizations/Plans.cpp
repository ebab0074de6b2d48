#include "organizations/Plans.h"

#include "portico/Problem.h"
#include "portico/interfaces/Seats.h"

namespace portico::identity::plans
{

namespace
{
std::int64_t occupiedBy(Session& session, const OrganizationId& organization, Instant now)
{
    return session
        .value<std::int64_t>("SELECT (SELECT COUNT(*) FROM memberships WHERE organization_id = $1 AND status IN ('active', 'suspended')) + "
                             "(SELECT COUNT(*) FROM invitations WHERE organization_id = $1 AND status = 'pending' AND expires_at > $2)",
                             organization, now)
        .value_or(0);
}
} // namespace

bool hasSeat(PluginContext& context, Session& session, const OrganizationId& organization, std::int64_t replaced)
{
    const auto seats = context.services().find<interfaces::Seats>();
    return !seats || seats->hasRoom(organization, occupiedBy(session, organization, context.clock().now()) - replaced);
}

void requireSeat(PluginContext& context, Session& session, const OrganizationId& organization, std::int64_t replaced)
{
    if (!hasSeat(context, session, organization, replaced))
        throw Problem::conflict("seat_limit_reached", "All seats of the plan are taken. Buy more seats, or remove a member.");
}

void requireNoSubscription(PluginContext& context, std::string_view ownerId)
{
    const auto seats = context.services().find<interfaces::Seats>();
    if (seats && seats->hasLiveSubscription(ownerId))
        throw Problem::conflict("active_subscription", "Cancel the subscription first. It can be deleted when the subscription has ended.");
}

} // namespace portico::identity::plans
