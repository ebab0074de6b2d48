#pragma once

#include "common/Ids.h"

#include "portico/EventStream.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Tells the open pages of people what happens to their sign-ins, as it happens: to be called when the change is committed. Streams of
/// other hosts end when their host looks at the credential next (`http.streamCheckSeconds`). Thread-safe.
class SessionEvents
{
public:
    explicit SessionEvents(Channels& channels) : _channels(channels) {}

    /// `session` with `{"state":"ended"}`, then the stream is over.
    void ended(const std::vector<std::string>& sessionIds) const;
    /// `principal` with `{"revision":41}`: what an app knows of the user is out of date.
    void revised(std::string_view userId, std::int64_t revision) const;
    /// What a page of this sign-in reads.
    EventStream open(std::string_view sessionId, std::string_view userId) const;

private:
    Channels& _channels;
};

} // namespace portico::identity
