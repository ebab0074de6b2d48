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

/// What a value had to be, when it is not: empty if it is right. Looks at the text alone, never at the file system.
std::string fault(Kind kind, std::int64_t minimum, std::int64_t maximum, std::string_view choices, std::string_view value);

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
