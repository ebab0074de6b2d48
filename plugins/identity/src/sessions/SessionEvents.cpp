#include "sessions/SessionEvents.h"

namespace portico::identity
{

namespace
{
Channel ofSession(std::string_view id) { return Channel::shared("session:" + std::string(id)); }
Channel ofPrincipal(std::string_view id) { return Channel::shared("principal:" + std::string(id)); }
} // namespace

void SessionEvents::ended(const std::vector<std::string>& sessionIds) const
{
    for (const auto& id : sessionIds)
    {
        _channels.publish(ofSession(id), "session", R"({"state":"ended"})");
        _channels.end({.sessionId = id});
        _channels.end({.label = id});
    }
}

void SessionEvents::revised(std::string_view userId, std::int64_t revision) const
{
    _channels.publish(ofPrincipal(userId), "principal", R"({"revision":)" + std::to_string(revision) + '}');
}

EventStream SessionEvents::open(std::string_view sessionId, std::string_view userId) const
{
    EventStream stream(_channels, {ofSession(sessionId), ofPrincipal(userId)});
    stream.label = sessionId;
    return stream;
}

} // namespace portico::identity
