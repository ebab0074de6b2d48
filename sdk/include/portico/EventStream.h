#pragma once

#include "portico/Export.h"
#include "portico/Instant.h"
#include "portico/Tenant.h"
#include "portico/detail/LiveBody.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

class Channels;
class Request;

/// Name to which events are published and from which streams read, within one service and one tenant or none. A value.
class Channel
{
public:
    /// @param name chosen by the service, for example `contacts` or `conversation:cnv_…`
    Channel(Tenant tenant, std::string_view name) : _key(tenant.text()) { _key.append("/").append(name); }
    /// Returns a channel without a tenant.
    static Channel shared(std::string_view name) { return Channel(Tenant::fromStored(""), name); }

    const std::string& key() const noexcept { return _key; }
    bool operator==(const Channel&) const = default;

private:
    std::string _key;
};

/// A response that stays open: server-sent events (WHATWG HTML, 9.2 "Server-sent events") of some channels. It occupies no thread,
/// references no plugin memory, and stores only events that its reader has not received yet.
///
/// - It starts after the position of `Last-Event-ID` and replays later events that the channel still has. If some are lost, an event of
///   type `reset` asks the reader to reload its data.
/// - It ends when the caller's credential expires or loses the route (checked every `http.streamCheckSeconds`), on `Channels::end`, when
///   the plugin is replaced and when the host stops. A short `retry` makes an EventSource reconnect.
/// - A reader with more than `maxWaitingBytes` pending is disconnected and reconnects with its Last-Event-ID.
struct EventStream
{
    static constexpr std::size_t maxChannels = 16;
    static constexpr std::size_t maxWaitingBytes = 256 * 1024;

    EventStream(Channels& source, std::vector<Channel> read) : channels(source), topics(std::move(read)) {}

    /// From the plugin's context.
    Channels& channels;
    /// One to `maxChannels`.
    std::vector<Channel> topics;
    /// Start position of a reader without `Last-Event-ID`: the result of `Channels::position` from before the data was read. Empty: only
    /// events from now on.
    std::string after = {};
    /// Latest end of the stream, for handlers that check a credential themselves (a cookie, a signed URL).
    std::optional<Instant> until = {};
    /// Label for `Channels::end`, beside the caller's session, principal and key.
    std::string label = {};
};

/// Selects the streams to end: those that match any non-empty member.
struct StreamsOf
{
    std::string sessionId = {};
    std::string principalId = {};
    std::string apiKeyId = {};
    std::string label = {};
};

/// Passes events to the streams of this host. A channel is created on first use and outlives the generation of the plugin, so that a
/// stream that reconnects after a reload misses nothing. Channels do not survive a restart. Thread-safe.
class PORTICO_API Channels
{
public:
    static constexpr std::size_t maxEventBytes = 64 * 1024;
    /// Replay buffer of a channel: maximum events and bytes.
    static constexpr std::size_t keptEvents = 256;
    static constexpr std::size_t keptBytes = 64 * 1024;

    virtual ~Channels();
    /// Publishes an event to all streams of the channel and keeps it for replay. Does not wait for readers. Call it after the change is
    /// committed. `type` is one line, empty for `message`; `data` any text, usually JSON.
    /// @return The event's id. @throws std::invalid_argument for a type of several lines or more than `maxEventBytes`.
    virtual std::string publish(const Channel& channel, std::string_view type, std::string_view data) = 0;
    /// Current position of the service's events. Events published later come after it.
    virtual std::string position() const = 0;
    /// Ends the selected streams of this service, for example when a session or right ended.
    /// @return the number of ended streams
    virtual std::size_t end(const StreamsOf& whose) = 0;
    /// For responses with an EventStream.
    virtual std::unique_ptr<detail::LiveBody> open(const EventStream& stream, const Request& request) = 0;
};

} // namespace portico
