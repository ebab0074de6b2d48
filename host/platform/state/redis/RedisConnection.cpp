#include "host/platform/state/redis/RedisConnection.h"

#include <Poco/Exception.h>
#include <Poco/Net/SocketAddress.h>
#include <Poco/Redis/Error.h>

#include <algorithm>
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

} // namespace portico::host::platform
