#pragma once

#include "hosttime/LiveHolds.h"
#include "portico/TimeZones.h"
#include "records/Host.h"

#include "portico/Crypto.h"
#include "portico/Plugin.h"

namespace portico::calendar
{

/// Collaborators of the code that takes or frees a host's time. Lives as long as the plugin; thread-safe.
struct BookingTools
{
    PluginContext& context;
    const TimeZones& zones;
    LiveHolds holds;
    Sealer sealer;

    Instant now() const { return context.clock().now(); }
    Database& database() const { return context.database(); }
    /// Returns the e-mail address of the host's account; empty if the account is not in the organization any more.
    std::string emailOf(Tenant tenant, const Host& host) const;
};

} // namespace portico::calendar
