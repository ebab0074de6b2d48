#include "host/http/Connection.h"

#include <algorithm>
#include <utility>

namespace portico::host::http
{

namespace
{

/// More than this is given back once it is sent: most streams are silent for most of the time.
constexpr std::size_t keptCapacity = 64;

} // namespace

void StreamWaker::wake() noexcept
{
    const std::lock_guard lock(_mutex);
    if (_connection == nullptr || _queued) return;
    _queued = shared_from_this();
    _loop.post(*this);
}

void StreamWaker::worked() noexcept
{
    std::shared_ptr<StreamWaker> self;
    Connection* connection = nullptr;
    {
        const std::lock_guard lock(_mutex);
        self.swap(_queued);
        connection = _connection;
    }
    // Only this thread takes connections away.
    if (connection != nullptr) connection->onWake();
}

void StreamWaker::silence() noexcept
{
    const std::lock_guard lock(_mutex);
    _connection = nullptr;
}

/// The head is sent. The exchange is over for everybody else; what stays is the body and what it needs.
bool Connection::goLive()
{
    auto& exchange = _slot->exchange;
    _live = std::make_unique<LiveStream>();
    _live->body = std::move(exchange.response.live);
    _live->chunked = !_slot->head.http10;
    if (_drainAfter) _keepAlive = false;
    _lingerAfter = _lingerAfter || _drainAfter;
    _live->endsAt = TimerWheel::never;
    if (const auto until = _live->body->until())
    {
        const auto wall = toMillis(*until), wallNow = static_cast<std::int64_t>(_loop.wallMillis());
        _live->endsAt = _loop.now() + static_cast<std::uint64_t>(std::max<std::int64_t>(0, wall - wallNow));
    }
    _live->checkAt = _loop.after(_loop.settings().streamCheck);
    _totalDeadline = _live->endsAt;
    returnSlot();
    if (_input.empty()) _input.release(_loop.blocks());
    _state = State::Live;
    _loop.count().streams.add();
    _live->waker = std::make_shared<StreamWaker>(_loop, *this);
    _live->body->attach(_live->waker);
    if (_loop.stopping()) _live->body->end();
    return true;
}

void Connection::onWake() noexcept
{
    // A worker has it, or the kernel has enough: both come back by themselves.
    if (_state == State::Live && !_live->blocked) advance();
}

bool Connection::sendLive()
{
    auto& live = *_live;
    if (_peerEnded) return lose();
    while (live.outSent < live.out.size() || fillLive())
    {
        const auto result = _transport.send(std::string_view(live.out).substr(live.outSent), {}, false);
        live.outSent += result.bytes;
        _sent += result.bytes;
        _loop.count().bytesSent.add(result.bytes);
        if (result.status == Transport::Status::Moved) continue;
        if (result.status != Transport::Status::Blocked)
            lose();
        else if (!std::exchange(live.blocked, true))
            startSendTimeout();
        return false;
    }
    if (_state != State::Live) return false;
    if (live.ended) return endOfLive();
    setLiveTimeout();
    return false;
}

/// Fetches what there is. False: nothing, or the connection is lost.
bool Connection::fillLive()
{
    auto& live = *_live;
    live.out.clear();
    live.outSent = 0;
    if (live.ended) return false;
    const auto start = live.chunked ? beginChunk(live.out) : 0;
    const auto state = live.body->take(live.out);
    if (state == portico::detail::LiveBody::State::Overrun)
    {
        _loop.count().streamsOverrun.add();
        return lose();
    }
    live.ended = state == portico::detail::LiveBody::State::Ended;
    if (live.chunked) endChunk(live.out, start);
    if (live.chunked && live.ended) live.out += lastChunk;
    if (live.out.empty() && live.out.capacity() > keptCapacity) live.out = {};
    return !live.out.empty();
}

bool Connection::endOfLive()
{
    _live.reset();
    _loop.count().streams.subtract();
    if (_loop.stopping()) _keepAlive = false;
    if (!_keepAlive) return lingeringClose();
    startHead();
    return true;
}

void Connection::setLiveTimeout() noexcept
{
    const auto beat = _loop.after(_loop.settings().streamBeat);
    _loop.timers().set(*this, std::min({beat, _live->endsAt, _live->checkAt}));
}

void Connection::liveTimePassed() noexcept
{
    auto& live = *_live;
    const auto now = _loop.now();
    if (live.blocked)
    {
        if (!meetsMinimumRate()) lose();
        return;
    }
    if (now >= live.endsAt)
        live.body->end();
    else if (now >= live.checkAt)
    {
        live.checkAt = _loop.after(_loop.settings().streamCheck);
        giveToWorker(Work::Check);
        return;
    }
    else
    {
        // A peer that is gone without a word acknowledges nothing.
        if (_transport.acknowledged(_sent) < live.sentAtBeat)
        {
            lose();
            return;
        }
        live.sentAtBeat = _sent;
        live.out.clear();
        live.outSent = 0;
        const auto start = live.chunked ? beginChunk(live.out) : 0;
        live.body->beat(live.out);
        if (live.chunked) endChunk(live.out, start);
    }
    advance();
}

} // namespace portico::host::http
