#include "host/platform/outbound/SocketDeadlines.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace portico::host::platform
{

void SocketDeadlines::run(const std::stop_token& stop)
{
    std::unique_lock lock(_mutex);
    while (_changed.wait(lock, stop, [this] { return !_watches.empty(); }))
    {
        // A copy, since the watch may be removed before the wait ends.
        const auto until = _watches.begin()->first;
        const auto another = [&] { return _watches.empty() || _watches.begin()->first != until; };
        if (!_changed.wait_until(lock, stop, until, another) && !stop.stop_requested()) expireFirst();
    }
}

void SocketDeadlines::expireAll()
{
    const std::lock_guard lock(_mutex);
    _allExpired = true;
    while (!_watches.empty()) expireFirst();
}

void SocketDeadlines::expireFirst() { expire(*_watches.begin()->second); }

void SocketDeadlines::expire(Watch& watch)
{
    ::shutdown(watch._descriptor, SHUT_RDWR);
    watch._expired = true;
    _watches.erase(watch._place);
}

SocketDeadlines::Watch::Watch(SocketDeadlines& deadlines, int descriptor, TimePoint deadline)
    : _deadlines(deadlines), _descriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0))
{
    if (_descriptor < 0) throw std::system_error(errno, std::generic_category(), "duplicate a socket");
    const std::lock_guard lock(_deadlines._mutex);
    _place = _deadlines._watches.emplace(deadline, this);
    if (_deadlines._allExpired)
        _deadlines.expireFirst();
    else if (_place == _deadlines._watches.begin())
        _deadlines._changed.notify_one();
}

SocketDeadlines::Watch::~Watch()
{
    const std::lock_guard lock(_deadlines._mutex);
    if (!_expired) _deadlines._watches.erase(_place);
    ::close(_descriptor);
}

void SocketDeadlines::Watch::expire()
{
    const std::lock_guard lock(_deadlines._mutex);
    if (!_expired) _deadlines.expire(*this);
}

bool SocketDeadlines::Watch::expired() const
{
    const std::lock_guard lock(_deadlines._mutex);
    return _expired;
}

} // namespace portico::host::platform
