#include "host/http/Connection.h"

#include "portico/Multipart.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <exception>
#include <utility>

namespace portico::host::http
{

namespace
{

constexpr std::string_view continueResponse = "HTTP/1.1 100 Continue\r\n\r\n";
/// Input buffer of a body that does not fit behind its head.
constexpr std::size_t bodyBlockBytes = 16 * 1024;
constexpr std::size_t uploadBlockBytes = 64 * 1024;
/// What is gathered of an upload that has gone to a file before more of it goes there.
constexpr std::size_t spoolPieceBytes = 256 * 1024;
/// In which steps bodies are counted, and up to which size one may be anybody's.
constexpr std::uint64_t bodyStepBytes = 16 * 1024;

} // namespace

void Connection::takeSlot()
{
    if (_slot) return;
    _slot = _loop.slots().take([] { return std::make_unique<ExchangeSlot>(); });
    _slot->date = _loop.date();
    _totalDeadline = _loop.after(_loop.settings().totalTimeout);
    _loop.count().requests.add();
    _loop.count().requestsInFlight.add();
    _slot->engaged = true;
}

bool Connection::beginExchange()
{
    takeSlot();
    ++_requests;
    _prepared = _drainAfter = _lingerAfter = false;
    if (const auto fault = parseHead()) return refuseForGood(*fault);
    const auto& settings = _loop.settings();
    _keepAlive = _slot->head.keepAlive && (settings.maxRequestsPerConnection == 0 || _requests < settings.maxRequestsPerConnection);
    return dispatch();
}

std::optional<Fault> Connection::parseHead()
{
    const auto& settings = _loop.settings();
    const auto length = _scanner.length();
    const auto text = _input.data().substr(0, length);
    _input.consume(length);
    const auto fault = length > settings.headBytes ? Fault::headTooLarge("The request's head is too large.")
                                                   : _slot->head.parse(text, settings.targetBytes, settings.headerCount);
    const auto forwardedFault = _slot->identify(_peer, _loop.context().proxies, _loop.requestIds(), _loop.wallMillis());
    return fault ? fault : forwardedFault;
}

bool Connection::dispatch()
{
    ExchangeSlot& slot = *_slot;
    slot.admission = _loop.context().application.admit(slot.exchange);
    slot.receiver.begin(slot.head, bodyLimit());
    if (slot.admission.answered)
    {
        plan();
        return answer();
    }
    if (slot.head.contentLength.value_or(0) > bodyLimit()) return refuseForGood(Fault::bodyTooLarge());
    return slot.admission.waits ? awaitApplication() : admitted();
}

bool Connection::awaitApplication()
{
    _work = Work::Await;
    _state = State::Working;
    setTimeout(std::chrono::milliseconds::zero());
    _loop.context().application.fetch(_slot->exchange, [this] { _loop.post(*this); });
    return false;
}

bool Connection::admitted()
{
    if (!_slot->admission.prepareFirst) return receiveBody();
    // With nothing to wait for in between, one trip to a worker does for both.
    const auto lane = _slot->admission.lane;
    const bool sameLane = lane == Lane::Worker || lane == Lane::Heavy;
    return giveToWorker(sameLane && takeBodyAtHand() ? Work::PrepareAndHandle : Work::Prepare, false);
}

std::uint64_t Connection::bodyLimit() const noexcept
{
    const auto& admission = _slot->admission;
    if (admission.answered) return _loop.settings().drainBytes;
    if (admission.bodyLimit > 0) return admission.bodyLimit;
    return admission.body == BodyMode::None ? _loop.settings().drainBytes : _loop.settings().bodyBytes;
}

bool Connection::receiveBody()
{
    ExchangeSlot& slot = *_slot;
    if (takeBodyAtHand()) return handleRequest();
    // A form is taken apart by its reader; each file in it is hashed when it is stored.
    slot.upload.isStored = slot.admission.body == BodyMode::File && !isFormData(slot.exchange.request.header("Content-Type"));
    slot.headBlock = _input.detach(slot.admission.body == BodyMode::File ? uploadBlockBytes : bodyBlockBytes);
    if (slot.head.expectsContinue && _input.empty()) slot.sender.addInterim(continueResponse);
    slot.head.expectsContinue = false;
    _bodyStarted = _loop.now();
    _state = State::Body;
    return true;
}

bool Connection::takeBodyAtHand()
{
    ExchangeSlot& slot = *_slot;
    if (slot.receiver.complete())
    {
        showBody({});
        return true;
    }
    if (!slot.receiver.isWhole(_input)) return false;
    const auto body = slot.receiver.takeWhole(_input);
    if (slot.admission.body == BodyMode::File) slot.upload.pending = body;
    showBody(body);
    return true;
}

bool Connection::readBody()
{
    ExchangeSlot& slot = *_slot;
    std::uint64_t sent = 0;
    if (slot.sender.flush(_transport, sent) == ResponseSender::Result::Failed) return lose();
    while (true)
    {
        const auto result = slot.receiver.take(_input, slot.upload.pending);
        if (slot.admission.body == BodyMode::None) slot.upload.pending.clear();
        if (result == BodyReceiver::Result::TooLarge) return refuseForGood(Fault::bodyTooLarge());
        if (result == BodyReceiver::Result::Malformed) return refuseForGood(Fault::malformed("The chunked body is broken."));
        const bool hasRoom = chargeBody();
        if (!hasRoom && slot.admission.body == BodyMode::Memory) return refuseForGood(Fault::bodiesTooMany());
        if (wantsSpool(hasRoom)) return giveToWorker(Work::Spool);
        if (result == BodyReceiver::Result::Complete) return bodyArrived();
        const auto received = receive();
        if (received == Received::Some) continue;
        if (received == Received::Ended)
            lose();
        else
            setBodyTimeout();
        return false;
    }
}

/// Counts what there is of the body with all that is in memory. False: there is no room for it.
bool Connection::chargeBody() noexcept
{
    const std::uint64_t held = _slot->upload.pending.size();
    if (held <= _bodyMemory) return true;
    const auto more = (held - _bodyMemory + bodyStepBytes - 1) / bodyStepBytes * bodyStepBytes;
    const auto all = more + _loop.context().bodyMemory.fetch_add(more, std::memory_order_relaxed);
    _bodyMemory += more;
    // Strangers must not take all the room from those who are known.
    const auto room = _loop.settings().bodyMemoryBytes;
    return all <= (_prepared || _bodyMemory <= bodyStepBytes ? room : room / 2);
}

void Connection::releaseBodyMemory() noexcept
{
    if (_bodyMemory > 0) _loop.context().bodyMemory.fetch_sub(std::exchange(_bodyMemory, 0), std::memory_order_relaxed);
}

/// Once it is answered nobody looks at a body any more, but a client may read the answer slowly.
void Connection::dropBody() noexcept
{
    ExchangeSlot& slot = *_slot;
    if (_bodyMemory == 0 || slot.exchange.response.source) return;
    slot.exchange.request.body = {};
    slot.exchange.request.file = nullptr;
    slot.upload.clear();
    slot.upload.pending.shrink_to_fit();
    releaseBodyMemory();
}

bool Connection::wantsSpool(bool hasRoom) const noexcept
{
    if (_slot->admission.body != BodyMode::File) return false;
    const auto threshold = hasRoom ? _loop.settings().spoolThreshold : 0;
    // What is large is written in large pieces: each is a trip to a worker.
    return _slot->upload.pending.size() > (_slot->upload.inFile() && hasRoom ? std::max(threshold, spoolPieceBytes) : threshold);
}

void Connection::showBody(std::string_view body) noexcept
{
    ExchangeSlot& slot = *_slot;
    slot.exchange.bodyBytes = slot.receiver.received();
    if (slot.admission.body == BodyMode::File) slot.exchange.request.file = &slot.upload;
    if (slot.admission.body == BodyMode::Memory) slot.exchange.request.body = body;
}

bool Connection::bodyArrived()
{
    showBody(_slot->upload.pending);
    return handleRequest();
}

bool Connection::handleRequest()
{
    if (_slot->admission.lane == Lane::Loop)
    {
        if (_loop.context().application.handleOnLoop(_slot->exchange))
        {
            plan();
            return answer();
        }
        _slot->admission.lane = Lane::Worker;
    }
    // A request that was prepared has had its place in the queue already, if it is the same queue.
    return giveToWorker(Work::Handle, _prepared && _slot->admission.lane != Lane::Long);
}

void Connection::handle() noexcept
{
    _loop.context().application.handle(_slot->exchange);
    plan();
}

void Connection::plan() noexcept
{
    ExchangeSlot& slot = *_slot;
    Application& application = _loop.context().application;
    try
    {
        slot.plan.make(slot.exchange, _loop.settings(), application, _state != State::Working);
    }
    catch (const std::exception&)
    {
        slot.exchange.response.clear();
        const auto fault = Fault::internal();
        application.refuse(slot.exchange, fault.status, fault.code, fault.detail);
        slot.plan.makePlain(slot.exchange);
    }
}

/// The answer is the last one here: the client may still be sending.
void Connection::endAfterAnswer() noexcept
{
    _keepAlive = false;
    _lingerAfter = true;
}

bool Connection::refuseForGood(const Fault& fault)
{
    endAfterAnswer();
    return refuse(fault);
}

bool Connection::refuse(const Fault& fault)
{
    if (!_slot)
    {
        takeSlot();
        _slot->identify(_peer, _loop.context().proxies, _loop.requestIds(), _loop.wallMillis());
    }
    Exchange& exchange = _slot->exchange;
    _loop.count().refused[ServerStatistics::refusalIndex(fault.status)].add();
    exchange.bodyBytes = _slot->receiver.received();
    exchange.response.clear();
    _loop.context().application.refuse(exchange, fault.status, fault.code, fault.detail);
    if (fault.status == 503 && !exchange.response.hasHeader("Retry-After")) exchange.response.addHeader("Retry-After", "1");
    plan();
    return answer();
}

/// The response is filled; what is left of the body is not wanted.
bool Connection::answerForGood()
{
    endAfterAnswer();
    _slot->exchange.bodyBytes = _slot->receiver.received();
    plan();
    return answer();
}

void Connection::decideUnreadBody() noexcept
{
    const auto& receiver = _slot->receiver;
    if (receiver.complete()) return;
    const bool small = receiver.chunked() || receiver.remaining() <= _loop.settings().drainBytes;
    // A client that waits for 100 may send its body or not: there is no telling what its next bytes are.
    if (_keepAlive && small && !_slot->head.expectsContinue)
        _drainAfter = true;
    else
        endAfterAnswer();
}

bool Connection::answer()
{
    compose();
    _state = State::Sending;
    startSendTimeout();
    return true;
}

void Connection::compose()
{
    ExchangeSlot& slot = *_slot;
    dropBody();
    if (_loop.stopping()) _keepAlive = false;
    // Without a length the end of the connection is the end of the body.
    const bool open = slot.plan.body == ResponsePlan::Body::Source || slot.plan.body == ResponsePlan::Body::Live;
    if (open && !slot.plan.length && slot.head.http10) _keepAlive = false;
    decideUnreadBody();
    // The loop's date is the loop's own; an old request needs a new one.
    if (std::chrono::steady_clock::now() - slot.exchange.started > std::chrono::seconds(1)) slot.date = formatHttpDate(std::time(nullptr));
    const auto seconds = slot.exchange.request.secure ? _loop.settings().strictTransportSecurity.count() : 0;
    slot.sender.begin(slot.exchange, slot.plan, {slot.date, _keepAlive, slot.head.http10, false, seconds});
}

} // namespace portico::host::http
