#pragma once

#include "jose/JsonWebKey.h"

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

/// Caches external key sets (`jwks_uri`) for five minutes. An unknown key causes one new read, at most every ten seconds per address, so
/// that forged key ids cannot cause load. Failures increase the interval. Thread-safe.
class RemoteKeys
{
public:
    RemoteKeys(HttpClient& http, const Clock& clock) : _http(http), _clock(clock) {}

    /// Returns the last read keys if the address does not answer; none if it never has. Returns null if the state is unknown because other
    /// requests read: two at a time, so that slow addresses block no more workers. Blocks for some seconds at most.
    /// @param kid of the token; empty: any
    JsonWebKeys at(const std::string& url, std::string_view kid);

private:
    struct Entry
    {
        /// Null until the address has answered.
        JsonWebKeys keys;
        Instant triedAt{};
        int failures = 0;
        bool reading = false;
    };
    JsonWebKeys read(const std::string& url) const;

    HttpClient& _http;
    const Clock& _clock;
    std::mutex _mutex;
    int _reading = 0;
    std::map<std::string, Entry> _entries;
};

} // namespace portico::identity
