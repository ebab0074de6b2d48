#include "host/http/Connection.h"

#include <exception>
#include <utility>

namespace portico::host::http
{

/// @param letIn A later step of a request that has been let in. False, whatever becomes of it, but for a refusal, which can follow at once.
bool Connection::giveToWorker(Work work, bool letIn)
{
    _work = work;
    _state = State::Working;
    _unread = _readable || !_input.empty();
    setTimeout(std::chrono::milliseconds::zero());
    tenant = _slot ? _slot->exchange.tenant : 0;
    if (pool().submit(*this, letIn)) return false;
    _state = State::Body;
    return refuse(Fault::overloaded());
}

/// What the lane for long work is there for is the handler alone: anything else must not wait behind those of others.
WorkerPool& Connection::pool() noexcept
{
    const auto lane = _slot ? _slot->admission.lane : Lane::Worker;
    return _loop.context().workers.of(lane == Lane::Long && _work != Work::Handle ? Lane::Worker : lane);
}

void Connection::work() noexcept
{
    if (_work == Work::Check)
    {
        _workSucceeded = _live->body->mayGoOn();
        return handBack();
    }
    Application& application = _loop.context().application;
    ExchangeSlot& slot = *_slot;
    switch (_work)
    {
    case Work::Prepare:
        _workSucceeded = application.prepare(slot.exchange);
        if (!_workSucceeded) plan();
        break;
    case Work::PrepareAndHandle:
        if (application.prepare(slot.exchange))
            handle();
        else
            plan();
        answerFromWorker();
        break;
    case Work::Handle:
        handle();
        answerFromWorker();
        break;
    case Work::Spool:
        spill();
        break;
    case Work::Produce:
        slot.sender.produce();
        break;
    case Work::Discard:
        slot.exchange.response.source.reset();
        break;
    case Work::Await:
    case Work::Check:
    case Work::Turn:
        break;
    }
    handBack();
}

/// The answer leaves from here: the client has it sooner, and most often there is nothing left for the loop to do.
void Connection::answerFromWorker() noexcept
{
    compose();
    std::uint64_t sent = 0;
    _sendResult = _slot->sender.flush(_transport, sent);
    _answering = true;
    countSent(sent);
    if (_sendResult == ResponseSender::Result::Done) finish(true);
}

void Connection::spill() noexcept
{
    try
    {
        _slot->upload.spill(_loop.settings().spoolDirectory);
        _workSucceeded = true;
    }
    catch (const std::exception&)
    {
        _workSucceeded = false;
        _slot->exchange.response.clear();
        _loop.context().application.storingFailed(_slot->exchange);
    }
}

void Connection::handBack() noexcept
{
    const bool idle = _answering && _sendResult == ResponseSender::Result::Done && _keepAlive && !_drainAfter && !_unread &&
                      !_loop.stopping() && !_slot->exchange.response.live;
    if (idle)
        _loop.leave(*this);
    else
        _loop.post(*this);
}

void Connection::worked() noexcept
{
    if (_state == State::New)
    {
        _loop.take(*this);
        return open();
    }
    if (std::exchange(_wanted, false)) _loop.returned();
    if (afterWork()) advance();
}

bool Connection::afterWork()
{
    const bool answering = std::exchange(_answering, false);
    _state = _slot ? State::Sending : _live ? State::Live : _lingers ? State::Lingering : State::Head;
    if (_lost || _work == Work::Discard) return lose();
    switch (_work)
    {
    case Work::Await:
        _loop.context().application.resume(_slot->exchange, _slot->admission);
        return admitted();
    case Work::Prepare:
        if (!_workSucceeded) return answer();
        _prepared = true;
        return receiveBody();
    case Work::PrepareAndHandle:
    case Work::Handle:
        return answering && afterAnswer();
    case Work::Spool:
        if (!_workSucceeded) return answerForGood();
        if (_loop.context().bodyMemory.load(std::memory_order_relaxed) > _loop.settings().bodyMemoryBytes)
        {
            _slot->upload.pending = {};
            releaseBodyMemory();
        }
        if (_slot->receiver.complete()) return bodyArrived();
        _state = State::Body;
        return true;
    case Work::Produce:
        continueSendTimeout();
        return true;
    case Work::Check:
        _live->blocked = false;
        if (!_workSucceeded) _live->body->end();
        return true;
    default:
        return true;
    }
}

bool Connection::afterAnswer()
{
    startSendTimeout();
    switch (_sendResult)
    {
    case ResponseSender::Result::Done:
        return keepAliveOrClose();
    case ResponseSender::Result::Failed:
        return lose();
    default:
        // The event that it waits for may have come while the worker had it.
        return true;
    }
}

} // namespace portico::host::http
