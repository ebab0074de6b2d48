#pragma once

#include "tokens/JsonWebKey.h"

#include "portico/Clock.h"
#include "portico/HttpClient.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Key sets that others publish (`jwks_uri`): read when they are asked for, remembered for five minutes, and read again once for a key that
/// is not among them, though no address more often than every ten seconds, so that made-up keys cost others nothing, and in pauses that
/// grow while the address does not answer. Thread-safe.
class RemoteKeys
{
public:
    using Keys = std::shared_ptr<const std::vector<JsonWebKey>>;

    RemoteKeys(HttpClient& http, const Clock& clock) : _http(http), _clock(clock) {}

    /// What was read last where the address does not answer just now; none where it never did; null while that is not known, because others
    /// are reading: two at a time, so that addresses that hang hold no more workers. Blocks for some seconds at most.
    /// @param kid of the token; empty: any.
    Keys at(const std::string& url, std::string_view kid);

private:
    struct Entry
    {
        /// Null until the address has answered.
        Keys keys;
        Instant triedAt{};
        int failures = 0;
        bool reading = false;
    };
    Keys read(const std::string& url) const;

    HttpClient& _http;
    const Clock& _clock;
    std::mutex _mutex;
    int _reading = 0;
    std::map<std::string, Entry> _entries;
};

} // namespace portico::identity
