#include "host/platform/state/redis/RedisPool.h"

#include "portico/Problem.h"

#include <Poco/Exception.h>
#include <Poco/Net/SocketAddress.h>
#include <Poco/Redis/Error.h>

#include <algorithm>
#include <array>
#include <limits>
#include <sys/socket.h>

namespace portico::host::platform
{

namespace
{

Poco::Timespan timespan(std::chrono::milliseconds time) { return Poco::Timespan(static_cast<Poco::Int64>(time.count()) * 1'000); }

Poco::Net::StreamSocket connected(const RedisSettings& settings)
{
    try
    {
        Poco::Net::StreamSocket socket;
        socket.connect(Poco::Net::SocketAddress(settings.host, settings.port), timespan(settings.timeout));
        socket.setReceiveTimeout(timespan(settings.timeout));
        socket.setSendTimeout(timespan(settings.timeout));
        socket.setNoDelay(true);
        return socket;
    }
    catch (const Poco::Exception& error)
    {
        throw RedisBroken(error.displayText());
    }
}

std::string encoded(const std::vector<std::string_view>& command)
{
    std::size_t size = 16;
    for (const auto word : command) size += word.size() + 26;
    std::string bytes;
    bytes.reserve(size);
    bytes.append("*").append(std::to_string(command.size())).append("\r\n");
    for (const auto word : command) bytes.append("$").append(std::to_string(word.size())).append("\r\n").append(word).append("\r\n");
    return bytes;
}

constexpr long long retrySeconds = 1;
constexpr long long fullRetrySeconds = 5;

Problem away() { return Problem::unavailable("overloaded", "The store of short-lived values does not answer.", retrySeconds); }

/// Returns true for errors about the state of the Redis server, independent of the command.
bool isAboutTheServer(std::string_view message) noexcept
{
    constexpr std::array<std::string_view, 11> beginnings{"NOAUTH", "WRONGPASS", "NOPERM",      "LOADING",    "READONLY", "MASTERDOWN",
                                                          "BUSY",   "MISCONF",   "CLUSTERDOWN", "NOREPLICAS", "TRYAGAIN"};
    return std::any_of(beginnings.begin(), beginnings.end(), [&](auto beginning) { return message.starts_with(beginning); });
}

} // namespace

RedisConnection::RedisConnection(const RedisSettings& settings) : _socket(connected(settings)), _input(_socket)
{
    _input.exceptions(std::ios::badbit | std::ios::failbit | std::ios::eofbit);
    if (!settings.user.empty())
        execute({"AUTH", settings.user, settings.password});
    else if (!settings.password.empty())
        execute({"AUTH", settings.password});
    if (settings.database != 0) execute({"SELECT", std::to_string(settings.database)});
}

RedisReply RedisConnection::execute(const std::vector<std::string_view>& command)
{
    try
    {
        send(encoded(command));
        auto reply = receive();
        if (!reply->isError()) return reply;
        const auto* error = dynamic_cast<const Poco::Redis::Type<Poco::Redis::Error>*>(reply.get());
        throw RedisRefusal(error ? error->value().getMessage() : "an error of an unknown form");
    }
    catch (const Poco::TimeoutException&)
    {
        throw RedisBroken("no answer in time");
    }
    catch (const Poco::Exception& error)
    {
        throw RedisBroken(error.displayText());
    }
    catch (const std::ios::failure&)
    {
        throw RedisBroken("the connection was closed");
    }
}

bool RedisConnection::isStale()
{
    try
    {
        return _socket.poll(Poco::Timespan(), Poco::Net::Socket::SELECT_READ | Poco::Net::Socket::SELECT_ERROR);
    }
    catch (const Poco::Exception&)
    {
        return true;
    }
}

void RedisConnection::send(std::string_view bytes)
{
    while (!bytes.empty())
    {
        constexpr std::size_t most = std::numeric_limits<int>::max();
        const int sent = _socket.sendBytes(bytes.data(), static_cast<int>(std::min(bytes.size(), most)), MSG_NOSIGNAL);
        if (sent <= 0) throw RedisBroken("the connection takes nothing");
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

RedisReply RedisConnection::receive()
{
    auto reply = Poco::Redis::RedisType::createRedisType(static_cast<char>(_input.get()));
    if (reply.isNull()) throw RedisBroken("what answers does not speak the protocol of Redis");
    reply->read(_input);
    return reply;
}

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
    _log.error("Redis sent an answer of an unexpected form", {{"reason", reason}});
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
