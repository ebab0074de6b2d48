#include "host/http/Connection.h"

#include <algorithm>
#include <utility>

#include <sys/epoll.h>

namespace portico::host::http
{

namespace
{

/// Longest time that a stopping server waits for the first request of an accepted connection. Clients retry only requests on a
/// connection that they have used before.
constexpr std::chrono::milliseconds arrivalTime{1000};
/// Bytes that are read of a lingering connection before other connections have their turn.
constexpr std::uint64_t lingerTurnBytes = 1024 * 1024;
constexpr std::uint32_t brokenEvents = EPOLLHUP | EPOLLERR;

template <class... F>
struct Overloaded : F...
{
    using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

} // namespace

Connection::Connection(EventLoop& loop, Transport transport, Peer peer, Room room) noexcept
    : _loop(loop), _transport(std::move(transport)), _peer(std::move(peer)), _room(room)
{
    static constexpr Task opening{nullptr, [](Connection& self) { return self.open(); }};
    _task = &opening;
}

Connection::~Connection() = default;

/// On the loop, once: begins to read.
bool Connection::open()
{
    _loop.take(*this);
    try
    {
        _loop.watch(_transport.descriptor(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *this);
    }
    catch (const std::exception&)
    {
        return close();
    }
    if (_transport.secure())
        setTimeout(_loop.stopping() ? arrivalTime : _loop.settings().headTimeout);
    else
        awaitRequest();
    return _room != Room::Enough && refuse(Fault::overloaded());
}

void Connection::stop() noexcept
{
    if (auto* const stream = live())
    {
        stream->body->end();
        // A client that reads nothing would delay the stop.
        if (_task == nullptr && stream->blocked) lose();
        return;
    }
    if (auto* const lingering = std::get_if<Lingering>(&_state))
    {
        lingering->until = std::min(lingering->until, _loop.now() + static_cast<std::uint64_t>(arrivalTime.count()));
        if (_task == nullptr) setLingerTimeout(*lingering);
        return;
    }
    if (_task != nullptr) return;
    const bool idle = std::holds_alternative<Opening>(_state) || (std::holds_alternative<ReadingHead>(_state) && _input.empty());
    if (!idle) return;
    if (_requests == 0) return setTimeout(arrivalTime);
    // A request may be here already.
    _readable = true;
    advance();
}

void Connection::abort() noexcept { lose(); }

void Connection::ready(std::uint32_t events) noexcept
{
    if (_task == nullptr)
    {
        note(events);
        return advance();
    }
    if (std::exchange(_missed, _missed | events) == 0) _loop.expectReturn();
}

void Connection::note(std::uint32_t events) noexcept
{
    if ((events & (EPOLLRDHUP | brokenEvents)) != 0) _peerEnded = true;
    if ((events & ~std::uint32_t{EPOLLOUT}) != 0) _readable = true;
    if (auto* const stream = live()) stream->blocked = false;
}

void Connection::worked() noexcept
{
    const auto follow = std::exchange(_task, nullptr)->follow;
    const auto events = std::exchange(_missed, 0);
    if (events != 0)
    {
        _loop.returned();
        note(events);
    }
    if ((events & brokenEvents) != 0 ? lose() : follow(*this)) advance();
}

void Connection::advance() noexcept
{
    while (step()) {}
}

bool Connection::step()
{
    return std::visit(
        Overloaded{[this](Opening&) { return handshake(); }, [this](ReadingHead& head) { return readHead(head); },
                   [this](ReadingBody& body) { return readBody(body); }, [this](Answering& answer) { return writeResponse(answer); },
                   [this](Draining& rest) { return drain(rest); }, [this](std::unique_ptr<Live>& live) { return sendLive(*live); },
                   [this](Lingering& lingering) { return linger(lingering); }, [](Closed&) { return false; }},
        _state);
}

void Connection::expired() noexcept
{
    const auto expire =
        Overloaded{[this](ReadingHead&) { return _input.empty() ? close() : refuse(Fault::timeout()); },
                   [this](ReadingBody&) { return refuse(Fault::timeout()); }, [this](Answering&) { return !meetsMinimumRate() && lose(); },
                   [this](std::unique_ptr<Live>& live) { return liveExpired(*live); }, [this](auto&) { return close(); }};
    if (_task != nullptr)
        lose();
    else if (std::visit(expire, _state))
        advance();
}

bool Connection::handshake()
{
    const auto status = _transport.handshake().status;
    if (status == Transport::Status::Blocked) return false;
    if (status != Transport::Status::Moved) return close();
    // The first request may have come with the last record of the handshake.
    _readable = true;
    return awaitRequest();
}

bool Connection::awaitRequest() noexcept
{
    become(ReadingHead{});
    _loop.timers().set(*this, _loop.after(_loop.stopping() ? arrivalTime : _loop.settings().idleTimeout));
    return true;
}

Connection::Received Connection::receive()
{
    if (!_readable) return Received::Nothing;
    const auto space = _input.space(_loop.blocks());
    const auto result = _transport.receive(space.data(), space.size());
    switch (result.status)
    {
    case Transport::Status::Moved:
        _input.filled(result.bytes);
        _loop.count().bytesReceived.add(result.bytes);
        // A short read has emptied the socket; the next byte makes an event. The end of the stream does not, if it has made one already,
        // and TLS may hold more than it has given.
        if (result.bytes < space.size() && !_peerEnded && !_transport.secure()) _readable = false;
        return Received::Some;
    case Transport::Status::Blocked:
        _readable = false;
        return Received::Nothing;
    default:
        return Received::Ended;
    }
}

/// Closes the connection once the client has read the last response.
bool Connection::lingeringClose(bool unread)
{
    _transport.endSending();
    if ((!unread && !_readable && _input.empty()) || _room == Room::NoneForAddress) return close();
    auto& context = _loop.context();
    const auto before = context.lingering.fetch_add(1, std::memory_order_relaxed);
    decltype(Lingering::place) counted(&context.lingering);
    if (before >= context.settings.maxLingering) return close();
    const auto time = _loop.stopping() ? arrivalTime : context.settings.lingerTime;
    become(Lingering{std::move(counted), _loop.now() + static_cast<std::uint64_t>(time.count())});
    _input.release(_loop.blocks());
    return true;
}

bool Connection::linger(Lingering& lingering)
{
    const auto turnEnd = lingering.received + lingerTurnBytes;
    while (true)
    {
        const auto result = _transport.discard();
        lingering.received += result.bytes;
        _loop.count().bytesReceived.add(result.bytes);
        if (result.status == Transport::Status::Blocked)
        {
            setLingerTimeout(lingering);
            return false;
        }
        if (result.status != Transport::Status::Moved || lingering.received >= _loop.settings().lingerBytes ||
            _loop.now() >= lingering.until)
            return close();
        if (lingering.received >= turnEnd) return yieldTurn();
    }
}

void Connection::setLingerTimeout(const Lingering& lingering) noexcept
{
    _loop.timers().set(*this, std::min(lingering.until, _loop.now() + static_cast<std::uint64_t>(_loop.settings().lingerPause.count())));
}

/// @param accepted the request has waited in this queue before: the queue accepts it even when it is full
bool Connection::giveToWorker(const Task& task, Lane lane, bool accepted)
{
    const auto* const request = exchanging();
    _task = &task;
    _loop.timers().set(*this, request != nullptr ? request->slot->deadline : TimerWheel::never);
    tenant = request != nullptr ? request->slot->exchange.tenant : 0;
    if (_loop.context().workers.of(lane).submit(*this, accepted)) return false;
    _task = nullptr;
    return refuse(Fault::overloaded(), request->slot->after);
}

/// Continues after other connections have had their turn.
bool Connection::yieldTurn()
{
    static constexpr Task waiting{nullptr, [](Connection&) { return true; }};
    _task = &waiting;
    setTimeout(_loop.settings().writeTimeout);
    _loop.post(*this);
    return false;
}

void Connection::work() noexcept
{
    _task->run(*this);
    if (isIdle())
        _loop.leave(*this);
    else
        _loop.post(*this);
}

/// On a worker. @return True if the loop has nothing to do until the peer sends something.
bool Connection::isIdle() const noexcept
{
    const auto* const answer = std::get_if<Answering>(&_state);
    if (answer == nullptr || answer->slot->engaged || answer->slot->exchange.response.live) return false;
    return answer->slot->after == After::KeepAlive && !_readable && _input.empty() && !_loop.stopping();
}

Exchanging* Connection::exchanging() noexcept
{
    if (auto* const answer = std::get_if<Answering>(&_state)) return answer;
    if (auto* const body = std::get_if<ReadingBody>(&_state)) return body;
    return std::get_if<Draining>(&_state);
}

Live* Connection::live() noexcept
{
    auto* const state = std::get_if<std::unique_ptr<Live>>(&_state);
    return state != nullptr ? state->get() : nullptr;
}

/// Returns the time by which the request or the stream must end.
std::uint64_t Connection::deadline() noexcept
{
    if (const auto* const request = exchanging()) return request->slot->deadline;
    const auto* const stream = live();
    return stream != nullptr ? stream->endsAt : TimerWheel::never;
}

void Connection::setTimeout(std::chrono::milliseconds timeout) noexcept
{
    _loop.timers().set(*this, std::min(_loop.after(timeout), deadline()));
}

void finishExchange(EventLoop& loop, ExchangeSlot& slot, bool delivered) noexcept
{
    if (!std::exchange(slot.engaged, false)) return;
    Exchange& exchange = slot.exchange;
    exchange.delivered = delivered;
    exchange.response.source.reset();
    exchange.response.file.reset();
    loop.count().requestsInFlight.subtract();
    if (!delivered) loop.count().requestsAborted.add();
    loop.context().application.finished(exchange);
}

void SlotReturn::operator()(ExchangeSlot* slot) const noexcept
{
    finishExchange(*loop, *slot, false);
    releaseBodyMemory(loop->context(), *slot);
    slot->clear();
    loop->slots().give(std::unique_ptr<ExchangeSlot>(slot));
}

/// Closes the connection, also while a worker has it. @return False, like `close`: no step follows.
bool Connection::lose() noexcept
{
    if (std::holds_alternative<Closed>(_state)) return false;
    _transport.shutdown();
    if (_task != nullptr)
    {
        // The connection is closed when the worker returns it. The peer need not wait for that.
        ready(EPOLLERR);
        _loop.timers().clear(*this);
        return false;
    }
    const auto* const request = exchanging();
    if (request == nullptr || !request->slot->exchange.response.source) return close();
    // A source may take long to destroy.
    static constexpr Task discarding{[](Connection& self) noexcept { self.request().exchange.response.source.reset(); },
                                     [](Connection& self) { return self.lose(); }};
    return giveToWorker(discarding, sideLane(*request->slot));
}

bool Connection::close() noexcept
{
    if (std::holds_alternative<Closed>(_state)) return false;
    become(Closed{});
    _input.release(_loop.blocks());
    _loop.timers().clear(*this);
    // epoll(7): a descriptor that a forked child shares stays in the set when this process closes it.
    _loop.forget(_transport.descriptor());
    _loop.retire(*this);
    return false;
}

} // namespace portico::host::http
