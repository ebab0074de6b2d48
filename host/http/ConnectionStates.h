#pragma once

#include "host/http/EventLoop.h"

#include "portico/detail/LiveBody.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <variant>

namespace portico::host::http
{

// The states of a `Connection`: each has the data that is valid in it alone. All times are those of the loop.

/// The TLS handshake.
struct Opening
{
};

/// Waits for a request and reads its head.
struct ReadingHead
{
    HeadScanner scanner;
};

/// Ends the request unless it has ended, and returns its slot to the loop.
struct SlotReturn
{
    EventLoop* loop = nullptr;
    void operator()(ExchangeSlot* slot) const noexcept;
};

/// Common part of the states with a request.
struct Exchanging
{
    std::unique_ptr<ExchangeSlot, SlotReturn> slot;
};

/// Prepares the request and reads its body.
struct ReadingBody : Exchanging
{
    /// Time at which the client was asked for the body.
    std::uint64_t started = 0;
};

/// Handles the request and sends the response.
struct Answering : Exchanging
{
};

/// Reads and drops the rest of a body after the response.
struct Draining : Exchanging
{
};

/// Calls `Connection::onWake` on the connection's loop, once for all calls of `wake` until then. Does nothing after `silence`.
class StreamWaker final : public portico::detail::Waker, public WorkItem, public std::enable_shared_from_this<StreamWaker>
{
public:
    StreamWaker(EventLoop& loop, Connection& connection) noexcept : _loop(loop), _connection(&connection) {}

    void wake() noexcept override;
    void work() noexcept override {}
    void worked() noexcept override;
    /// Must run on the loop before the connection is destroyed.
    void silence() noexcept;

private:
    EventLoop& _loop;
    std::mutex _mutex;
    Connection* _connection;
    /// Itself, while it is in the loop's queue.
    std::shared_ptr<StreamWaker> _queued;
};

/// Sends a live body. Allocated on the heap because it is large.
struct Live
{
    Live(LoopCounters& loopCounters, std::unique_ptr<portico::detail::LiveBody> liveBody, std::shared_ptr<StreamWaker> streamWaker);
    Live(const Live&) = delete;
    Live& operator=(const Live&) = delete;
    ~Live();

    /// Replaces `out`, which was sent, by what the body has now.
    portico::detail::LiveBody::State fill();
    /// Replaces `out`, which was sent, by the body's keep-alive message.
    void beat();

    LoopCounters& counters;
    std::unique_ptr<portico::detail::LiveBody> body;
    std::shared_ptr<StreamWaker> waker;
    /// Bytes to send, with the chunk framing of HTTP/1.1. The kernel has accepted the first `outSent`.
    std::string out;
    std::size_t outSent = 0;
    std::uint64_t endsAt = TimerWheel::never;
    std::uint64_t checkAt = 0;
    /// Bytes that the connection had sent at the last beat.
    std::uint64_t sentAtBeat = 0;
    After after = After::Close;
    bool chunked = true;
    /// The kernel's buffer is full.
    bool blocked = false;
    bool ended = false;
};

/// Has sent its last response. Reads and drops what the peer still sends: closing a socket with unread bytes resets the connection, and
/// the reset may overtake the response.
struct Lingering
{
    struct Leave
    {
        void operator()(std::atomic<std::size_t>* count) const noexcept { count->fetch_sub(1, std::memory_order_relaxed); }
    };

    /// A place in `LoopContext::lingering`.
    std::unique_ptr<std::atomic<std::size_t>, Leave> place;
    std::uint64_t until = 0;
    std::uint64_t received = 0;
};

struct Closed
{
};

using ConnectionState = std::variant<Opening, ReadingHead, ReadingBody, Answering, Draining, std::unique_ptr<Live>, Lingering, Closed>;

} // namespace portico::host::http
