#pragma once

#include <cstdint>
#include <optional>

namespace portico::social
{

/// Counters of a post at its network. Empty: the network does not report the number.
struct PostNumbers
{
    std::optional<std::int64_t> likes;
    std::optional<std::int64_t> reposts;
    std::optional<std::int64_t> replies;
};

} // namespace portico::social
