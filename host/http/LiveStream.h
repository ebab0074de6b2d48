#pragma once

#include "host/http/WorkerPool.h"

#include "portico/detail/LiveBody.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace portico::host::http
{

class Connection;
class EventLoop;

/// Rung by anybody to have a connection look after its live body, on its loop. However often it is rung until then, the connection looks
/// once. Once silenced it does nothing any more.
class Bell final : public portico::detail::Waker, public WorkItem, public std::enable_shared_from_this<Bell>
{
public:
    Bell(EventLoop& loop, Connection& connection) noexcept : _loop(loop), _connection(&connection) {}

    void wake() noexcept override;
    void work() noexcept override {}
    void worked() noexcept override;
    /// On the loop: the connection goes.
    void silence() noexcept;

private:
    EventLoop& _loop;
    std::mutex _mutex;
    Connection* _connection;
    /// Itself, while it lies in the loop's mailbox.
    std::shared_ptr<Bell> _rung;
};

/// What a connection needs once a live body has taken the place of a response. All times are those of the loop.
struct LiveStream
{
    std::unique_ptr<portico::detail::LiveBody> body;
    std::shared_ptr<Bell> bell;
    /// What is on its way to the kernel, in chunks of HTTP/1.1, and how much of it is there.
    std::string out;
    std::size_t outSent = 0;
    bool chunked = true;
    /// The kernel takes nothing more.
    bool blocked = false;
    bool ended = false;
    std::uint64_t endsAt = 0;
    std::uint64_t checkAt = 0;
    /// What the connection had sent at the last beat.
    std::uint64_t sentAtBeat = 0;

    LiveStream() = default;
    LiveStream(const LiveStream&) = delete;
    LiveStream& operator=(const LiveStream&) = delete;
    ~LiveStream()
    {
        if (bell) bell->silence();
    }
};

} // namespace portico::host::http
