#pragma once

#include "host/platform/state/RedisSettings.h"

#include <Poco/Net/StreamSocket.h>
#include <Poco/Redis/RedisStream.h>
#include <Poco/Redis/Type.h>

#include <stdexcept>
#include <string>
#include <string_view>
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

/// One connection, signed in, its database selected. Every wait is bounded by the settings. Used by one thread at a time.
///
/// POCO's own client is passed by: what goes wrong inside of its streams stays there, so that a value during which the connection breaks
/// comes out as blanks of its length. Its types and its reading are used here on a stream that throws.
class RedisConnection
{
public:
    /// @throws RedisBroken, RedisRefusal (a wrong password)
    explicit RedisConnection(const RedisSettings& settings);

    /// @throws RedisBroken, RedisRefusal
    RedisReply execute(const std::vector<std::string_view>& command);
    /// Whether Redis has closed the connection, or sent what nobody asked for, since the last answer.
    bool isStale();

private:
    void send(std::string_view bytes);
    RedisReply receive();

    Poco::Net::StreamSocket _socket;
    Poco::Redis::RedisInputStream _input;
};

} // namespace portico::host::platform
