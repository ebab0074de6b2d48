#pragma once

#include "host/config/Catalog.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::config
{

std::optional<bool> parseBoolean(std::string_view text) noexcept;
/// `10`, `64K`, `25M`, `2G`.
std::optional<std::int64_t> parseBytes(std::string_view text) noexcept;
/// Trimmed, empty items left out.
std::vector<std::string> parseList(std::string_view text);

/// Describes the expected value if a value is invalid; empty if it is valid. Checks the text only, never the file system.
std::string fault(Kind kind, std::int64_t minimum, std::int64_t maximum, std::string_view choices, std::string_view value);

/// `redis://user@host:port/database`; user, port and database may be left out. An IPv6 address is in brackets; `host` is without them.
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
