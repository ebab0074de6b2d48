#pragma once

#include "portico/Caller.h"
#include "portico/EventStream.h"

#include <string_view>

namespace portico
{

/// Event stream that notifies open pages of changes: `GET /api/changes` of a service. Events published for an organization
/// (`Events::publish`) reach its streams after commit, in outbox order, at least once. A stream event has the event's type and, from the
/// first level of its data, only members that contain ids (`contactId`, `mergedIds`).
/// \code
/// Changes _changes{_context.channels()};
/// …
/// routes.get("/api/changes", access::bearer("notes:read"), &Changes::follow, &_changes, {.summary = "Stream changes"});
/// \endcode
/// A reader opens the stream first and loads its data second. An event of type `reset` asks the reader to reload everything, as in every
/// EventStream. Where several hosts serve one organization, a stream may miss commits of another host. Thread-safe.
class Changes
{
public:
    /// The channel of a tenant's changes. The host publishes to it.
    static constexpr std::string_view channel = "portico.changes";

    /// @param channels of the plugin's context; must outlive this object
    explicit Changes(Channels& channels) : _channels(channels) {}
    EventStream follow(const Caller& caller) const { return {_channels, {Channel(caller.tenant(), channel)}}; }

private:
    Channels& _channels;
};

} // namespace portico
