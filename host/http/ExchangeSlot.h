#pragma once

#include "host/base/PlaceCounts.h"
#include "host/base/Random.h"
#include "host/http/Application.h"
#include "host/http/BodyReceiver.h"
#include "host/http/InputBuffer.h"
#include "host/http/RequestHead.h"
#include "host/http/ResponsePlan.h"
#include "host/http/ResponseSender.h"
#include "host/http/TrustedProxies.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::http
{

/// Makes request ids, lower-case ULIDs, without a system call. They name requests in answers and logs and guard nothing, so that a
/// fast generator is enough. One a loop.
class RequestIds
{
public:
    /// @param millis Milliseconds since 1970.
    void make(std::uint64_t millis, std::string& out) noexcept;

private:
    std::mt19937_64 _random{randomNumber()};
};

/// Facts about the client that are known before the first request.
struct Peer
{
    /// Address without port, or `unix`.
    std::string address;
    /// A proxy whose client data is trusted.
    bool trusted = false;
    bool secure = false;
    /// Service of the listener. The listener outlives its connections.
    std::string_view service;
    /// Among the connections of its address, if they are counted.
    PlaceCounts<IpAddress>::Place place;
};

/// The future of the connection after the response.
enum class After : std::uint8_t
{
    KeepAlive,
    Drain, ///< Keep alive once the rest of the body is read and dropped.
    Close,
    Linger ///< Close, but the client may still send.
};

/// All that one request needs while it is under way. Connections borrow it from their loop, so that an idle one is small.
struct ExchangeSlot
{
    Exchange exchange;
    RequestHead head;
    Admission admission;
    /// Memory for the views of head and request after the input buffer has moved on.
    Block headBlock;
    BodyReceiver receiver;
    /// The body, as far as it was not taken from the input buffer in place.
    SpooledBody upload;
    ResponsePlan plan;
    ResponseSender sender;
    std::string host;
    std::string origin;
    std::string client;
    std::string requestId;
    /// Value of Date, as of the request.
    std::string date;
    /// Time of the loop at which the request must be done.
    std::uint64_t deadline = 0;
    /// Part of `LoopContext::bodyMemory` that the body uses.
    std::uint64_t bodyMemory = 0;
    After after = After::Close;
    /// The application knows of the exchange and is owed `finished`.
    bool engaged = false;

    /// Fills what the application sees of the request's head.
    /// @return A fault in what a trusted proxy says.
    std::optional<Fault> identify(const Peer& peer, const TrustedProxies& proxies, RequestIds& ids, std::uint64_t millis);
    /// Ready for the next request, keeping memory of modest size. The application's state stays: it may want to reuse it.
    void clear();
};

using SlotPool = LoopPool<std::unique_ptr<ExchangeSlot>>;

} // namespace portico::host::http
