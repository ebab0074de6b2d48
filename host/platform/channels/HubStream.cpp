#include "host/platform/channels/HubStream.h"

#include <utility>

namespace portico::host::platform
{

HubStream::HubStream(std::shared_ptr<EventHub> hub, const EventStream& stream, const Caller& caller)
    : _hub(std::move(hub)), _owner{caller.sessionId, caller.principalId, caller.apiKeyId, stream.label}, _until(stream.until)
{
}

HubStream::~HubStream() { _hub->leave(*this); }

void HubStream::attach(std::shared_ptr<detail::Waker> waker) noexcept
{
    const std::lock_guard lock(_mutex);
    _waker = std::move(waker);
}

void HubStream::push(const std::shared_ptr<const std::string>& frame)
{
    const std::lock_guard lock(_mutex);
    if (_overrun || _ending) return;
    _waitingBytes += frame->size();
    _overrun = _waitingBytes > EventStream::maxWaitingBytes;
    if (_overrun)
        std::exchange(_waiting, {}).clear();
    else
        _waiting.push_back(frame);
    if (_waker) _waker->wake();
}

detail::LiveBody::State HubStream::take(std::string& out)
{
    decltype(_waiting) taken;
    bool ending = false;
    {
        const std::lock_guard lock(_mutex);
        if (_overrun) return State::Overrun;
        taken.swap(_waiting);
        _waitingBytes = 0;
        ending = _ending;
    }
    for (const auto& frame : taken) out += *frame;
    if (!ending) return State::Open;
    out += ": the stream ends, come back\nretry: " + std::to_string(_hub->nextReturn()) + "\n\n";
    return State::Ended;
}

void HubStream::end() noexcept
{
    const std::lock_guard lock(_mutex);
    if (!std::exchange(_ending, true) && _waker) _waker->wake();
}

bool HubStream::isOf(const StreamsOf& whose) const noexcept
{
    const auto same = [](const std::string& asked, const std::string& own) { return !asked.empty() && asked == own; };
    return same(whose.sessionId, _owner.sessionId) || same(whose.principalId, _owner.principalId) ||
           same(whose.apiKeyId, _owner.apiKeyId) || same(whose.label, _owner.label);
}

} // namespace portico::host::platform
