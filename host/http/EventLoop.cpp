#include "host/http/EventLoop.h"

#include "host/http/Connection.h"

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

namespace portico::host::http
{

namespace
{

int checked(int result, const char* what)
{
    if (result < 0) throw std::system_error(errno, std::generic_category(), what);
    return result;
}

void add(int epoll, int descriptor, std::uint32_t events, void* pointer)
{
    epoll_event event{};
    event.events = events;
    event.data.ptr = pointer;
    checked(::epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event), "epoll_ctl");
}

} // namespace

EventLoop::EventLoop(LoopContext& context)
    : _context(context),
      _epoll(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      _wakeup(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"))
{
    // Its edge alone matters: the count is never read.
    add(_epoll.get(), _wakeup.get(), EPOLLIN | EPOLLET, nullptr);
    readClocks();
    _timers.advance(_now);
}

EventLoop::~EventLoop() = default;

void EventLoop::start()
{
    _thread = std::jthread([this] { run(); });
}

void EventLoop::join()
{
    if (_thread.joinable()) _thread.join();
}

void EventLoop::run() noexcept
{
    blockPipeSignal();
    while (true)
    {
        wait();
        drainQueue();
        applyStopRequest();
        _timers.advance(_now);
        destroyClosed();
        // A busy loop yields after each turn. Otherwise, if loops share a core, the requests of one would wait for a whole time slice of
        // the other.
        if (_busy) ::sched_yield();
        if (!stopping() || !_connections.empty() || load() != 0) continue;
        // The queue may have wakers of ended streams. No thread uses them after this.
        drainQueue();
        return;
    }
}

void EventLoop::wait() noexcept
{
    std::array<epoll_event, 128> events;
    // A producer stores its work and then reads `_sleeping`; the loop sets `_sleeping` and then looks for work. One of them sees the other,
    // and under load no wakeup is written.
    _sleeping.store(true);
    const bool urgent = _queue.load() != nullptr || (_stopping.load() && !_stopApplied) || (_aborting.load() && !_abortApplied);
    const int timeout = urgent ? 0 : (_connections.empty() ? -1 : static_cast<int>(TimerWheel::tickMillis));
    const int count = ::epoll_wait(_epoll.get(), events.data(), static_cast<int>(events.size()), timeout);
    _sleeping.store(false);
    _busy = count > 1;
    readClocks();
    for (int i = 0; i < count; ++i)
        if (auto* source = static_cast<EventSource*>(events[static_cast<std::size_t>(i)].data.ptr))
            source->ready(events[static_cast<std::size_t>(i)].events);
}

void EventLoop::readClocks()
{
    using namespace std::chrono;
    _now = static_cast<std::uint64_t>(duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count());
    _wallMillis = static_cast<std::uint64_t>(duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count());
    const auto second = static_cast<std::time_t>(_wallMillis / 1000);
    if (second == _dateSecond) return;
    _dateSecond = second;
    _date = formatHttpDate(second);
}

void EventLoop::wake() noexcept
{
    if (!_sleeping.exchange(false)) return;
    const std::uint64_t one = 1;
    // It fails only when the count is at its end, which wakes the loop as well.
    [[maybe_unused]] const auto written = ::write(_wakeup.get(), &one, sizeof one);
}

void EventLoop::adopt(std::unique_ptr<Connection> connection) noexcept
{
    _load.fetch_add(1, std::memory_order_relaxed);
    post(*connection.release());
}

void EventLoop::take(Connection& connection)
{
    connection.place = _connections.size();
    _connections.emplace_back(&connection);
}

void EventLoop::push(WorkItem& item) noexcept
{
    item.next = _queue.load(std::memory_order_relaxed);
    while (!_queue.compare_exchange_weak(item.next, &item)) {}
}

void EventLoop::post(WorkItem& item) noexcept
{
    push(item);
    wake();
}

void EventLoop::leave(WorkItem& item) noexcept
{
    push(item);
    // The loop increments `_expected` and then reads its queue; this pushes and then reads `_expected`. One of the two sees the other.
    if (_expected.load() > 0) wake();
}

void EventLoop::drainQueue()
{
    WorkItem* item = _queue.exchange(nullptr);
    WorkItem* first = nullptr;
    while (item != nullptr)
    {
        WorkItem* later = std::exchange(item->next, first);
        first = std::exchange(item, later);
    }
    while (first != nullptr)
    {
        // The item may be queued elsewhere again by the time that `worked` returns.
        WorkItem& next = *std::exchange(first, first->next);
        next.worked();
    }
}

void EventLoop::stop() noexcept
{
    _stopping.store(true);
    wake();
}

void EventLoop::abort() noexcept
{
    _stopping.store(true);
    _aborting.store(true);
    wake();
}

void EventLoop::applyStopRequest()
{
    if (_stopping.load() && !_stopApplied)
    {
        _stopApplied = true;
        // Backwards: one that closes is replaced by the last, which has had its turn.
        for (auto i = _connections.size(); i-- > 0;) _connections[i]->stop();
    }
    if (_aborting.load() && !_abortApplied)
    {
        _abortApplied = true;
        for (auto i = _connections.size(); i-- > 0;) _connections[i]->abort();
    }
}

void EventLoop::watch(int descriptor, std::uint32_t events, EventSource& source) { add(_epoll.get(), descriptor, events, &source); }

void EventLoop::forget(int descriptor) noexcept { ::epoll_ctl(_epoll.get(), EPOLL_CTL_DEL, descriptor, nullptr); }

void EventLoop::retire(Connection& connection) noexcept
{
    const auto place = connection.place;
    _retired.push_back(std::move(_connections[place]));
    if (place + 1 < _connections.size())
    {
        _connections[place] = std::move(_connections.back());
        _connections[place]->place = place;
    }
    _connections.pop_back();
}

void EventLoop::destroyClosed()
{
    if (_retired.empty()) return;
    _load.fetch_sub(_retired.size(), std::memory_order_relaxed);
    _context.connections.fetch_sub(_retired.size(), std::memory_order_relaxed);
    _retired.clear();
}

} // namespace portico::host::http
