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

// Handles are the first path segments of public pages, unique over all organizations. A former handle redirects to its host for 180 days.

/// Host that a handle belongs to.
struct HandleOwner
{
    std::string organizationId;
    HostId hostId;
};

/// Returns none for an unknown or expired handle.
std::optional<HandleOwner> ownerOf(Session& session, std::string_view handle, Instant now);

/// Assigns the handle to a host, and keeps its former handles as redirects. @throws Problem 409 `handle_taken`
void takeHandle(Transaction& transaction, Tenant tenant, const HostId& host, std::string_view handle, Instant now);

/// Returns the former handles that still redirect to the host, newest first.
std::vector<PreviousHandle> previousHandles(Session& session, Tenant tenant, const HostId& host, Instant now);

/// Suggests up to three free handles similar to a taken one.
std::vector<std::string> freeHandlesNear(Session& session, std::string_view handle, Instant now);

} // namespace portico::calendar
