#include "host/http/Connection.h"

#include <algorithm>
#include <utility>

namespace portico::host::http
{

namespace
{
/// What a client may read before TCP acknowledges it: a segment of the loopback interface.
constexpr std::uint64_t stepBytes = 64 * 1024;
} // namespace

// How long a client may take for a response: `http.writeSeconds` from its start, and what it earns by taking it
// (`http.writeBytesPerSecond`).

void Connection::startSendTimeout() noexcept
{
    _sendUntil = _loop.after(_loop.settings().writeTimeout);
    setSendTimeout();
}

void Connection::setSendTimeout() noexcept { _loop.timers().set(*this, std::min(_sendUntil, _totalDeadline)); }

/// Adds the time that the client has earned since the last call. The kernel asks for more only when much of what it has is gone, which a
/// slow reader needs minutes for: the client's acknowledgements count. The time ahead is limited, so that the start of a response, which
/// the buffers of both sides take at once, does not pay for all of it.
void Connection::creditTaken() noexcept
{
    const auto& settings = _loop.settings();
    const auto taken = _transport.acknowledged(_sent);
    const auto more = taken - std::min(taken, std::exchange(_taken, taken));
    if (more == 0 || _sendUntil == TimerWheel::never) return;
    const auto pause = static_cast<std::uint64_t>(settings.writeTimeout.count());
    const auto rate = settings.writeMinimumRate;
    const auto most = rate == 0 ? pause : std::max(pause, stepBytes * 1000 / rate);
    const auto earned = rate == 0 ? pause : std::min(more * 1000 / rate, most);
    _sendUntil = std::min(_sendUntil + earned, _loop.now() + most);
}

/// @return False when the client's time is up.
bool Connection::meetsMinimumRate() noexcept
{
    const auto now = _loop.now();
    creditTaken();
    if (_sendUntil < now + TimerWheel::tickMillis || now >= _totalDeadline) return false;
    setSendTimeout();
    return true;
}

/// The client has taken what there was: the time until there is more is not its own.
bool Connection::producePiece()
{
    creditTaken();
    _sendLeft = _sendUntil == TimerWheel::never ? _sendUntil : _sendUntil - std::min(_sendUntil, _loop.now());
    return giveToWorker(Work::Produce);
}

void Connection::continueSendTimeout() noexcept
{
    _sendUntil = _sendLeft == TimerWheel::never ? _sendLeft : _loop.now() + _sendLeft;
    setSendTimeout();
}

} // namespace portico::host::http
