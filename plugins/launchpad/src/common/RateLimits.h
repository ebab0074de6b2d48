#pragma once

#include "portico/Plugin.h"
#include "portico/RateLimit.h"

#include <cstdint>
#include <string_view>

namespace portico::launchpad
{

/// Returns a limit per minute, which the operator switches off with `limits.rates=off`.
inline RateLimit perMinute(PluginContext& context, std::string_view use, std::int64_t limit)
{
    const bool off = context.config().find("limits.rates") == "off";
    return {context.state(), context.clock(), {.use = use, .limit = off ? 0 : limit}};
}

} // namespace portico::launchpad
