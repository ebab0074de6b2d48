#pragma once

#include "host/http/EventLoop.h"
#include "host/http/Transport.h"

#include "portico/detail/LiveBody.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace portico::host::http
{

class Connection;

/// Calls `Connection::onWake` on the connection's loop, once for all calls of `wake` until then. Does nothing after `silence`.
class StreamWaker final : public portico::detail::Waker, public WorkItem, public std::enable_shared_from_this<StreamWaker>
{
public:
    StreamWaker(EventLoop& loop, Connection& connection) noexcept : _loop(loop), _connection(&connection) {}

    void wake() noexcept override;
    void work() noexcept override {}
    void worked() noexcept override;
    /// On the loop, before the connection is destroyed.
    void silence() noexcept;

private:
    EventLoop& _loop;
    std::mutex _mutex;
    Connection* _connection;
    /// Itself, while it is in the loop's queue.
    std::shared_ptr<StreamWaker> _queued;
};

/// What a connection needs once a live body has taken the place of a response. All times are those of the loop.
struct LiveStream
{
    std::unique_ptr<portico::detail::LiveBody> body;
    std::shared_ptr<StreamWaker> waker;
    /// What is on its way to the kernel, in chunks of HTTP/1.1, and how much of it is there.
    std::string out;
    std::size_t outSent = 0;
    bool chunked = true;
    /// The kernel takes nothing more.
    bool blocked = false;
    bool ended = false;
    std::uint64_t endsAt = 0;
    std::uint64_t checkAt = 0;
    /// What the connection had sent at the last beat.
    std::uint64_t sentAtBeat = 0;

    ~LiveStream()
    {
        if (waker) waker->silence();
    }
};

/// One client's connection: reads requests, has them served one after another, and sends the responses in order. Lives on one loop; while a
/// worker has it (`State::Working`), the loop touches nothing but the flags of `ready`.
class Connection final : public EventSource, public WorkItem, public Timer
{
public:
    /// Whether there is room for one more connection; where there is none it is answered 503 and closed.
    enum class Room : std::uint8_t
    {
        Enough,
        None,
        NoneForAddress ///< Its address has as many as it may: this one is not waited for in any way.
    };

    Connection(EventLoop& loop, Transport transport, Peer peer, Room room) noexcept;
    ~Connection() override;

    /// The server ends: close when idle, else after the request.
    void stop() noexcept;
    /// The server ends now.
    void abort() noexcept;

    void ready(std::uint32_t events) noexcept override;
    void expired() noexcept override;
    void work() noexcept override;
    void worked() noexcept override;
    /// The live body has something to send, or has ended.
    void onWake() noexcept;

    /// Index in the loop's list.
    std::size_t place = 0;

private:
    enum class State : std::uint8_t
    {
        New,
        Handshake,
        Head,
        Body,
        Working, ///< A worker has it, or the loop's queue.
        Sending,
        Live,      ///< Sends what comes, for as long as it comes.
        Draining,  ///< Reads and drops what is left of a body that nobody wanted.
        Lingering, ///< Has said its last word; waits for the peer to notice, so that no reset overtakes the answer.
        Closed
    };

    enum class Work : std::uint8_t
    {
        Prepare,
        PrepareAndHandle,
        Handle,
        Spool,
        Produce,
        Discard,
        Await, ///< Nothing: the application gets what the admission waits for.
        Check, ///< Whether the reader of a live body may go on.
        Turn   ///< Nothing: the connection has had its share of this turn of the loop.
    };

    enum class Received : std::uint8_t
    {
        Some,
        Nothing,
        Ended
    };

    // Each step returns true if the next one can follow at once, false if the connection waits for an event.
    void advance() noexcept;
    void open() noexcept;
    bool step();
    bool handshake();
    bool readHead();
    bool checkIncompleteHead();
    bool readBody();
    bool writeResponse();
    bool drain();
    bool linger();

    // A request's way, in this order.
    bool beginExchange();
    std::optional<Fault> parseHead();
    bool admit();
    bool awaitApplication();
    bool admitted();
    bool receiveBody();
    bool takeBodyAtHand();
    bool bodyArrived();
    void showBody(std::string_view body) noexcept;
    bool handleRequest();
    bool answer();
    bool keepAliveOrClose();
    bool lingeringClose();
    bool goLive();
    bool sendLive();
    bool fillLive();
    bool endOfLive();
    void liveTimePassed() noexcept;
    void setLiveTimeout() noexcept;
    void compose();
    bool refuse(const Fault& fault);
    void endAfterAnswer() noexcept;
    bool refuseForGood(const Fault& fault);
    bool answerForGood();

    // On the loop or a worker.
    void handle() noexcept;
    void plan() noexcept;
    void answerFromWorker() noexcept;
    void spill() noexcept;
    void handBack() noexcept;
    bool afterWork();
    bool afterAnswer();
    bool giveToWorker(Work work, bool letIn = true);
    bool yieldTurn();
    WorkerPool& pool() noexcept;

    Received receive();
    std::uint64_t bodyLimit() const noexcept;
    bool wantsSpool(bool hasRoom) const noexcept;
    void decideUnreadBody() noexcept;
    void takeSlot();
    void startHead() noexcept;
    bool startLingering() noexcept;
    void setLingerTimeout() noexcept;
    bool chargeBody() noexcept;
    void dropBody() noexcept;
    void releaseBodyMemory() noexcept;
    void returnSlot() noexcept;
    void setTimeout(std::chrono::milliseconds timeout) noexcept;
    void setBodyTimeout() noexcept;
    void countSent(std::uint64_t bytes) noexcept;
    void startSendTimeout() noexcept;
    void setSendTimeout() noexcept;
    void creditTaken() noexcept;
    bool meetsMinimumRate() noexcept;
    bool producePiece();
    void continueSendTimeout() noexcept;
    void finish(bool delivered) noexcept;
    bool lose() noexcept;
    bool close() noexcept;

    EventLoop& _loop;
    Transport _transport;
    Peer _peer;
    InputBuffer _input;
    HeadScanner _scanner;
    std::unique_ptr<ExchangeSlot> _slot;
    std::unique_ptr<LiveStream> _live;
    std::uint64_t _requests = 0;
    std::uint64_t _totalDeadline = 0;
    std::uint64_t _bodyStarted = 0;
    /// The end of the client's time to take the response, what is left of that while a worker has the connection, and what the client had
    /// taken when time was last added.
    std::uint64_t _sendUntil = 0;
    std::uint64_t _sendLeft = 0;
    std::uint64_t _taken = 0;
    /// Of all responses.
    std::uint64_t _sent = 0;
    std::uint64_t _lingered = 0;
    std::uint64_t _lingerUntil = 0;
    /// What the request's body has been counted with in `LoopContext::bodyMemory`.
    std::uint64_t _bodyMemory = 0;
    State _state = State::New;
    Work _work = Work::Turn;
    Room _room;
    /// Has a place in `LoopContext::lingering`.
    bool _lingers = false;
    /// Bytes may wait in the socket or in TLS.
    bool _readable = false;
    bool _peerEnded = false;
    /// Something of the kind, or in the input buffer, when a worker got the connection.
    bool _unread = false;
    bool _headStarted = false;
    bool _keepAlive = true;
    bool _drainAfter = false;
    bool _lingerAfter = false;
    /// The peer has sent something, or gone, while a worker had the connection.
    bool _wanted = false;
    /// Set by `Work::Prepare` and `Work::Spool` on the worker.
    bool _workSucceeded = false;
    /// A worker has begun to send the answer, and got this far.
    bool _answering = false;
    ResponseSender::Result _sendResult = ResponseSender::Result::Done;
    bool _prepared = false;
    /// The connection broke while a worker had it.
    bool _lost = false;
};

} // namespace portico::host::http
