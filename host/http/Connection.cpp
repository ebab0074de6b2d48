#include "host/http/Connection.h"

#include <algorithm>
#include <utility>

#include <sys/epoll.h>

namespace portico::host::http
{

namespace
{

/// A pipelining client gets this many answers, then other connections have their turn.
constexpr std::uint64_t requestsPerTurn = 32;
/// What is read of a lingering connection before other connections have their turn.
constexpr std::uint64_t lingerTurnBytes = 1024 * 1024;
/// While the server stops, how long the first request of a connection that was accepted may be on its way. Nobody sends that one again by
/// himself, as clients do on a connection that they have used before.
constexpr std::chrono::milliseconds arrivalTime{1000};

} // namespace

Connection::Connection(EventLoop& loop, Transport transport, Peer peer, Room room) noexcept
    : _loop(loop), _transport(std::move(transport)), _peer(std::move(peer)), _room(room)
{
}

Connection::~Connection() = default;

/// On the loop, once: begins to read.
void Connection::open() noexcept
try
{
    _loop.watch(_transport.descriptor(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *this);
    _state = _transport.secure() ? State::Handshake : State::Head;
    setTimeout(_loop.stopping() ? arrivalTime : _transport.secure() ? _loop.settings().headTimeout : _loop.settings().idleTimeout);
    if (_room == Room::Enough) return;
    refuseForGood(Fault::overloaded());
    advance();
}
catch (const std::exception&)
{
    close();
}

void Connection::stop() noexcept
{
    if (_live)
    {
        _live->body->end();
        // Whoever takes nothing would hold up the end.
        if (_state == State::Live && _live->blocked) lose();
        return;
    }
    if (_lingers)
    {
        _lingerUntil = std::min(_lingerUntil, _loop.now() + static_cast<std::uint64_t>(arrivalTime.count()));
        if (_state == State::Lingering) setLingerTimeout();
        return;
    }
    const bool idle = _state == State::Head && !_headStarted && _input.empty();
    if (!idle && _state != State::Handshake) return;
    if (_requests == 0) return setTimeout(arrivalTime);
    // A request may be here already.
    _readable = true;
    advance();
}

void Connection::abort() noexcept
{
    if (_state != State::Closed) lose();
}

void Connection::ready(std::uint32_t events) noexcept
{
    if ((events & EPOLLRDHUP) != 0) _peerEnded = true;
    if ((events & ~std::uint32_t{EPOLLOUT}) != 0) _readable = true;
    if (_live)
    {
        _live->blocked = false;
        if ((events & (EPOLLHUP | EPOLLERR)) != 0) _peerEnded = true;
    }
    if (_state != State::Working) return advance();
    if ((events & (EPOLLHUP | EPOLLERR)) != 0) _lost = true;
    if (!std::exchange(_wanted, true)) _loop.expectReturn();
}

void Connection::expired() noexcept
{
    switch (_state)
    {
    case State::Head:
        if (!_headStarted) break;
        [[fallthrough]];
    case State::Body:
        refuseForGood(Fault::timeout());
        return advance();
    case State::Sending:
        if (meetsMinimumRate()) return;
        [[fallthrough]];
    case State::Working:
        lose();
        return;
    case State::Live:
        return liveTimePassed();
    default:
        break;
    }
    close();
}

void Connection::advance() noexcept
{
    while (step()) {}
}

bool Connection::step()
{
    switch (_state)
    {
    case State::Handshake:
        return handshake();
    case State::Head:
        return readHead();
    case State::Body:
        return readBody();
    case State::Sending:
        return writeResponse();
    case State::Live:
        return sendLive();
    case State::Draining:
        return drain();
    case State::Lingering:
        return linger();
    default:
        return false;
    }
}

bool Connection::handshake()
{
    const auto result = _transport.handshake();
    if (result.status == Transport::Status::Blocked) return false;
    if (result.status != Transport::Status::Moved) return close();
    // The first request may have come with the last record of the handshake.
    _readable = true;
    startHead();
    return true;
}

void Connection::startHead() noexcept
{
    _state = State::Head;
    _headStarted = false;
    _scanner.reset();
    setTimeout(_loop.stopping() ? arrivalTime : _loop.settings().idleTimeout);
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

bool Connection::readHead()
{
    while (true)
    {
        if (!_input.empty())
        {
            switch (_scanner.scan(_input.data()))
            {
            case HeadScanner::Result::Complete:
                return beginExchange();
            case HeadScanner::Result::Malformed:
                return refuseForGood(Fault::malformed("A line of the head does not end in CR LF, or a request cannot begin like this."));
            case HeadScanner::Result::Incomplete:
                if (checkIncompleteHead()) return true;
            }
        }
        const auto received = receive();
        if (received == Received::Some) continue;
        if (received == Received::Ended || (_loop.stopping() && _requests > 0 && _input.empty()))
            close();
        else if (_input.empty())
            _input.release(_loop.blocks());
        return false;
    }
}

bool Connection::checkIncompleteHead()
{
    const auto size = _input.data().size();
    const auto& settings = _loop.settings();
    // The longest method and version are known: what is longer than this has a target that is too long.
    if (!_scanner.hasRequestLine() && size > settings.targetBytes + 32) return refuseForGood(Fault::targetTooLong());
    if (size >= settings.headBytes) return refuseForGood(Fault::headTooLarge("The request's head is too large."));
    if (!std::exchange(_headStarted, true)) setTimeout(settings.headTimeout);
    return false;
}

bool Connection::writeResponse()
{
    std::uint64_t sent = 0;
    const auto result = _slot->sender.flush(_transport, sent);
    countSent(sent);
    switch (result)
    {
    case ResponseSender::Result::Done:
        finish(true);
        return keepAliveOrClose();
    case ResponseSender::Result::NeedsPiece:
        return producePiece();
    case ResponseSender::Result::Paused:
        return yieldTurn();
    case ResponseSender::Result::Blocked:
        setSendTimeout();
        return false;
    default:
        return lose();
    }
}

bool Connection::lingeringClose()
{
    // Closing a socket that holds unread bytes resets it, and the reset may overtake the answer.
    _transport.endSending();
    const bool linger = _lingerAfter || _readable || !_input.empty();
    if (linger && _room != Room::NoneForAddress) return startLingering();
    return close();
}

bool Connection::keepAliveOrClose()
{
    if (_slot->exchange.response.live) return goLive();
    if (!_keepAlive) return lingeringClose();
    if (_drainAfter)
    {
        _slot->upload.clear();
        _state = State::Draining;
        setBodyTimeout();
        return true;
    }
    returnSlot();
    startHead();
    if (_requests % requestsPerTurn == 0 && !_input.empty()) return yieldTurn();
    return true;
}

bool Connection::yieldTurn()
{
    _work = Work::Turn;
    _state = State::Working;
    setTimeout(_loop.settings().writeTimeout);
    _loop.post(*this);
    return false;
}

bool Connection::drain()
{
    while (true)
    {
        const auto result = _slot->receiver.take(_input, _slot->upload.pending);
        _slot->upload.pending.clear();
        if (result == BodyReceiver::Result::Complete)
        {
            returnSlot();
            startHead();
            return true;
        }
        if (result != BodyReceiver::Result::More || _slot->receiver.received() > _loop.settings().drainBytes)
        {
            _transport.endSending();
            return startLingering();
        }
        const auto received = receive();
        if (received == Received::Some) continue;
        if (received == Received::Ended) close();
        return false;
    }
}

/// The next step is `linger`, unless too many do so already.
bool Connection::startLingering() noexcept
{
    auto& context = _loop.context();
    if (context.lingering.fetch_add(1, std::memory_order_relaxed) >= context.settings.maxLingering)
    {
        context.lingering.fetch_sub(1, std::memory_order_relaxed);
        return close();
    }
    _lingers = true;
    if (_slot) returnSlot();
    _input.release(_loop.blocks());
    _state = State::Lingering;
    const auto time = _loop.stopping() ? arrivalTime : context.settings.lingerTime;
    _lingerUntil = _loop.now() + static_cast<std::uint64_t>(time.count());
    return true;
}

bool Connection::linger()
{
    const auto turnEnd = _lingered + lingerTurnBytes;
    while (true)
    {
        const auto result = _transport.discard();
        _lingered += result.bytes;
        _loop.count().bytesReceived.add(result.bytes);
        if (result.status == Transport::Status::Blocked)
        {
            setLingerTimeout();
            return false;
        }
        if (result.status != Transport::Status::Moved || _lingered >= _loop.settings().lingerBytes || _loop.now() >= _lingerUntil)
            return close();
        if (_lingered >= turnEnd) return yieldTurn();
    }
}

void Connection::setLingerTimeout() noexcept
{
    const auto pause = static_cast<std::uint64_t>(_loop.settings().lingerPause.count());
    _loop.timers().set(*this, std::min(_lingerUntil, _loop.now() + pause));
}

void Connection::setTimeout(std::chrono::milliseconds timeout) noexcept
{
    const auto deadline = _loop.after(timeout);
    _loop.timers().set(*this, _slot ? std::min(deadline, _totalDeadline) : deadline);
}

void Connection::setBodyTimeout() noexcept
{
    const auto& settings = _loop.settings();
    setTimeout(settings.bodyTimeout);
    if (settings.bodyMinimumRate == 0 || settings.bodyTimeout.count() <= 0) return;
    const auto earned = _slot->receiver.received() * 1000 / settings.bodyMinimumRate;
    const auto deadline = _bodyStarted + static_cast<std::uint64_t>(settings.bodyTimeout.count()) + earned;
    if (deadline < _loop.after(settings.bodyTimeout)) _loop.timers().set(*this, std::min(deadline, _totalDeadline));
}

void Connection::countSent(std::uint64_t bytes) noexcept
{
    _sent += bytes;
    _slot->exchange.sentBytes += bytes;
    _loop.count().bytesSent.add(bytes);
}

void Connection::finish(bool delivered) noexcept
{
    if (!std::exchange(_slot->engaged, false)) return;
    Exchange& exchange = _slot->exchange;
    exchange.delivered = delivered;
    exchange.response.source.reset();
    exchange.response.file.reset();
    _loop.count().requestsInFlight.subtract();
    if (!delivered) _loop.count().requestsAborted.add();
    _loop.context().application.finished(exchange);
}

void Connection::returnSlot() noexcept
{
    releaseBodyMemory();
    _slot->clear();
    _loop.slots().give(std::move(_slot));
}

/// @return False: nothing follows, as of `close`.
bool Connection::lose() noexcept
{
    if (_state == State::Working)
    {
        // The worker brings it back; until then the peer at least is free.
        _lost = true;
        _transport.shutdown();
        _loop.timers().clear(*this);
        return false;
    }
    _transport.shutdown();
    // What a source holds may take time to give back: that is a worker's time.
    if (_slot && _slot->exchange.response.source) return giveToWorker(Work::Discard);
    return close();
}

bool Connection::close() noexcept
{
    if (_state == State::Closed) return false;
    if (_slot) finish(false);
    if (_slot) returnSlot();
    if (std::exchange(_live, nullptr)) _loop.count().streams.subtract();
    if (_lingers) _loop.context().lingering.fetch_sub(1, std::memory_order_relaxed);
    _input.release(_loop.blocks());
    _loop.timers().clear(*this);
    _state = State::Closed;
    // epoll(7): a descriptor that a forked child shares stays in the set when this process closes it.
    _loop.forget(_transport.descriptor());
    _loop.retire(*this);
    return false;
}

} // namespace portico::host::http
