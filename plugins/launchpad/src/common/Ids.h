#pragma once

#include "portico/Id.h"
#include "portico/Tenant.h"

#include <string_view>

namespace portico::launchpad
{

/// ID of the launchpad. The catalog excludes it.
inline constexpr std::string_view ownServiceId = "launchpad";

using ActionId = Id<"act">;
using AssignmentId = Id<"asg">;
using LaunchId = Id<"lch">;
using InstallRequestId = Id<"req">;
using NotificationId = Id<"ntf">;
using CheckoutId = Id<"chk">;
using SubscriptionId = Id<"sub">;
using SeatId = Id<"seat">;
using HouseholdId = Id<"hh">;

} // namespace portico::launchpad
