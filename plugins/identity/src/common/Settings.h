#pragma once

#include "portico/Config.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace portico::identity
{

/// Identity's settings, read once a generation. The manifest holds defaults and bounds.
struct Settings
{
    explicit Settings(const Config& config);

    /// `*`, or ids with commas between them.
    std::string defaultServiceAccess;
    std::chrono::seconds accessTokenLife;
    std::chrono::seconds refreshIdle;
    std::chrono::seconds refreshAbsolute;
    std::chrono::seconds browserSession;
    std::chrono::seconds elevation;
    /// 0: no limit.
    std::int64_t addressAttemptsPerMinute;
    std::int64_t freeAttempts;
    /// 0: no limit.
    std::int64_t newKeysPerHour = 20;
    std::int64_t keysPerOwner;
    std::chrono::hours keyLife;
    /// The host's: what a key without a rate of its own may do.
    std::int64_t requestsPerMinute = 600;
};

} // namespace portico::identity
