#pragma once

#include "host/platform/state/redis/RedisConnection.h"

#include "portico/Logger.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace portico::host::platform
{

/// The host's connections to Redis, opened when they are needed. Thread-safe.
///
/// A command is sent once: when a connection breaks after that, nobody knows whether it was run, and a counter must not count twice.
/// Before, a connection that Redis has closed meanwhile (it was restarted) is replaced. While Redis is away one caller at a time finds out
/// whether it is back; the others are refused at once, so that they do not keep the threads of the host waiting.
class RedisPool
{
public:
    /// `log` outlives the pool.
    RedisPool(RedisSettings settings, Logger& log);

    const RedisSettings& settings() const noexcept { return _settings; }
    /// @throws Problem 503 `overloaded` when Redis is away, full, busy, or refuses the command; the log has the reason
    RedisReply execute(const std::vector<std::string_view>& command);
    /// The answer was none that Redis gives. @throws Problem 503 `overloaded`
    [[noreturn]] void misunderstood(std::string_view reason);

private:
    using Connection = std::unique_ptr<RedisConnection>;
    using TimePoint = std::chrono::steady_clock::time_point;

    /// Null: one may be opened.
    Connection borrow();
    void giveBack(Connection connection);
    void dropOne();
    void noteBroken(std::string_view reason);
    /// `usable`: the connection serves on.
    [[noreturn]] void refuse(std::string_view message, bool usable);

    const RedisSettings _settings;
    Logger& _log;
    std::mutex _mutex;
    std::condition_variable _freed;
    std::vector<Connection> _idle;
    std::size_t _borrowed = 0;
    bool _away = false;
    /// While it is away: when the next may try.
    TimePoint _nextTry;
};

} // namespace portico::host::platform
