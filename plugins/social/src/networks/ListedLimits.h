#pragma once

#include "common/Platform.h"
#include "networks/Limits.h"

namespace portico::social
{

/// Returns the limits of networks without a usable connector: those that require an approved application, and planned ones (2.A.11).
/// @throws std::out_of_range for a platform with a connector
NetworkLimits listedLimits(Platform platform);

} // namespace portico::social
