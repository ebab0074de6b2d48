#pragma once

#include "common/Ids.h"

#include "portico/EventStream.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Notifies users' open pages of changes to their sign-ins. Call it after the commit. Streams of other hosts end when their host checks the
/// credential again (`http.streamCheckSeconds`). Thread-safe.
class SessionEvents
{
public:
    explicit SessionEvents(Channels& channels) : _channels(channels) {}

    /// Sends `session` with `{"state":"ended"}`, and closes the stream.
    void ended(const std::vector<std::string>& sessionIds) const;
    /// Sends `principal` with `{"revision":41}`: the app's data of the user is outdated.
    void revised(std::string_view userId, std::int64_t revision) const;
    /// Opens the stream for a page of this sign-in.
    EventStream open(std::string_view sessionId, std::string_view userId) const;

private:
    Channels& _channels;
};

} // namespace portico::identity
