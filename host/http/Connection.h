#pragma once

#include "host/http/ConnectionStates.h"
#include "host/http/SendPace.h"
#include "host/http/Transport.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace portico::host::http
{

/// One client's connection: reads requests, has them served one after another, and sends the responses in order. Lives on one loop. While
/// `_task` is set, a worker or the loop's queue has the connection, and events change nothing but `_missed`.
class Connection final : public EventSource, public WorkItem, public Timer
{
public:
    /// Says if there is room for one more connection. Without room the server answers 503 and closes it.
    enum class Room : std::uint8_t
    {
        Enough,
        None,
        NoneForAddress ///< Its address has the maximum of connections: this one never lingers.
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
    /// Called when the live body has something to send or has ended.
    void onWake() noexcept;

    /// Index in the loop's list.
    std::size_t place = 0;

private:
    /// Work of a worker, if any, and the step that follows on the loop.
    struct Task
    {
        void (*run)(Connection& self) noexcept;
        bool (*follow)(Connection& self);
    };

    enum class Received : std::uint8_t
    {
        Some,
        Nothing,
        Ended
    };

    // Functions that return bool are steps. A step changes the state at its end only, because that invalidates references to the former
    // state. True: the next step can follow at once. False: the connection waits for an event, has a task, or is closed.

    void note(std::uint32_t events) noexcept;
    void advance() noexcept;
    bool step();
    bool open();
    bool handshake();
    bool lose() noexcept;
    bool close() noexcept;

    bool awaitRequest() noexcept;
    bool readHead(ReadingHead& head);
    std::optional<Fault> checkSize(const HeadScanner& scanner) const noexcept;
    bool parseHead(std::size_t length);
    bool dispatch(ExchangeSlot& slot);
    bool beginRequest();
    bool prepare() noexcept { return _loop.context().application.prepare(request().exchange); }

    bool receiveBody();
    bool takeBodyAtHand(ExchangeSlot& slot);
    bool readBody(ReadingBody& body);
    bool bodyArrived(ExchangeSlot& slot);
    bool chargeBody(ExchangeSlot& slot) noexcept;
    void spill() noexcept;
    bool spilled();
    bool drain(Draining& rest);

    bool handleRequest(ExchangeSlot& slot);
    void handle() noexcept;
    void sendFromWorker(ExchangeSlot& slot) noexcept;
    void plan(ExchangeSlot& slot) noexcept;
    ExchangeSlot& beginAnswer();
    bool refuse(const Fault& fault, After after = After::Linger);
    bool answer();
    void compose(ExchangeSlot& slot);
    bool answering();
    bool writeResponse(Answering& answer);
    bool keepAliveOrClose(Answering& answer);

    bool goLive(ExchangeSlot& slot);
    bool sendLive(Live& live);
    bool liveExpired(Live& live);

    bool lingeringClose(bool unread);
    bool linger(Lingering& lingering);
    void setLingerTimeout(const Lingering& lingering) noexcept;

    /// Lane for the steps of a request other than its handler: they must not wait behind handlers that take seconds.
    static Lane sideLane(const ExchangeSlot& slot) noexcept
    {
        return slot.admission.lane == Lane::Long ? Lane::Worker : slot.admission.lane;
    }
    bool giveToWorker(const Task& task, Lane lane, bool accepted = true);
    bool yieldTurn();
    bool isIdle() const noexcept;

    /// The new state's data.
    template <class State>
    State& become(State state) noexcept
    {
        return _state.emplace<State>(std::move(state));
    }
    /// Null in the states without a request.
    Exchanging* exchanging() noexcept;
    /// Requires a state with a request.
    ExchangeSlot& request() noexcept { return *exchanging()->slot; }
    Live* live() noexcept;
    decltype(Exchanging::slot) takeSlot();
    Received receive();
    std::uint64_t deadline() noexcept;
    void setTimeout(std::chrono::milliseconds timeout) noexcept;
    void setBodyTimeout(const ReadingBody& body) noexcept;
    void startSendTimeout() noexcept;
    void setSendTimeout() noexcept;
    bool meetsMinimumRate() noexcept;
    void countSent(ExchangeSlot& slot, std::uint64_t bytes) noexcept;

    EventLoop& _loop;
    Transport _transport;
    Peer _peer;
    InputBuffer _input;
    ConnectionState _state;
    SendPace _pace;
    std::uint64_t _requests = 0;
    /// Bytes of all responses.
    std::uint64_t _sent = 0;
    /// Task of the worker or the loop's queue that has the connection; null while the loop has it.
    const Task* _task;
    /// Events that came while the connection was away; 0: none.
    std::uint32_t _missed = 0;
    Room _room;
    /// Bytes may wait in the socket or in TLS.
    bool _readable = false;
    bool _peerEnded = false;
};

/// Calls `Application::finished` once for a request. The calling thread must be the only one that uses the connection.
void finishExchange(EventLoop& loop, ExchangeSlot& slot, bool delivered) noexcept;
/// Subtracts the memory of a request's body from `LoopContext::bodyMemory`.
void releaseBodyMemory(LoopContext& context, ExchangeSlot& slot) noexcept;

} // namespace portico::host::http
