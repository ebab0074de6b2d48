#pragma once

#include "portico/EventStream.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portico::testing
{

/// Channels like the host's, which record published events and ended streams. Streams that a test opens by calling a route are in
/// `Response::live`; `sentTo` returns the text that their client got.
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
    /// Returns the text of a stream since the last call, in its form on the wire.
    static std::string sentTo(detail::LiveBody& stream);

private:
    friend class TestContext;
    /// Publishes events that were committed since its last call, or only records them. Called before a stream of `Changes` is read.
    using Relay = std::function<void(bool publish)>;
    void relayBy(Relay relay);

    struct State;
    const std::unique_ptr<State> _state;
};

} // namespace portico::testing
