#pragma once

#include "records/Host.h"

#include "portico/Caller.h"

#include <optional>

namespace portico::calendar
{

/// Resource type to which API keys are restricted.
inline constexpr std::string_view hostResource = "host";

/// Query of every route that acts on a host.
struct HostChoice
{
    /// Set to act on another host of the organization than the caller's own.
    std::optional<HostId> hostId;
};

constexpr auto schemaOf(const HostChoice*)
{
    return describe(field<&HostChoice::hostId>().description("Host of the organization; default: the caller's own"));
}

/// Returns the host that the caller acts for, like `requireHost`. Returns none if the caller must name a host, or has none.
std::optional<Host> findHost(Session& session, const Caller& caller, const HostChoice& choice);
/// Returns the host that the caller acts for: their own in the active organization, or the named one. An organization's key must name the
/// host unless there is only one.
/// @throws Problem 404 without a host; 403 `permission_denied` for another member's host without `host:manage`; 403 `resource_not_bound`
/// for a key that is restricted to other hosts; 400 if a key must name the host
Host requireHost(Session& session, const Caller& caller, const HostChoice& choice);

/// Does the same, and locks the host's row until the transaction ends. This serializes changes of the host and of its records.
Host requireHostForUpdate(Transaction& transaction, const Caller& caller, const HostChoice& choice);

/// The caller's own host, or none.
std::optional<Host> ownHost(Session& session, const Caller& caller);

} // namespace portico::calendar
