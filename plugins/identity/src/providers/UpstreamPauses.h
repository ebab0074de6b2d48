#pragma once

#include "portico/Clock.h"

#include <map>
#include <mutex>
#include <string>

namespace portico::identity
{

/// Providers that did not answer twice in a row, and are left alone for a while that grows: waiting for one that is silent must not take
/// the threads of those who sign in elsewhere. Thread-safe.
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
