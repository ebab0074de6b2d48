#include "host/http/SendPace.h"

#include <algorithm>
#include <utility>

namespace portico::host::http
{

namespace
{
/// Bytes that a client may read before TCP acknowledges them: a segment of the loopback interface.
constexpr std::uint64_t stepBytes = 64 * 1024;
} // namespace

void SendPace::credit(const EventLoop& loop, std::uint64_t acknowledged) noexcept
{
    const auto more = acknowledged - std::min(acknowledged, std::exchange(_acknowledged, acknowledged));
    if (more == 0 || _until == TimerWheel::never) return;
    const auto pause = static_cast<std::uint64_t>(loop.settings().writeTimeout.count());
    const auto rate = loop.settings().writeMinimumRate;
    // The buffers of both sides accept the start of a response at once. It must not earn the time for all of it.
    const auto most = rate == 0 ? pause : std::max(pause, stepBytes * 1000 / rate);
    const auto earned = rate == 0 ? pause : std::min(more * 1000 / rate, most);
    _until = std::min(_until + earned, loop.now() + most);
}

void SendPace::pause(std::uint64_t now) noexcept
{
    if (_until != TimerWheel::never) _until -= std::min(_until, now);
}

void SendPace::resume(std::uint64_t now) noexcept
{
    if (_until != TimerWheel::never) _until += now;
}

} // namespace portico::host::http
