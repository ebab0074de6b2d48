#pragma once

#include "hosttime/LiveHolds.h"
#include "portico/TimeZones.h"

#include "portico/Crypto.h"
#include "portico/Plugin.h"

namespace portico::calendar
{

/// What everything that takes or frees a host's time works with. Lives as long as the plugin; thread-safe.
struct BookingTools
{
    PluginContext& context;
    const TimeZones& zones;
    LiveHolds holds;
    Sealer sealer;

    Instant now() const { return context.clock().now(); }
    Database& database() const { return context.database(); }
};

} // namespace portico::calendar
