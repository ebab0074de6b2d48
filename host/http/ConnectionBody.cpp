#include "host/http/Connection.h"

#include "portico/Multipart.h"

#include <algorithm>
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
/// Part of an upload that is gathered before it is appended to the upload's file.
constexpr std::size_t spoolPieceBytes = 256 * 1024;
/// Bodies are charged in steps of this size. The first step may use all of the memory, also for an unknown client.
constexpr std::uint64_t bodyStepBytes = 16 * 1024;

/// Makes the part of the body that is in memory visible to the handler.
void showBody(ExchangeSlot& slot, std::string_view body) noexcept
{
    slot.exchange.bodyBytes = slot.receiver.received();
    if (slot.admission.body == BodyMode::File) slot.exchange.request.file = &slot.upload;
    if (slot.admission.body == BodyMode::Memory) slot.exchange.request.body = body;
}

bool mustSpill(const ExchangeSlot& slot, bool hasRoom, std::size_t spoolThreshold) noexcept
{
    if (slot.admission.body != BodyMode::File) return false;
    const auto threshold = hasRoom ? spoolThreshold : 0;
    // A large upload is written in large pieces: each is a visit to a worker.
    return slot.upload.pending.size() > (slot.upload.inFile() && hasRoom ? std::max(threshold, spoolPieceBytes) : threshold);
}

} // namespace

bool Connection::receiveBody()
{
    auto& body = std::get<ReadingBody>(_state);
    ExchangeSlot& slot = *body.slot;
    if (takeBodyAtHand(slot)) return handleRequest(slot);
    // The handler reads the parts of a form: each of its files is hashed when it is stored.
    slot.upload.isStored = slot.admission.body == BodyMode::File && !isFormData(slot.exchange.request.header("Content-Type"));
    slot.headBlock = _input.detach(slot.admission.body == BodyMode::File ? uploadBlockBytes : bodyBlockBytes);
    if (slot.head.expectsContinue && _input.empty()) slot.sender.addInterim(continueResponse);
    slot.head.expectsContinue = false;
    body.started = _loop.now();
    return true;
}

/// @return True if there is no body, or all of it is in the input buffer.
bool Connection::takeBodyAtHand(ExchangeSlot& slot)
{
    if (!slot.receiver.complete() && !slot.receiver.isWhole(_input)) return false;
    const auto body = slot.receiver.complete() ? std::string_view() : slot.receiver.takeWhole(_input);
    if (slot.admission.body == BodyMode::File) slot.upload.pending = body;
    showBody(slot, body);
    return true;
}

bool Connection::readBody(ReadingBody& body)
{
    ExchangeSlot& slot = *body.slot;
    std::uint64_t sent = 0;
    if (slot.sender.flush(_transport, sent) == ResponseSender::Result::Failed) return lose();
    while (true)
    {
        const auto result = slot.receiver.take(_input, slot.upload.pending);
        if (slot.admission.body == BodyMode::None) slot.upload.pending.clear();
        if (result == BodyReceiver::Result::TooLarge) return refuse(Fault::bodyTooLarge());
        if (result == BodyReceiver::Result::Malformed) return refuse(Fault::malformed("The chunked body is broken."));
        const bool hasRoom = chargeBody(slot);
        if (!hasRoom && slot.admission.body == BodyMode::Memory) return refuse(Fault::bodiesTooMany());
        static constexpr Task spilling{[](Connection& self) noexcept { self.spill(); }, [](Connection& self) { return self.spilled(); }};
        if (mustSpill(slot, hasRoom, _loop.settings().spoolThreshold)) return giveToWorker(spilling, sideLane(slot));
        if (result == BodyReceiver::Result::Complete) return bodyArrived(slot);
        const auto received = receive();
        if (received == Received::Some) continue;
        if (received == Received::Ended) return lose();
        setBodyTimeout(body);
        return false;
    }
}

bool Connection::bodyArrived(ExchangeSlot& slot)
{
    showBody(slot, slot.upload.pending);
    return handleRequest(slot);
}

/// Adds the part of the body that is in memory to `LoopContext::bodyMemory`. @return False if there is no room for it.
bool Connection::chargeBody(ExchangeSlot& slot) noexcept
{
    const std::uint64_t size = slot.upload.pending.size();
    if (size <= slot.bodyMemory) return true;
    const auto more = (size - slot.bodyMemory + bodyStepBytes - 1) / bodyStepBytes * bodyStepBytes;
    const auto all = more + _loop.context().bodyMemory.fetch_add(more, std::memory_order_relaxed);
    slot.bodyMemory += more;
    // Requests without preparation may use half of the memory: unknown clients must not use up what known ones need.
    const auto room = _loop.settings().bodyMemoryBytes;
    return all <= (slot.admission.prepareFirst || slot.bodyMemory <= bodyStepBytes ? room : room / 2);
}

void releaseBodyMemory(LoopContext& context, ExchangeSlot& slot) noexcept
{
    if (slot.bodyMemory > 0) context.bodyMemory.fetch_sub(std::exchange(slot.bodyMemory, 0), std::memory_order_relaxed);
}

void Connection::spill() noexcept
{
    ExchangeSlot& slot = request();
    try
    {
        slot.upload.spill(_loop.settings().spoolDirectory);
    }
    catch (const std::exception&)
    {
        slot.admission.answered = true;
        slot.exchange.response.clear();
        _loop.context().application.storingFailed(slot.exchange);
    }
}

bool Connection::spilled()
{
    ExchangeSlot& slot = request();
    if (slot.admission.answered)
    {
        slot.after = After::Linger;
        slot.exchange.bodyBytes = slot.receiver.received();
        plan(slot);
        return answer();
    }
    if (_loop.context().bodyMemory.load(std::memory_order_relaxed) > _loop.settings().bodyMemoryBytes)
    {
        slot.upload.pending = {};
        releaseBodyMemory(_loop.context(), slot);
    }
    return !slot.receiver.complete() || bodyArrived(slot);
}

void Connection::setBodyTimeout(const ReadingBody& body) noexcept
{
    const auto& settings = _loop.settings();
    setTimeout(settings.bodyTimeout);
    if (settings.bodyMinimumRate == 0 || settings.bodyTimeout.count() <= 0) return;
    const auto earned = body.slot->receiver.received() * 1000 / settings.bodyMinimumRate;
    const auto end = body.started + static_cast<std::uint64_t>(settings.bodyTimeout.count()) + earned;
    if (end < _loop.after(settings.bodyTimeout)) _loop.timers().set(*this, std::min(end, body.slot->deadline));
}

bool Connection::drain(Draining& rest)
{
    ExchangeSlot& slot = *rest.slot;
    while (true)
    {
        const auto result = slot.receiver.take(_input, slot.upload.pending);
        slot.upload.pending.clear();
        if (result == BodyReceiver::Result::Complete) return awaitRequest();
        if (result != BodyReceiver::Result::More || slot.receiver.received() > _loop.settings().drainBytes) return lingeringClose(true);
        const auto received = receive();
        if (received == Received::Some) continue;
        if (received == Received::Ended) return close();
        return false;
    }
}

} // namespace portico::host::http
