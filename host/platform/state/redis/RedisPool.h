#pragma once

#include "host/platform/state/StateEngine.h"

#include "portico/Logger.h"

#include <Poco/Net/StreamSocket.h>
#include <Poco/Redis/RedisStream.h>
#include <Poco/Redis/Type.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::host::platform
{

/// The connection is of no use any more; whether Redis has run the command is not known. The text is for the log.
class RedisBroken : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// Redis answered that it does not do it: `OOM command not allowed …`.
class RedisRefusal : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

using RedisReply = Poco::Redis::RedisType::Ptr;

/// One connection, authenticated, with its database selected. The settings limit every wait. Used by one thread at a time.
///
/// POCO's own client is not used: errors inside its streams stay there, so that a value during which the connection breaks is read as
/// blanks of its length. Its types and readers are used here on a stream that throws.
class RedisConnection
{
public:
    /// @throws RedisBroken, RedisRefusal (a wrong password)
    explicit RedisConnection(const RedisSettings& settings);

    /// @throws RedisBroken, RedisRefusal
    RedisReply execute(const std::vector<std::string_view>& command);
    /// Returns true if Redis has closed the connection, or sent unrequested data, since the last answer.
    bool isStale();

private:
    void send(std::string_view bytes);
    RedisReply receive();

    Poco::Net::StreamSocket _socket;
    Poco::Redis::RedisInputStream _input;
};

/// The host's connections to Redis, opened when they are needed. Thread-safe.
///
/// A command is sent once: if the connection breaks afterwards, the client cannot know whether it ran, and a counter must not count twice.
/// A connection that Redis closed before, for example by a restart, is replaced. While Redis is unavailable one caller at a time tries
/// again; the others are rejected immediately, so that they do not block the host's threads.
class RedisPool
{
public:
    /// `log` outlives the pool.
    RedisPool(RedisSettings settings, Logger& log) : _settings(std::move(settings)), _log(log) {}

    const RedisSettings& settings() const noexcept { return _settings; }
    /// @throws Problem 503 `overloaded` when Redis is away, full, busy, or refuses the command; the log has the reason
    RedisReply execute(const std::vector<std::string_view>& command);
    /// Redis sent a malformed answer. @throws Problem 503 `overloaded`
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
