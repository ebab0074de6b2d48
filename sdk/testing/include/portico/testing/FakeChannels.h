#pragma once

#include "portico/EventStream.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portico::testing
{

/// Channels as the host has them, which remember what was published and who was ended. Streams that a test opens by calling a route are in
/// `Response::live`; `sentTo` says what their reader has got.
class PORTICO_API FakeChannels final : public Channels
{
public:
    struct Published
    {
        std::string id;
        Channel channel;
        std::string type;
        std::string data;
    };

    FakeChannels();
    ~FakeChannels() override;

    std::string publish(const Channel& channel, std::string_view type, std::string_view data) override;
    std::string position() const override;
    std::size_t end(const StreamsOf& whose) override;
    std::unique_ptr<detail::LiveBody> open(const EventStream& stream, const Request& request) override;

    /// The oldest first.
    std::vector<Published> published() const;
    /// Selections that `end` was called with.
    std::vector<StreamsOf> ended() const;
    /// Streams that are open.
    std::size_t streams() const;
    /// The text of a stream since it was last asked for, as it goes over the wire.
    static std::string sentTo(detail::LiveBody& stream);

private:
    friend class TestContext;
    /// Publishes what was committed since its last call, or only takes note of it. Called before a stream of `Changes` is read.
    using Relay = std::function<void(bool publish)>;
    void relayBy(Relay relay);

    struct State;
    const std::unique_ptr<State> _state;
};

} // namespace portico::testing
