#include "host/http/Connection.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <exception>
#include <utility>

namespace portico::host::http
{

namespace
{

/// A pipelining client gets this many responses before other connections have their turn.
constexpr std::uint64_t requestsPerTurn = 32;

/// After the response no code reads the body, but a client may read the response slowly. A source may still use the body.
void dropBody(LoopContext& context, ExchangeSlot& slot) noexcept
{
    if (slot.bodyMemory == 0 || slot.exchange.response.source) return;
    slot.exchange.request.body = {};
    slot.exchange.request.file = nullptr;
    slot.upload.clear();
    slot.upload.pending.shrink_to_fit();
    releaseBodyMemory(context, slot);
}

/// Decides what becomes of a body that is not read yet. After `Expect` the client may send it or not: its next bytes are ambiguous.
void decideUnreadBody(ExchangeSlot& slot, std::uint64_t drainBytes) noexcept
{
    const auto& receiver = slot.receiver;
    if (receiver.complete()) return;
    const bool small = receiver.chunked() || receiver.remaining() <= drainBytes;
    slot.after = slot.after == After::KeepAlive && small && !slot.head.expectsContinue ? After::Drain : After::Linger;
}

} // namespace

bool Connection::handleRequest(ExchangeSlot& slot)
{
    beginAnswer();
    auto& lane = slot.admission.lane;
    if (lane == Lane::Loop)
    {
        if (_loop.context().application.handleOnLoop(slot.exchange))
        {
            plan(slot);
            return answer();
        }
        lane = Lane::Worker;
    }
    static constexpr Task handling{[](Connection& self) noexcept { self.handle(); }, [](Connection& self) { return self.answering(); }};
    // A request that was prepared has waited in the same queue already; only long work has another queue.
    return giveToWorker(handling, lane, slot.admission.prepareFirst && lane != Lane::Long);
}

void Connection::handle() noexcept
{
    ExchangeSlot& slot = request();
    _loop.context().application.handle(slot.exchange);
    plan(slot);
    sendFromWorker(slot);
}

/// Sends on the worker: the client gets the response sooner, and the loop usually has nothing left to do.
void Connection::sendFromWorker(ExchangeSlot& slot) noexcept
{
    compose(slot);
    std::uint64_t sent = 0;
    const auto result = slot.sender.flush(_transport, sent);
    countSent(slot, sent);
    if (result == ResponseSender::Result::Done) finishExchange(_loop, slot, true);
}

/// Follows on the loop when a worker has sent as much of the response as the socket accepted.
bool Connection::answering()
{
    startSendTimeout();
    return true;
}

/// Runs on the loop or a worker.
void Connection::plan(ExchangeSlot& slot) noexcept
{
    Application& application = _loop.context().application;
    try
    {
        slot.plan.make(slot.exchange, _loop.settings(), application, _task == nullptr);
    }
    catch (const std::exception&)
    {
        slot.exchange.response.clear();
        const auto fault = Fault::internal();
        application.refuse(slot.exchange, fault.status, fault.code, fault.detail);
        slot.plan.makePlain(slot.exchange);
    }
}

/// Changes to `Answering`. In a state without a request it creates one with the peer only.
ExchangeSlot& Connection::beginAnswer()
{
    if (auto* const answer = std::get_if<Answering>(&_state)) return *answer->slot;
    auto* const request = exchanging();
    auto slot = request != nullptr ? std::move(request->slot) : takeSlot();
    if (request == nullptr) slot->identify(_peer, _loop.context().proxies, _loop.requestIds(), _loop.wallMillis());
    return *become(Answering{{std::move(slot)}}).slot;
}

bool Connection::refuse(const Fault& fault, After after)
{
    ExchangeSlot& slot = beginAnswer();
    Exchange& exchange = slot.exchange;
    slot.after = after;
    _loop.count().refused[ServerStatistics::refusalIndex(fault.status)].add();
    exchange.bodyBytes = slot.receiver.received();
    exchange.response.clear();
    _loop.context().application.refuse(exchange, fault.status, fault.code, fault.detail);
    if (fault.status == 503 && !exchange.response.hasHeader("Retry-After")) exchange.response.addHeader("Retry-After", "1");
    plan(slot);
    return answer();
}

/// Begins to send the response, which is planned.
bool Connection::answer()
{
    compose(beginAnswer());
    startSendTimeout();
    return true;
}

/// Runs on the loop or a worker.
void Connection::compose(ExchangeSlot& slot)
{
    dropBody(_loop.context(), slot);
    // Without a length the end of the connection is the end of the body.
    const bool open = slot.plan.body == ResponsePlan::Body::Source || slot.plan.body == ResponsePlan::Body::Live;
    const bool last = _loop.stopping() || (open && !slot.plan.length && slot.head.http10);
    if (last && slot.after == After::KeepAlive) slot.after = After::Close;
    decideUnreadBody(slot, _loop.settings().drainBytes);
    // The slot has the date at which the request began. A worker must not read the loop's date.
    if (std::chrono::steady_clock::now() - slot.exchange.started > std::chrono::seconds(1)) slot.date = formatHttpDate(std::time(nullptr));
    const auto seconds = slot.exchange.request.secure ? _loop.settings().strictTransportSecurity.count() : 0;
    const bool keepAlive = slot.after == After::KeepAlive || slot.after == After::Drain;
    slot.sender.begin(slot.exchange, slot.plan, {slot.date, keepAlive, slot.head.http10, false, seconds});
}

bool Connection::writeResponse(Answering& answer)
{
    ExchangeSlot& slot = *answer.slot;
    std::uint64_t sent = 0;
    const auto result = slot.sender.flush(_transport, sent);
    countSent(slot, sent);
    switch (result)
    {
    case ResponseSender::Result::Done:
        finishExchange(_loop, slot, true);
        return keepAliveOrClose(answer);
    case ResponseSender::Result::NeedsPiece:
    {
        static constexpr Task producing{[](Connection& self) noexcept { self.request().sender.produce(); },
                                        [](Connection& self)
                                        {
                                            self._pace.resume(self._loop.now());
                                            self.setSendTimeout();
                                            return true;
                                        }};
        _pace.credit(_loop, _transport.acknowledged(_sent));
        _pace.pause(_loop.now());
        return giveToWorker(producing, sideLane(slot));
    }
    case ResponseSender::Result::Paused:
        return yieldTurn();
    case ResponseSender::Result::Blocked:
        setSendTimeout();
        return false;
    default:
        return lose();
    }
}

bool Connection::keepAliveOrClose(Answering& answer)
{
    ExchangeSlot& slot = *answer.slot;
    if (slot.exchange.response.live) return goLive(slot);
    switch (slot.after)
    {
    case After::KeepAlive:
        awaitRequest();
        return _requests % requestsPerTurn != 0 || _input.empty() || yieldTurn();
    case After::Drain:
        slot.upload.clear();
        become(Draining{{std::move(answer.slot)}});
        setTimeout(_loop.settings().bodyTimeout);
        return true;
    default:
        return lingeringClose(slot.after == After::Linger);
    }
}

void Connection::startSendTimeout() noexcept
{
    _pace.start(_loop);
    setSendTimeout();
}

void Connection::setSendTimeout() noexcept { _loop.timers().set(*this, std::min(_pace.until(), deadline())); }

/// @return False when the client's time is up.
bool Connection::meetsMinimumRate() noexcept
{
    _pace.credit(_loop, _transport.acknowledged(_sent));
    if (_pace.until() < _loop.now() + TimerWheel::tickMillis || _loop.now() >= deadline()) return false;
    setSendTimeout();
    return true;
}

void Connection::countSent(ExchangeSlot& slot, std::uint64_t bytes) noexcept
{
    _sent += bytes;
    slot.exchange.sentBytes += bytes;
    _loop.count().bytesSent.add(bytes);
}

} // namespace portico::host::http
