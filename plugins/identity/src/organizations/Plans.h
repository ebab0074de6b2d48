#pragma once

#include "common/Core.h"

#include <cstdint>
#include <string_view>

namespace portico::identity
{

/// Questions to the service that sells plans (`launchpad.seats`). Without a provider nothing is limited.
namespace plans
{
/// Checks whether an organization may have one more member, agent or invitation. The caller holds the organization's lock.
/// @param replaced members and invitations that the new one takes the place of
/// @throws Problem 409 `seat_limit_reached`
void requireSeat(PluginContext& context, Session& session, const OrganizationId& organization, std::int64_t replaced = 0);
/// The same as a value.
bool hasSeat(PluginContext& context, Session& session, const OrganizationId& organization, std::int64_t replaced = 0);
/// Checks whether an organization or a household may be deleted. @throws Problem 409 `active_subscription`
void requireNoSubscription(PluginContext& context, std::string_view ownerId);
} // namespace plans

} // namespace portico::identity
