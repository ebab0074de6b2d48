#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace portico::host::routing
{

/// The operator's settings of routing. Each member names its setting.
struct Settings
{
    /// `log.access`: one line a request. Failures of the server are logged either way.
    bool accessLog = false;
    /// `limits.rates`: `off` is for load tests.
    bool rateLimits = true;
    /// `limits.requestsPerMinute`: of one principal; a key or principal with its own limit overrides it.
    std::int64_t requestsPerMinute = 600;
    /// `limits.anonymousRequestsPerMinute`: of one client address without credentials.
    std::int64_t anonymousRequestsPerMinute = 600;
    /// `limits.jsonBytes`: body of a route that does not say its own.
    std::uint64_t jsonBytes = 256 * 1024;
    /// `limits.uploadBytes`: the same for uploads.
    std::uint64_t uploadBytes = 64ULL * 1024 * 1024;
    /// `limits.streamsPerCaller`, `limits.streamsPerAddress`, `limits.streamsPerOrigin`: event streams that are open at once, of a user or
    /// key; of an address without credentials; of the pages of another web origin without credentials, in one service. 0: any number.
    std::int64_t streamsPerCaller = 20;
    std::int64_t streamsPerAddress = 200;
    std::int64_t streamsPerOrigin = 2000;
    /// A secret of the host, or of all that share a database: signs cursors, and protects the answers kept for Idempotency-Keys.
    std::string cursorKey;
};

} // namespace portico::host::routing
