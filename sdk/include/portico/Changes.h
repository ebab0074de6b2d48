#pragma once

#include "portico/Caller.h"
#include "portico/EventStream.h"

#include <string_view>

namespace portico
{

/// The stream by which open pages see what others change: `GET /api/changes` of a service, with a line to declare it. What the service
/// publishes for an organization (`Events::publish`) is told to the streams of that organization once it is committed, in the order of the
/// outbox, at least once: the type as the event's type, and of its data those members of the first level that hold ids (`contactId`,
/// `mergedIds`), nothing else.
/// \code
/// Changes _changes{_context.channels()};
/// …
/// routes.get("/api/changes", access::bearer("notes:read"), &Changes::follow, &_changes, {.summary = "Follow what changes"});
/// \endcode
/// Whoever reads it opens the stream, then loads what it is about. An event of the type `reset` asks to load everything anew, as in every
/// EventStream; where several hosts serve the same organization a stream may miss what another host committed. Thread-safe.
class Changes
{
public:
    /// The channel of a tenant's changes. The host publishes to it.
    static constexpr std::string_view channel = "portico.changes";

    /// `channels`: the plugin's, which outlive this.
    explicit Changes(Channels& channels) : _channels(channels) {}
    EventStream follow(const Caller& caller) const { return {_channels, {Channel(caller.tenant(), channel)}}; }

private:
    Channels& _channels;
};

} // namespace portico
