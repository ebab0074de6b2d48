#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico::host::config
{

/// `redis://user@host:port/database`; user, port and database may be left out. An IPv6 address stands in brackets, which `host` has not.
struct RedisUrl
{
    std::string host;
    std::uint16_t port = 6379;
    int database = 0;
    std::string user;
};

/// Nothing for a text of another form, also for one with a password: that is kept in a file.
std::optional<RedisUrl> parseRedisUrl(std::string_view text);

} // namespace portico::host::config
