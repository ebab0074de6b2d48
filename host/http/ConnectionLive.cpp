#include "host/http/Connection.h"

#include <algorithm>
#include <utility>

namespace portico::host::http
{

namespace
{

/// A larger buffer is freed once it is sent: most streams are silent for most of the time.
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
    // Only this thread destroys connections.
    if (connection != nullptr) connection->onWake();
}

void StreamWaker::silence() noexcept
{
    const std::lock_guard lock(_mutex);
    _connection = nullptr;
}

Live::Live(LoopCounters& loopCounters, std::unique_ptr<portico::detail::LiveBody> liveBody, std::shared_ptr<StreamWaker> streamWaker)
    : counters(loopCounters), body(std::move(liveBody)), waker(std::move(streamWaker))
{
    counters.streams.add();
}

Live::~Live()
{
    waker->silence();
    body.reset();
    counters.streams.subtract();
}

portico::detail::LiveBody::State Live::fill()
{
    out.clear();
    outSent = 0;
    if (ended) return portico::detail::LiveBody::State::Ended;
    const auto start = chunked ? beginChunk(out) : 0;
    const auto state = body->take(out);
    ended = state == portico::detail::LiveBody::State::Ended;
    if (chunked) endChunk(out, start);
    if (chunked && ended) out += lastChunk;
    if (out.empty() && out.capacity() > keptCapacity) out = {};
    return state;
}

void Live::beat()
{
    out.clear();
    outSent = 0;
    const auto start = chunked ? beginChunk(out) : 0;
    body->beat(out);
    if (chunked) endChunk(out, start);
}

/// Ends the request after its head was sent, and keeps its live body.
bool Connection::goLive(ExchangeSlot& slot)
{
    auto live = std::make_unique<Live>(_loop.count(), std::move(slot.exchange.response.live), std::make_shared<StreamWaker>(_loop, *this));
    live->chunked = !slot.head.http10;
    live->after = slot.after == After::Drain ? After::Linger : slot.after;
    if (const auto until = live->body->until())
    {
        const auto wall = toMillis(*until), wallNow = static_cast<std::int64_t>(_loop.wallMillis());
        live->endsAt = _loop.now() + static_cast<std::uint64_t>(std::max<std::int64_t>(0, wall - wallNow));
    }
    live->checkAt = _loop.after(_loop.settings().streamCheck);
    auto& stream = *become(std::move(live));
    if (_input.empty()) _input.release(_loop.blocks());
    stream.body->attach(stream.waker);
    if (_loop.stopping()) stream.body->end();
    return true;
}

void Connection::onWake() noexcept
{
    // Otherwise `sendLive` reads the body once the connection is back on the loop, or its socket is writable.
    const auto* const stream = live();
    if (stream != nullptr && _task == nullptr && !stream->blocked) advance();
}

bool Connection::sendLive(Live& live)
{
    if (_peerEnded) return lose();
    while (true)
    {
        if (live.outSent == live.out.size() && live.fill() == portico::detail::LiveBody::State::Overrun)
        {
            _loop.count().streamsOverrun.add();
            return lose();
        }
        if (live.out.empty()) break;
        const auto result = _transport.send(std::string_view(live.out).substr(live.outSent), {}, false);
        live.outSent += result.bytes;
        _sent += result.bytes;
        _loop.count().bytesSent.add(result.bytes);
        if (result.status == Transport::Status::Moved) continue;
        if (result.status != Transport::Status::Blocked) return lose();
        if (!std::exchange(live.blocked, true)) startSendTimeout();
        return false;
    }
    if (live.ended)
    {
        const auto after = live.after;
        return after == After::KeepAlive && !_loop.stopping() ? awaitRequest() : lingeringClose(after == After::Linger);
    }
    const auto beat = _loop.after(_loop.settings().streamBeat);
    _loop.timers().set(*this, std::min({beat, live.endsAt, live.checkAt}));
    return false;
}

bool Connection::liveExpired(Live& live)
{
    const auto now = _loop.now();
    if (live.blocked) return !meetsMinimumRate() && lose();
    if (now >= live.endsAt)
        live.body->end();
    else if (now >= live.checkAt)
    {
        static constexpr Task checking{[](Connection& self) noexcept
                                       {
                                           auto& body = *self.live()->body;
                                           if (!body.mayGoOn()) body.end();
                                       },
                                       [](Connection&) { return true; }};
        live.checkAt = _loop.after(_loop.settings().streamCheck);
        return giveToWorker(checking, Lane::Worker);
    }
    else
    {
        // A peer that has vanished acknowledges nothing.
        if (_transport.acknowledged(_sent) < live.sentAtBeat) return lose();
        live.sentAtBeat = _sent;
        live.beat();
    }
    return true;
}

} // namespace portico::host::http
