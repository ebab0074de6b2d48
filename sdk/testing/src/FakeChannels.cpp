#include "portico/testing/FakeChannels.h"

#include "host/platform/channels/EventHub.h"

#include <mutex>

namespace portico::testing
{

struct FakeChannels::State
{
    const std::shared_ptr<host::platform::EventHub> hub = std::make_shared<host::platform::EventHub>();
    mutable std::mutex mutex;
    std::vector<Published> published;
    std::vector<StreamsOf> ended;
};

FakeChannels::FakeChannels() : _state(std::make_unique<State>()) {}
FakeChannels::~FakeChannels() = default;

std::string FakeChannels::publish(const Channel& channel, std::string_view type, std::string_view data)
{
    const std::lock_guard lock(_state->mutex);
    auto id = _state->hub->publish(channel, type, data);
    _state->published.push_back({id, channel, std::string(type), std::string(data)});
    return id;
}

std::string FakeChannels::position() const { return _state->hub->position(); }

std::size_t FakeChannels::end(const StreamsOf& whose)
{
    const std::lock_guard lock(_state->mutex);
    _state->ended.push_back(whose);
    return _state->hub->end(whose);
}

std::unique_ptr<detail::LiveBody> FakeChannels::open(const EventStream& stream, const Request& request)
{
    return _state->hub->open(stream, request);
}

std::vector<FakeChannels::Published> FakeChannels::published() const
{
    const std::lock_guard lock(_state->mutex);
    return _state->published;
}

std::vector<StreamsOf> FakeChannels::ended() const
{
    const std::lock_guard lock(_state->mutex);
    return _state->ended;
}

std::size_t FakeChannels::streams() const { return _state->hub->streams(); }

std::string FakeChannels::sentTo(detail::LiveBody& stream)
{
    std::string out;
    stream.take(out);
    return out;
}

} // namespace portico::testing
