#include "portico/testing/FakeChannels.h"

#include "host/platform/channels/EventHub.h"

#include "portico/Changes.h"

#include <algorithm>
#include <mutex>

namespace portico::testing
{

namespace
{

/// A stream of `Changes`: before each read it gets the events that were committed until then.
class RelayedBody final : public detail::LiveBody
{
public:
    RelayedBody(std::unique_ptr<detail::LiveBody> body, std::shared_ptr<std::function<void(bool)>> relay)
        : _body(std::move(body)), _relay(std::move(relay))
    {
    }
    void attach(std::shared_ptr<detail::Waker> waker) noexcept override { _body->attach(std::move(waker)); }
    State take(std::string& out) override
    {
        if (*_relay) (*_relay)(true);
        return _body->take(out);
    }
    void beat(std::string& out) override { _body->beat(out); }
    void end() noexcept override { _body->end(); }
    bool mayGoOn() noexcept override { return _body->mayGoOn(); }
    std::optional<Instant> until() const noexcept override { return _body->until(); }

private:
    const std::unique_ptr<detail::LiveBody> _body;
    const std::shared_ptr<std::function<void(bool)>> _relay;
};

bool isOfChanges(const Channel& channel) { return channel.key().ends_with('/' + std::string(Changes::channel)); }

} // namespace

struct FakeChannels::State
{
    /// Empty after the context's end, which a stream may outlive.
    const std::shared_ptr<Relay> relay = std::make_shared<Relay>();
    bool followed = false;
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
    auto body = _state->hub->open(stream, request);
    if (!*_state->relay || std::none_of(stream.topics.begin(), stream.topics.end(), isOfChanges)) return body;
    // A host publishes nothing to a channel that no stream has followed yet.
    if (!std::exchange(_state->followed, true)) (*_state->relay)(false);
    return std::make_unique<RelayedBody>(std::move(body), _state->relay);
}

void FakeChannels::relayBy(Relay relay) { *_state->relay = std::move(relay); }

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
