#pragma once

#include "records/Host.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

// The first segments of public pages: one host each over all organizations. One that was given up leads on for 180 days.

/// Whose page a handle is.
struct HandleOwner
{
    std::string organizationId;
    HostId hostId;
};

/// Empty when it leads nowhere.
std::optional<HandleOwner> ownerOf(Session& session, std::string_view handle, Instant now);

/// Takes the handle for a host, and keeps those that it had. @throws Problem 409 `handle_taken`
void takeHandle(Transaction& transaction, Tenant tenant, const HostId& host, std::string_view handle, Instant now);

/// Those that still lead to the host, the newest first.
std::vector<PreviousHandle> previousHandles(Session& session, Tenant tenant, const HostId& host, Instant now);

/// Up to three handles near one that is taken, which are free now.
std::vector<std::string> freeHandlesNear(Session& session, std::string_view handle, Instant now);

} // namespace portico::calendar
