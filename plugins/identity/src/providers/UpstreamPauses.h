#pragma once

#include "portico/Clock.h"

#include <map>
#include <mutex>
#include <string>

namespace portico::identity
{

/// Backoff for providers that have failed twice in a row. A silent provider must not block the threads of sign-ins at other providers.
/// Thread-safe.
class UpstreamPauses
{
public:
    explicit UpstreamPauses(const Clock& clock) : _clock(clock) {}

    /// @throws UpstreamFailure `Unreachable` while the provider is left alone
    void require(const std::string& issuer);
    void answered(const std::string& issuer);
    void failed(const std::string& issuer);

private:
    struct Entry
    {
        int failures = 0;
        Instant nextTry{};
    };
    const Clock& _clock;
    std::mutex _mutex;
    std::map<std::string, Entry, std::less<>> _entries;
};

} // namespace portico::identity
