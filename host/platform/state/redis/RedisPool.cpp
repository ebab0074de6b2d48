#include "host/platform/state/redis/RedisPool.h"

#include "portico/Problem.h"

#include <algorithm>
#include <array>

namespace portico::host::platform
{

namespace
{

constexpr long long retrySeconds = 1;
constexpr long long fullRetrySeconds = 5;

Problem away() { return Problem::unavailable("overloaded", "The store of short-lived values does not answer.", retrySeconds); }

/// What Redis says when it is the server that is in no state to serve, whatever it was asked.
bool isAboutTheServer(std::string_view message) noexcept
{
    constexpr std::array<std::string_view, 11> beginnings{"NOAUTH", "WRONGPASS", "NOPERM",      "LOADING",    "READONLY", "MASTERDOWN",
                                                          "BUSY",   "MISCONF",   "CLUSTERDOWN", "NOREPLICAS", "TRYAGAIN"};
    return std::any_of(beginnings.begin(), beginnings.end(), [&](auto beginning) { return message.starts_with(beginning); });
}

} // namespace

RedisPool::RedisPool(RedisSettings settings, Logger& log) : _settings(std::move(settings)), _log(log) {}

RedisReply RedisPool::execute(const std::vector<std::string_view>& command)
{
    auto connection = borrow();
    try
    {
        if (!connection) connection = std::make_unique<RedisConnection>(_settings);
        auto reply = connection->execute(command);
        giveBack(std::move(connection));
        return reply;
    }
    catch (const RedisBroken& broken)
    {
        dropOne();
        noteBroken(broken.what());
        throw away();
    }
    catch (const RedisRefusal& refusal)
    {
        const bool usable = connection && !isAboutTheServer(refusal.what());
        if (usable)
            giveBack(std::move(connection));
        else
            dropOne();
        refuse(refusal.what(), usable);
    }
    catch (...)
    {
        dropOne();
        throw;
    }
}

void RedisPool::misunderstood(std::string_view reason)
{
    _log.error("Redis gives an answer that nobody understands", {{"reason", reason}});
    throw away();
}

RedisPool::Connection RedisPool::borrow()
{
    std::unique_lock lock(_mutex);
    const auto free = [this] { return _away || _borrowed < _settings.connections; };
    if (!_freed.wait_for(lock, _settings.timeout, free))
        throw Problem::unavailable("overloaded", "The connections to the store of short-lived values are all in use.", retrySeconds);
    if (_away)
    {
        const auto now = std::chrono::steady_clock::now();
        if (now < _nextTry || _borrowed >= _settings.connections) throw away();
        _nextTry = now + _settings.pause + _settings.timeout;
    }
    ++_borrowed;
    while (!_idle.empty())
    {
        auto connection = std::move(_idle.back());
        _idle.pop_back();
        if (!connection->isStale()) return connection;
    }
    return nullptr;
}

void RedisPool::giveBack(Connection connection)
{
    bool back = false;
    {
        const std::lock_guard lock(_mutex);
        --_borrowed;
        _idle.push_back(std::move(connection));
        back = std::exchange(_away, false);
    }
    _freed.notify_one();
    if (back) _log.information("Redis is back");
}

void RedisPool::dropOne()
{
    {
        const std::lock_guard lock(_mutex);
        --_borrowed;
    }
    _freed.notify_one();
}

void RedisPool::noteBroken(std::string_view reason)
{
    bool first = false;
    {
        const std::lock_guard lock(_mutex);
        first = !std::exchange(_away, true);
        _nextTry = std::chrono::steady_clock::now() + _settings.pause;
        _idle.clear();
    }
    _freed.notify_all();
    if (first)
        _log.error("Redis is away: requests that need it get 503 until it is back",
                   {{"host", _settings.host}, {"port", std::to_string(_settings.port)}, {"reason", reason}});
}

void RedisPool::refuse(std::string_view message, bool usable)
{
    if (message.starts_with("OOM"))
    {
        _log.error("Redis is full", {{"reason", message}, {"remedy", "give it more memory (maxmemory)"}});
        throw Problem::unavailable("overloaded", "The store of short-lived values is full.", fullRetrySeconds);
    }
    if (usable)
        _log.error("Redis refuses a command", {{"reason", message}});
    else
        noteBroken(message);
    throw away();
}

} // namespace portico::host::platform
