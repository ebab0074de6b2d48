#pragma once

#include "clients/OAuthClient.h"
#include "tokens/RemoteKeys.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace portico::identity
{

/// Public keys of clients. Keys of a registered set (`jwks`) are read once for each version of the client, so that each is built once.
/// Thread-safe.
class ClientKeys
{
public:
    ClientKeys(HttpClient& http, const Clock& clock) : _remote(http, clock) {}

    /// Returns the registered keys, or else those at `jwks_uri` as `RemoteKeys::at` does. @param kid of the token; empty: any.
    JsonWebKeys of(const OAuthClient& client, std::string_view kid);

private:
    struct Entry
    {
        std::int64_t version = 0;
        JsonWebKeys keys;
    };
    JsonWebKeys registered(const OAuthClient& client);

    RemoteKeys _remote;
    std::mutex _mutex;
    std::map<std::string, Entry, std::less<>> _entries;
};

} // namespace portico::identity
