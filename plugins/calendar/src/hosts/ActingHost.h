#pragma once

#include "records/Host.h"

#include "portico/Caller.h"

#include <optional>

namespace portico::calendar
{

/// The type of resource that keys are narrowed to.
inline constexpr std::string_view hostResource = "host";

/// The query of every route that acts on a host.
struct HostChoice
{
    /// Another host of the organization than the caller's own.
    std::optional<HostId> hostId;
};

/// Its member, for queries with more of them, which derive from it.
template <class T>
constexpr auto hostChoice()
{
    return describe(field("hostId", static_cast<std::optional<HostId> T::*>(&T::hostId))
                        .description("Another host of the organization; default: the caller's own"));
}

constexpr auto schemaOf(const HostChoice*) { return hostChoice<HostChoice>(); }

/// The host that somebody acts for, as `requireHost` has it; empty where there is none that they could mean without naming it.
std::optional<Host> findHost(Session& session, const Caller& caller, const HostChoice& choice);
/// The host that somebody acts for: their own in the active organization, or the one that they name. An organization's key names one,
/// unless there is only one. @throws Problem 404 without one; 403 `permission_denied` for another's without `host:manage`; 403
/// `resource_not_bound` for a key that is narrowed to others; 400 where a key has to name it
Host requireHost(Session& session, const Caller& caller, const HostChoice& choice);

/// The same, with its row locked until the transaction ends: what the host has, and what names it, is looked at by one at a time.
Host requireHostForUpdate(Transaction& transaction, const Caller& caller, const HostChoice& choice);

/// The caller's own host, or none.
std::optional<Host> ownHost(Session& session, const Caller& caller);

} // namespace portico::calendar
