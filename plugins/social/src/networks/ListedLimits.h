#pragma once

#include "common/Platform.h"
#include "networks/Limits.h"

namespace portico::social
{

/// Limits of the networks whose connectors need an application that a network has approved, and of the planned ones (2.A.11).
/// @throws std::out_of_range for a platform with a connector of its own
NetworkLimits listedLimits(Platform platform);

} // namespace portico::social
