#pragma once

#include "portico/Plugin.h"
#include "portico/RateLimit.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace portico::launchpad
{

/// Returns a limit, which the operator switches off with `limits.rates=off`.
inline RateLimit limitPer(PluginContext& context, std::string_view use, std::int64_t limit, std::chrono::seconds window)
{
    const bool off = context.config().find("limits.rates") == "off";
    return {context.state(), context.clock(), {.use = use, .limit = off ? 0 : limit, .window = window}};
}

inline RateLimit perMinute(PluginContext& context, std::string_view use, std::int64_t limit)
{
    return limitPer(context, use, limit, std::chrono::minutes(1));
}

inline RateLimit perHour(PluginContext& context, std::string_view use, std::int64_t limit)
{
    return limitPer(context, use, limit, std::chrono::hours(1));
}

/// Returns the key of one client in limits: the address of IPv4, the /56 of IPv6, of which a client has many addresses.
std::string networkOf(std::string_view address);

} // namespace portico::launchpad
